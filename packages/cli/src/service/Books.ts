/**
 * Questions about order books over HTTP.
 */
import * as Effect from "effect/Effect"
import { textOf, textsOf } from "./Item.ts"
import { assumed, open, type Question } from "./Question.ts"
import * as Reading from "./Reading.ts"
import type { Query } from "./Service.ts"
import * as Subjects from "./Subjects.ts"
import { forbidden, unclear } from "./Undecided.ts"

const path = "/timeseries/market-orderbooks"

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

const some = Effect.gen(function* () {
  const { items } = yield* Reading.lines(path, yield* updates(1), { most: 4 * 1024 * 1024 })
  return items.length === 0 ? yield* unclear("no updates within a minute") : items
})

export const questions: ReadonlyArray<Question> = [
  open("bookUpdates", {
    most: 4,
    ask: Effect.gen(function* () {
      const query = yield* updates(1)
      yield* some
      const small = { ...query, depth_limit: 100, format: "json_stream" }
      return yield* Reading.refusedOr(["enforced", "lenient"], path, small, { most: 1_024 })
    })
  }),
  assumed({
    name: "bookType",
    asks: "Does each record of updates say whether it is a snapshot or an update?",
    section: "3.13",
    words: ["yes"],
    contradictions: { no: "Books made of updates are wrong from the first snapshot on." },
    most: 3,
    ask: Effect.map(some, (items) =>
      textsOf(items, "type").every((type) => type === "snapshot" || type === "update") ? "yes" : "no"
    )
  }),
  assumed({
    name: "startWithSnapshot",
    asks: "With start_with_snapshot=true, do updates begin with a snapshot?",
    section: "4.6.4",
    words: ["yes"],
    contradictions: { no: "A replay of books begins with the first snapshot that comes, or is wrong." },
    most: 3,
    ask: Effect.gen(function* () {
      const query = yield* updates(1)
      const { items } = yield* Reading.lines(path, { ...query, start_with_snapshot: true }, { most: 4 * 1024 * 1024 })
      return textOf(items[0], "type") === "snapshot" ? "yes" : "no"
    })
  }),
  open("bookSnapshots", {
    most: 3,
    ask: Effect.gen(function* () {
      // Snapshots come every five minutes, at least.
      const { isCut, items } = yield* Reading.lines(path, yield* updates(6))
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
