/**
 * What a parameter may be, with what is written into the query, and what it may not be: by its kind alone.
 */
import type { Parameter } from "@sluice/interface/Parameter"

export interface Values {
  readonly good: ReadonlyArray<readonly [value: unknown, written: string]>
  readonly bad: ReadonlyArray<unknown>
}

const itself = (...values: ReadonlyArray<string>) => values.map((value) => [value, value] as const)

const number = ({ maximum = Number.MAX_SAFE_INTEGER, minimum = 0 }: Parameter): Values => ({
  good: [
    [minimum, String(minimum)],
    [maximum, String(maximum)]
  ],
  bad: [minimum - 1, -1, minimum + 0.5, maximum + 1, Number.NaN, Infinity, String(maximum), "", true, null]
})

const otherNumbers = ["0", "101", "1e2", "+1", "01", " 1", "1.0", "all", "None"]

/** The service has it as text, which may be given as well. */
const numberOrWord = (parameter: Parameter): Values => {
  const { good, bad } = number(parameter)
  const texts = good.map(([, written]) => written)
  return {
    good: [...good, ...itself(...parameter.words, "10", ...texts)],
    bad: [...bad.filter((value) => !texts.some((text) => text === value)), ...otherNumbers]
  }
}

const boolean: Values = {
  good: [
    [true, "true"],
    [false, "false"]
  ],
  bad: ["true", "false", "yes", "", 0, 1, null]
}

const time: Values = {
  good: itself(
    "2006-01-20",
    "20060120",
    "2006-01-20T00:00:00",
    "2006-01-20T00:00:00Z",
    "2006-01-20T00:00:00.000Z",
    "2006-01-20T23:59:59.123456Z",
    "2006-01-20T23:59:59.123456789Z",
    "2006-01-20T235959.123456789",
    "20060120T000000",
    "20060120T235959Z",
    "20060120T00:00:00.000Z",
    "20060120T235959.123456789Z",
    "2024-02-29"
  ),
  bad: [
    "yesterday",
    "2006",
    "2006-01",
    "2006-1-20",
    "20-01-2006",
    "200601-20",
    "2006-01-20 00:00:00",
    "2006-01-20T00:00Z",
    "2006-01-20T00:00:00z",
    "2006-01-20T00:00:00+01:00",
    "2006-01-20T00:00:00.1Z",
    "2006-01-20T00:00:00.1234567890Z",
    "2006-01-20T24:00:00Z",
    "2006-01-20T00:60:00Z",
    "2006-02-30",
    "2023-02-29",
    "2006-13-01",
    " 2006-01-20",
    "N/A",
    "*",
    "",
    1_137_715_200_000,
    null
  ]
}

const days: Readonly<Record<string, readonly [behind: string, last: string]>> = {
  "2006-01-20": ["2006-01-21T00:00:00", "2006-01-20T23:59:59.999999999"],
  "20060120": ["2006-01-21T00:00:00", "2006-01-20T23:59:59.999999999"],
  "2024-02-29": ["2024-03-01T00:00:00", "2024-02-29T23:59:59.999999999"]
}

/** Times as the end of a range: a date covers its day, and is sent as the moment behind it, or as its last where none can be excluded. */
const end = (isExcludable: boolean): Values => ({
  ...time,
  good: time.good.map(([value, written]) => [value, days[written]?.[isExcludable ? 0 : 1] ?? written])
})

const text: Values = {
  good: itself("coinbase", "BTC-USD", "*", "3.0", "0.MjAyNi0wNy0zMFQ="),
  bad: ["", " ", "  ", 7, ["coinbase"], null]
}

const list: Values = {
  good: [...itself("a", "a,b", "Bitcoin Cash"), [["a"], "a"], [["a", "b"], "a,b"], [" a , b ", "a,b"]],
  bad: ["", " ", ",", "a,,b", "a,", [], [""], ["a,b"], ["a", " "], [7], 7, true, null]
}

/** Words of other parameters, and spellings of none. */
const foreign =
  "middle START csv JSON Metrics fresh trades metrics markets greeks open_interest candles time main".split(" ")

const closed = ({ isList, words }: Parameter): Values => {
  const others = foreign.filter((word) => !words.includes(word))
  const [first = ""] = words
  if (!isList) return { good: itself(...words), bad: [...others, "", 0, true, [first], null] }
  return {
    good: [...itself(...words), [[first], first], [words, words.join(",")], [words.join(","), words.join(",")]],
    bad: [...others, "", [], [""], ...others.slice(0, 3).map((other) => [first, other]), [words.join(",")], 7, null]
  }
}

const open = ({ words }: Parameter): Values => ({
  good: itself(...words, "newer", "1d-14:00"),
  bad: ["", 7, [words[0]], null]
})

/** What a parameter of these may be and may not be. */
export const valuesIn = (parameters: Readonly<Record<string, Parameter>>, name: string): Values | undefined => {
  const parameter = parameters[name]
  if (parameter === undefined) return undefined
  return /(?:^|_)end_time$/.test(name) ? end("end_inclusive" in parameters) : valuesOf(parameter)
}

const valuesOf = (parameter: Parameter): Values => {
  switch (parameter.kind) {
    case "integer":
      return parameter.words.length === 0 ? number(parameter) : numberOrWord(parameter)
    case "boolean":
      return boolean
    case "time":
      return time
    case "text":
      return parameter.isList ? list : text
    case "word":
      return parameter.isClosed ? closed(parameter) : open(parameter)
  }
}
