/**
 * Checks of single records: bounds of values, values that contradict each other, and crossed books.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Notes } from "./Notes.ts"
import type { ReadColumns } from "./ReadColumns.ts"
import type { Checks, PairRule } from "./Rules.ts"

/** Doubles of decimals differ from these by less: a mean that a service rounded may be that much above the highest price. */
const rounding = 1e-9

/** Checks each record of a batch, of which the first has this number. */
export const check = (checks: Checks, columns: ReadColumns, first: number, notes: Notes) => {
  const { records, times, values } = columns
  for (const [place, { name, rule }] of checks.fields.entries()) {
    if (rule.least === undefined) continue
    const column = values[place]!
    const isZeroWrong = rule.least === "aboveZero"
    for (let at = 0; at < column.length; at++) {
      const value = column[at]!
      if (value < 0 || (isZeroWrong && value === 0)) {
        const reason = () => `${name} is ${value}`
        notes.add({ kind: "outOfBounds", field: name, time: times[at]!, index: first + at, reason })
      }
    }
  }
  for (const pair of checks.pairs) ofPair(pair, values[pair.lowAt]!, values[pair.highAt]!, times, first, notes)
  for (const [bids, asks] of checks.books) {
    for (let at = 0; at < records.length; at++) {
      const record = records[at]
      // An update has only the levels that changed.
      if (Predicate.hasProperty(record, "type") && record.type === "update") continue
      const [bid, ask] = [bestOf(record, bids), bestOf(record, asks)]
      if (bid < ask || Number.isNaN(bid + ask)) continue
      const reason = () => `the best of ${bids}, ${bid}, is not below that of ${asks}, ${ask}`
      notes.add({ kind: "crossed", field: `${bids}, ${asks}`, time: times[at]!, index: first + at, reason })
    }
  }
}

const ofPair = (
  { high, isStrict, kind, low }: PairRule,
  lows: Float64Array,
  highs: Float64Array,
  times: ReadColumns["times"],
  first: number,
  notes: Notes
) => {
  for (let at = 0; at < lows.length; at++) {
    const [below, above] = [lows[at]!, highs[at]!]
    // Not a number is neither.
    if (isStrict === true ? below >= above : below - above > rounding * Math.abs(above)) {
      const reason = () => `${low}, ${below}, is ${isStrict === true ? "not below" : "above"} ${high}, ${above}`
      notes.add({ kind, field: `${low}, ${high}`, time: times[at]!, index: first + at, reason })
    }
  }
}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The price of the first level of a side; NaN where there is none. CSV has the levels as JSON text. */
const bestOf = (record: unknown, side: string): number => {
  const held: unknown = Reflect.get(Object(record), side)
  const levels = Predicate.isString(held) ? Option.getOrUndefined(parse(held)) : held
  const price: unknown = Array.isArray(levels) ? Reflect.get(Object(levels[0]), "price") : undefined
  return Predicate.isString(price) || Predicate.isNumber(price) ? Number(price) || Number.NaN : Number.NaN
}
