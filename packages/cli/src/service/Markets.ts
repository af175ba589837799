/**
 * Questions about other series of markets.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Item } from "./Item.ts"
import { assumed, open, type Question } from "./Question.ts"
import * as Reading from "./Reading.ts"
import * as Subjects from "./Subjects.ts"
import { unclear } from "./Undecided.ts"

const sides = [
  ["ask_price", "ask_size"],
  ["bid_price", "bid_size"]
] as const

const has = (item: Item, keys: ReadonlyArray<string>, is: (value: unknown) => boolean) =>
  keys.every((key) => is(item[key]))

const isZero = (value: unknown) => Predicate.isString(value) && /^0+(\.0*)?$/.test(value)

const isAbsent = (value: unknown) => value === undefined || value === null

export const questions: ReadonlyArray<Question> = [
  assumed({
    name: "openInterest",
    asks: "Is the contract_count of an open interest a decimal text, or always a whole number?",
    section: "3.13",
    words: ["decimal", "whole"],
    contradictions: { number: "Reads of open interest fail with Decode, or digits are lost." },
    most: 5,
    ask: Effect.gen(function* () {
      const { last, markets } = yield* Subjects.interest
      const start_time = Reading.shifted(last, { minutes: -30 })
      const items = yield* Reading.records("/timeseries/market-openinterest", { markets, start_time, page_size: 1_000 })
      const counts = items.map((item) => item["contract_count"])
      if (counts.some(Predicate.isNumber)) return "number"
      return counts.some((count) => String(count).includes(".")) ? "decimal" : "whole"
    })
  }),
  open("emptySide", {
    most: 5,
    ask: Effect.gen(function* () {
      const { last, markets } = yield* Subjects.options
      const start_time = Reading.shifted(last, { minutes: -30 })
      const query = { markets, start_time, include_one_sided: true, page_size: 10_000 }
      const items = yield* Reading.records("/timeseries/market-quotes", query)
      const some = (is: (value: unknown) => boolean) => items.some((item) => sides.some((side) => has(item, side, is)))
      if (some(isAbsent)) return "absent"
      return some(isZero) ? "zero" : yield* unclear("all quotes have two sides")
    })
  })
]
