/** Questions about what metrics are made of, about other series of markets, and about order books over HTTP. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { assumed, open, type Question } from "./Question.ts"
import * as Reading from "./Reading.ts"
import * as Subjects from "./Subjects.ts"
import type { Query } from "./Service.ts"
import { ascends, type Item, textOf, textsOf } from "./Item.ts"
import { forbidden, unclear } from "./Undecided.ts"

/** A metric that has constituents. */
const metric = Effect.gen(function* () {
  const { items } = yield* Reading.page("/reference-data/asset-metrics", { page_size: 10_000 })
  const found = items.find((item) => textOf(item, "constituent_snapshots_url") !== "")
  return found === undefined ? "volume_trusted_spot_usd_1d" : textOf(found, "metric")
})

const sides = [
  ["ask_price", "ask_size"],
  ["bid_price", "bid_size"]
] as const

const has = (item: Item, keys: ReadonlyArray<string>, is: (value: unknown) => boolean) =>
  keys.every((key) => is(item[key]))

const isZero = (value: unknown) => Predicate.isString(value) && /^0+(\.0*)?$/.test(value)

const isAbsent = (value: unknown) => value === undefined || value === null

const books = "/timeseries/market-orderbooks"

/** The parameters of updates as they are published, for some minutes that lie a little back. */
const updates = Effect.fnUntraced(function* (minutes: number) {
  const { hasUpdates, last, market } = yield* Subjects.book
  if (!hasUpdates) return yield* forbidden("no market of the catalog has updates of books")
  const query: Query = {
    markets: market,
    dataset: "updates",
    depth_limit: "full_book",
    granularity: "raw",
    paging_from: "start",
    start_time: Reading.shifted(last, { minutes: -28 }),
    end_time: Reading.shifted(last, { minutes: minutes - 28 })
  }
  return query
})

const someUpdates = Effect.gen(function* () {
  const { items } = yield* Reading.lines(books, yield* updates(1), { most: 4 * 1024 * 1024 })
  return items.length === 0 ? yield* unclear("no updates within a minute") : items
})

export const questions: ReadonlyArray<Question> = [
  assumed({
    name: "constituentRows",
    asks: "Has a snapshot of constituents a record for each constituent?",
    section: "3.15",
    words: ["each"],
    contradictions: { other: "Constituents are read as a few records whose names are not known." },
    ask: Effect.gen(function* () {
      const query = { metric: yield* metric, at_time: "now", page_size: 100 }
      const items = yield* Reading.records("/constituent-snapshots/asset-metrics", query)
      const isEach = items.every((item) => Object.keys(item).length === 2 && textOf(item, "time") !== "")
      return isEach ? "each" : "other"
    })
  }),
  open("constituentOrder", {
    ask: Effect.gen(function* () {
      const query = { metric: yield* metric, paging_from: "start", page_size: 1_000 }
      const starts = textsOf(yield* Reading.records("/constituent-timeframes/asset-metrics", query), "start_time")
      if (new Set(starts).size === 1) return yield* unclear("all timeframes begin at the same time")
      if (ascends(starts)) return "ascending"
      return ascends(starts.toReversed()) ? "newest" : yield* unclear("the timeframes are in no order of their start")
    })
  }),
  assumed({
    name: "openInterest",
    asks: "Is the contract_count of an open interest a decimal text, or always a whole number?",
    section: "3.13",
    words: ["decimal", "whole"],
    contradictions: { number: "Reads of open interest fail with Decode, or digits are lost." },
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
    ask: Effect.gen(function* () {
      const { last, markets } = yield* Subjects.options
      const start_time = Reading.shifted(last, { minutes: -30 })
      const query = { markets, start_time, include_one_sided: true, page_size: 10_000 }
      const items = yield* Reading.records("/timeseries/market-quotes", query)
      const some = (is: (value: unknown) => boolean) => items.some((item) => sides.some((side) => has(item, side, is)))
      if (some(isAbsent)) return "absent"
      return some(isZero) ? "zero" : yield* unclear("all quotes have two sides")
    })
  }),
  open("bookUpdates", {
    ask: Effect.gen(function* () {
      const query = yield* updates(1)
      yield* someUpdates
      const small = { ...query, depth_limit: 100, format: "json_stream" }
      return yield* Reading.refusedOr(["enforced", "lenient"], books, small, { most: 1_024 })
    })
  }),
  assumed({
    name: "bookType",
    asks: "Does each record of updates say whether it is a snapshot or an update?",
    section: "3.13",
    words: ["yes"],
    contradictions: { no: "Books made of updates are wrong from the first snapshot on." },
    ask: Effect.map(someUpdates, (items) =>
      textsOf(items, "type").every((type) => type === "snapshot" || type === "update") ? "yes" : "no"
    )
  }),
  assumed({
    name: "startWithSnapshot",
    asks: "With start_with_snapshot=true, do updates begin with a snapshot?",
    section: "4.6.4",
    words: ["yes"],
    contradictions: { no: "A replay of books begins with the first snapshot that comes, or is wrong." },
    ask: Effect.gen(function* () {
      const query = yield* updates(1)
      const { items } = yield* Reading.lines(books, { ...query, start_with_snapshot: true }, { most: 4 * 1024 * 1024 })
      return textOf(items[0], "type") === "snapshot" ? "yes" : "no"
    })
  }),
  open("bookSnapshots", {
    ask: Effect.gen(function* () {
      // Snapshots come every five minutes, at least.
      const { isCut, items } = yield* Reading.lines(books, yield* updates(6))
      const key = (index: number) => `${textOf(items[index], "time")} ${textOf(items[index], "coin_metrics_id")}`
      const snapshots = items.flatMap((item, index) =>
        index > 0 && textOf(item, "type") === "snapshot" ? [index] : []
      )
      if (snapshots.some((index) => key(index) === key(index - 1))) return "redundant"
      if (snapshots.length > 0) return "amid"
      return isCut || items.length === 0 ? yield* unclear("no snapshot in what was read") : "first"
    })
  })
]
