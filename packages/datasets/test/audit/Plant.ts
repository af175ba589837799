/**
 * Defects that tests plant into the records of a dataset.
 */
import type * as Draw from "../../../core/test/Draw.ts"

export type Row = Record<string, unknown> & { time: string }

/** A defect that was planted: the kinds of finding that name it, and the times that it is about. */
export interface Planted {
  readonly name: string
  readonly kind: string
  readonly entity: string
  readonly from: string
  readonly to: string
}

/** Changes rows of a slot, in place, and tells what a finding of it is about. */
type Plant = (rows: Array<Row>, at: number, draw: Draw.Draw) => { readonly from: string; readonly to: string }

const numberOf = (row: Row, name: string) => Number(row[name])

const one = (row: Row) => ({ from: row.time, to: row.time })

const scaled =
  (names: ReadonlyArray<string>, least: number, most: number): Plant =>
  (rows, at, draw) => {
    const size = least + (most - least) * draw.next()
    const factor = draw.chance(0.5) ? size : 1 / size
    const row = rows[at]!
    for (const name of names) row[name] = String(numberOf(row, name) * factor)
    return one(row)
  }

const set =
  (name: string, value: (row: Row, draw: Draw.Draw) => number): Plant =>
  (rows, at, draw) => {
    const row = rows[at]!
    row[name] = String(value(row, draw))
    return one(row)
  }

const stale =
  (names: ReadonlyArray<string>): Plant =>
  (rows, at, draw) => {
    const count = draw.int(12, 18)
    const first = rows[at]!
    for (let next = 1; next < count; next++) for (const name of names) rows[at + next]![name] = first[name]
    return { from: first.time, to: rows[at + count - 1]!.time }
  }

const remove =
  (least: number, most: number): Plant =>
  (rows, at, draw) => {
    const gone = rows.splice(at, draw.int(least, most))
    return { from: gone[0]!.time, to: gone.at(-1)!.time }
  }

const repeat =
  (change: (row: Row) => void): Plant =>
  (rows, at) => {
    const copy = { ...rows[at]! }
    change(copy)
    rows.splice(at, 0, copy)
    return one(copy)
  }

const move =
  (by: (draw: Draw.Draw) => number): Plant =>
  (rows, at, draw) => {
    const [row] = rows.splice(at, 1)
    rows.splice(at + by(draw), 0, row!)
    return one(row!)
  }

/** Which of the two is out of order nobody can tell. */
const swap: Plant = (rows, at) => {
  const [first, second] = rows.splice(at, 2)
  rows.splice(at, 0, second!, first!)
  return { from: first!.time, to: second!.time }
}

const prices = ["price_open", "price_close", "price_high", "price_low", "vwap"]

const more = (draw: Draw.Draw) => 1.0005 + draw.next() / 50

/** Ways to break records of each series: the name of the way, the finding that is expected, and what it does. */
export const ways = {
  candles: [
    ["a missing record", "hole", remove(1, 1)],
    ["missing records", "hole", remove(2, 10)],
    ["a repeated record", "repeat", repeat(() => {})],
    ["a record of the same time", "repeat", repeat((row) => (row["volume"] = "1"))],
    ["swapped records", "disorder", swap],
    ["a record moved to later", "disorder", move((draw) => draw.int(2, 12))],
    ["a record moved to earlier", "disorder", move((draw) => -draw.int(2, 4))],
    ["a spike of all prices", "outlier", scaled(prices, 1.5, 12)],
    ["a decimal point at another place", "outlier", scaled(prices, 10, 10)],
    ["prices that stand still", "stale", stale(prices)],
    ["a low above the open", "inconsistent", set("price_low", (row, draw) => numberOf(row, "price_open") * more(draw))],
    [
      "a high below the close",
      "inconsistent",
      set("price_high", (row, draw) => numberOf(row, "price_close") / more(draw))
    ],
    [
      "a close above the high",
      "inconsistent",
      set("price_close", (row, draw) => numberOf(row, "price_high") * more(draw))
    ],
    ["a mean below the low", "inconsistent", set("vwap", (row, draw) => numberOf(row, "price_low") / more(draw))],
    ["a mean above the high", "inconsistent", set("vwap", (row, draw) => numberOf(row, "price_high") * more(draw))],
    ["a negative volume", "outOfBounds", set("volume", (row, draw) => -numberOf(row, "volume") - draw.next())],
    ["a price of zero", "outOfBounds", set("price_open", () => 0)],
    [
      "a time between two others",
      "offGrid",
      (rows, at, draw) => {
        const row = rows[at]!
        row.time = `${row.time.slice(0, 17)}${String(draw.int(1, 59)).padStart(2, "0")}.000000000Z`
        return one(row)
      }
    ],
    [
      "a time that does not exist",
      "badTime",
      (rows, at) => {
        const row = rows[at]!
        row.time = `${row.time.slice(0, 5)}13${row.time.slice(7)}`
        return one(row)
      }
    ]
  ],
  metrics: [
    ["a spike of a metric", "outlier", scaled(["ReferenceRateUSD"], 1.5, 12)],
    ["a metric that stands still", "stale", stale(["ReferenceRateUSD"])]
  ],
  quotes: [
    ["a crossed quote", "crossed", set("bid_price", (row, draw) => numberOf(row, "ask_price") * more(draw))],
    ["a locked quote", "crossed", set("bid_price", (row) => numberOf(row, "ask_price"))],
    ["a repeated quote", "repeat", repeat(() => {})],
    ["a quote behind a later one", "disorder", move((draw) => draw.int(2, 12))]
  ],
  books: [
    [
      "a crossed book",
      "crossed",
      (rows, at, draw) => {
        const row = rows[at]!
        const [asks, bids] = [row["asks"], row["bids"]] as ReadonlyArray<ReadonlyArray<{ price: string }>>
        const price = String(Number(asks![0]!.price) * more(draw))
        row["bids"] = [{ ...bids![0], price }, ...bids!.slice(1)]
        return one(row)
      }
    ]
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<readonly [string, string, Plant]>>>

/** How many rows of the same entity a defect has to itself. */
export const slot = 40

/** Where it begins in them. */
const offset = 12

/** Plants a defect into each slot, the ways in turn from the given one, and tells which. Rows are those of one entity. */
export const into = (
  entity: string,
  rows: Array<Row>,
  of: ReadonlyArray<readonly [string, string, Plant]>,
  begin: number,
  draw: Draw.Draw,
  length = slot
): ReadonlyArray<Planted> => {
  const planted: Array<Planted> = []
  // From the end, so that the places of the others stay.
  for (let number = Math.floor(rows.length / length) - 1; number >= 0; number--) {
    const [name, kind, plant] = of[(begin + number) % of.length]!
    const at = number * length + Math.min(offset, length >> 1)
    planted.push({ name, kind, entity, ...plant(rows, at, draw) })
  }
  return planted
}
