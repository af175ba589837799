/**
 * Questions about what metrics are made of.
 */
import * as Effect from "effect/Effect"
import { ascends, textOf, textsOf } from "./Item.ts"
import { assumed, open, type Question } from "./Question.ts"
import * as Reading from "./Reading.ts"
import { unclear } from "./Undecided.ts"

/** A metric that has constituents. */
const metric = Effect.gen(function* () {
  const { items } = yield* Reading.page("/reference-data/asset-metrics", { page_size: 10_000 })
  const found = items.find((item) => textOf(item, "constituent_snapshots_url") !== "")
  return found === undefined ? "volume_trusted_spot_usd_1d" : textOf(found, "metric")
})

export const questions: ReadonlyArray<Question> = [
  assumed({
    name: "constituentRows",
    asks: "Has a snapshot of constituents a record for each constituent?",
    section: "3.15",
    words: ["each"],
    contradictions: { other: "Constituents are read as a few records whose names are not known." },
    most: 2,
    ask: Effect.gen(function* () {
      const query = { metric: yield* metric, at_time: "now", page_size: 100 }
      const items = yield* Reading.records("/constituent-snapshots/asset-metrics", query)
      const isEach = items.every((item) => Object.keys(item).length === 2 && textOf(item, "time") !== "")
      return isEach ? "each" : "other"
    })
  }),
  open("constituentOrder", {
    most: 2,
    ask: Effect.gen(function* () {
      const query = { metric: yield* metric, paging_from: "start", page_size: 1_000 }
      const starts = textsOf(yield* Reading.records("/constituent-timeframes/asset-metrics", query), "start_time")
      if (new Set(starts).size === 1) return yield* unclear("all timeframes begin at the same time")
      if (ascends(starts)) return "ascending"
      return ascends(starts.toReversed()) ? "newest" : yield* unclear("the timeframes are in no order of their start")
    })
  })
]
