import type { Json } from "@sluice/interface/Sample"

/** Metrics whose names a table has to take as they are. */
export const params = { assets: "*", metrics: ["Price", 'Odd"name', "Empty"] }

const texts = [
  "plain",
  "",
  " around ",
  "comma, comma",
  'quote " quote',
  '"',
  "line\nline",
  "line\r\nline",
  "\r",
  "null",
  "NULL",
  "N/A",
  "tab\there",
  "Ξ→₿ é",
  "😀👨‍👩‍👧",
  "\u0000\u0001",
  "a\uFEFFb",
  "𐀀",
  "=1+1",
  "long ".repeat(40)
]

const decimals = [
  "10449.354354068401236",
  "-1234567890123456789012345678901234567890.1234567890123456789012345678901234567890",
  "0",
  "-0.000000000000000000000000000001",
  "9".repeat(3_000),
  "1e-20",
  "N/A"
]

/** The years that nanoseconds in 64 bits can hold, and what is odd about them. */
const times = [
  "1970-01-01T00:00:00.000000000Z",
  "1969-12-31T23:59:59.999999999Z",
  "2020-02-29T23:59:59.123456789Z",
  "1678-01-01T00:00:00.000000001Z",
  "2261-12-31T23:59:59.999999999Z"
]

const pick = <A>(from: ReadonlyArray<A>, index: number): A | undefined => from[index % from.length]

/** A record of asset metrics with values that are hard to write, another for each number. */
export const record = (index: number): Json => ({
  time: pick(times, index),
  asset: pick(texts, index),
  ...(index % 3 === 0 ? {} : { Price: index % 3 === 1 ? null : pick(decimals, index) }),
  'Odd"name': pick(decimals, index + 1),
  "Price-status": pick(texts, index + 1),
  ...(index % 4 === 0 ? { "Price-status-time": pick(times, index + 2) } : {})
})

/** The format that holds every value of them, and each column. */
export const exact = { as: "parquet", numbers: "text", statusColumns: true } as const

const fitting = [...decimals.filter((text) => text.length < 300 && text !== "N/A"), "-0.0", "1e300", "+7."]

/** The same with decimals that a double can hold. */
export const fittingRecords = (count: number): ReadonlyArray<Json> =>
  Array.from({ length: count }, (_, index) => ({
    ...record(index),
    ...(index % 3 === 0 ? {} : { Price: index % 3 === 1 ? null : pick(fitting, index) }),
    'Odd"name': pick(fitting, index + 1)
  }))

export const records = (count: number): ReadonlyArray<Json> =>
  Array.from({ length: count }, (_, index) => record(index))
