/**
 * Records of an operation, drawn from the fields that the table gives it: values as the service mostly writes them, values that
 * deviate, and values that their column cannot hold.
 */
import type { Fields, Type } from "@sluice/interface/Field"
import type { Draw } from "../Draw.ts"

/** A record as JSON has it. */
export type Json = Readonly<Record<string, unknown>>

/** How the values of a record are: as most are, in any form that fits, or in a form that does not. */
export type Style = "usual" | "odd" | "bad"

const digits = (draw: Draw, count: number) => Array.from({ length: count }, () => draw.below(10)).join("")

const two = (value: number) => String(value).padStart(2, "0")

const timeOf = (draw: Draw) =>
  `20${two(draw.below(60))}-${two(1 + draw.below(12))}-${two(1 + draw.below(28))}T${two(draw.below(24))}:${two(draw.below(60))}:${two(draw.below(60))}.${digits(draw, 9)}Z`

const usual = {
  text: (draw) => draw.one(["", "btc", "coinbase-btc-usd-spot", "null", "a, b", digits(draw, 1 + draw.below(40))]),
  decimal: (draw) =>
    `${draw.chance(0.2) ? "-" : ""}${draw.below(100_000)}${draw.chance(0.7) ? `.${digits(draw, 1 + draw.below(17))}` : ""}`,
  int64: (draw) => `${draw.chance(0.1) ? "-" : ""}${draw.below(2 ** 40)}`,
  time: timeOf,
  bool: (draw) => draw.chance(0.5),
  number: (draw) => draw.one([0, -2.5, 1_003, 123_456_789, draw.below(1_000) / 8])
} satisfies Readonly<Record<string, (draw: Draw) => unknown>>

const odd = {
  text: ["naïve 名\u2028", 'a "quoted" \\ \n', "\u0000", "\ufeffb", "😀", " ".repeat(70), "x".repeat(300), "{}[]:,"],
  decimal: ["1e3", "5e-8", "+1", "-0", "0.3000000000000000", "12345678901234567890.1234567890123456", "0.000000001"],
  int64: ["12.0", "+5", "-0", "9223372036854775807", "-9223372036854775808", "000000000000000000000007"],
  time: ["2024-01-03", "2016-02-29T01:02:03Z", "1969-12-31T23:59:59.999999999Z", "1678-01-01T00:00:00.000000001Z"],
  bool: [true, false],
  number: [1e21, 5e-7, "1003", "9007199254740993", 0.1 + 0.2]
} as const

const bad = {
  text: ["\ud800"],
  decimal: ["N/A", "1e400", "", "."],
  int64: ["N/A", "1.5", "9223372036854775808"],
  time: ["N/A", "2300-01-01T00:00:00.000000000Z", "2024-13-01T00:00:00.000000000Z"],
  bool: [true],
  number: ["N/A"]
} as const

const valueOf = (type: Type, draw: Draw, style: Style): unknown => {
  switch (type._tag) {
    case "word":
      return draw.one([...type.words, draw.chance(0.1) ? "a_word_of_2031" : type.words[0]!])
    case "list":
      return Array.from({ length: draw.below(3) }, () => valueOf(type.of, draw, style))
    case "object":
      return recordOf(type.fields, draw, style)
    case "either":
      return draw.chance(0.5) ? [recordOf(type.fields, draw, style)] : recordOf(type.fields, draw, style)
    default:
      if (style === "usual" || draw.chance(0.5)) return usual[type._tag](draw)
      return draw.one<unknown>((style === "odd" ? odd : bad)[type._tag])
  }
}

const isNested = ({ _tag }: Type) => _tag === "list" || _tag === "object" || _tag === "either"

/** A record: of the fields that are no key some are absent or null, and in most records so are lists and objects. */
export const recordOf = (fields: Fields, draw: Draw, style: Style): Json => {
  const isFlat = draw.chance(0.9)
  const entries = Object.entries(fields).flatMap(
    ([name, { isKey, type }]): ReadonlyArray<readonly [string, unknown]> => {
      if (isKey) return [[name, valueOf(type, draw, style)]]
      if (draw.chance(0.05) || (isFlat && style === "usual" && isNested(type))) return []
      return [[name, draw.chance(0.1) ? null : valueOf(type, draw, style)]]
    }
  )
  return Object.fromEntries(draw.chance(0.05) ? [...entries, ["newer", draw.below(9)]] : entries)
}

/** A record as a line; now and then with white space, or with an escape that is not needed. */
export const lineOf = (record: Json, draw: Draw, style: Style): string => {
  const line = JSON.stringify(record)
  if (style === "usual" || draw.chance(0.8)) return line
  return draw.chance(0.5)
    ? ` ${line.slice(0, -1)} }`
    : line.replace(/"([a-z])/, (_, letter: string) => {
        return `"\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
      })
}
