/** Questions about lists, their pages and the catalogs. */
import * as Effect from "effect/Effect"
import { ascends, itemsOf, textOf, textsOf, type Item } from "./Item.ts"
import { assumed, open, type Question } from "./Question.ts"
import * as Reading from "./Reading.ts"
import { Service } from "./Service.ts"
import * as Subjects from "./Subjects.ts"
import { unclear } from "./Undecided.ts"

const assets = "/reference-data/assets"

/** The names of the first assets. */
const first = Effect.map(Reading.records(assets, { page_size: 100 }), (items) => textsOf(items, "asset"))

const names = (items: ReadonlyArray<Item>, key: string) => textsOf(items, key).join()

export const questions: ReadonlyArray<Question> = [
  assumed({
    name: "token",
    asks: "Does next_page_token, added to the same query, lead to the records behind the page?",
    section: "2.3",
    words: ["continues"],
    contradictions: { other: "Reads of several pages repeat or lose records." },
    ask: Effect.gen(function* () {
      const { token } = yield* Reading.page(assets, { page_size: 2 })
      if (token === undefined) return yield* unclear("a full page names no next one")
      const { items } = yield* Reading.page(assets, { page_size: 2, next_page_token: token })
      return names(items, "asset") === (yield* first).slice(2, 4).join() ? "continues" : "other"
    })
  }),
  open("emptyLastPage", {
    ask: Effect.gen(function* () {
      const query = { assets: (yield* first).slice(0, 2).join(), page_size: 1 }
      const { token: next } = yield* Reading.page(assets, query)
      if (next === undefined) return yield* unclear("a page with more to come names no next one")
      const { token: last } = yield* Reading.page(assets, { ...query, next_page_token: next })
      if (last === undefined) return "no"
      const { items } = yield* Reading.page(assets, { ...query, next_page_token: last })
      return items.length === 0 ? "yes" : yield* unclear("the last page is followed by records")
    })
  }),
  assumed({
    name: "pageSize",
    asks: "Is the largest page 10,000 records, and a larger page_size refused?",
    section: "12.5",
    words: ["10000", "more"],
    contradictions: { less: "Reads of long series fail with InvalidRequest until page_size is set." },
    ask: Effect.gen(function* () {
      const query = { assets: (yield* first).slice(0, 1).join() }
      const largest = yield* Reading.reply(assets, { ...query, page_size: 10_000 })
      if (largest.status === 400) return "less"
      yield* Reading.granted(largest)
      const { status } = yield* Reading.reply(assets, { ...query, page_size: 10_001 })
      return status === 400 ? "10000" : "more"
    })
  }),
  assumed({
    name: "nameOrder",
    asks: "Is a list in the order of the code points of its names?",
    section: "12.1",
    words: ["code-point"],
    contradictions: { other: "Reads of lists in several parts warn of disorder." },
    ask: Effect.map(Reading.records("/reference-data/markets", { type: "option", page_size: 1_000 }), (items) =>
      ascends(textsOf(items, "market")) ? "code-point" : "other"
    )
  }),
  open("catalogPage", {
    ask: Effect.gen(function* () {
      const { items, token } = yield* Reading.page("/catalog-v2/market-trades")
      if (items.length > 100) return "10000"
      if (items.length === 100 && token !== undefined) return "100"
      return yield* unclear(`the catalog has ${items.length} records on one page`)
    })
  }),
  assumed({
    name: "catalogForm",
    asks: "Has a v2 catalog metrics with frequencies, each with the times of its first and last record?",
    section: "3.11",
    words: ["published"],
    contradictions: { other: "Discover finds nothing, and splits by time know no bounds." },
    ask: Effect.gen(function* () {
      const metrics = itemsOf(
        (yield* Subjects.catalog("asset-metrics", { assets: "btc,eth", page_size: 2 }))[0]?.["metrics"]
      )
      const ranges = metrics.flatMap((metric) =>
        textOf(metric, "metric") === "" ? [] : itemsOf(metric["frequencies"])
      )
      const isWhole = ranges.every((range) =>
        ["frequency", "min_time", "max_time"].every((key) => textOf(range, key) !== "")
      )
      return ranges.length > 0 && isWhole ? "published" : "other"
    })
  }),
  open("protocolWarnings", {
    ask: Effect.gen(function* () {
      const { envelope } = yield* Reading.page("/reference-data/protocols", { page_size: 1 })
      if (Array.isArray(envelope["warnings"])) return "plural"
      if (envelope["warning"] === undefined) return yield* unclear("the reply has no warning")
      return Array.isArray(envelope["warning"]) ? "array" : "object"
    })
  }),
  assumed({
    name: "community",
    asks: "Does the community root answer without a key?",
    section: "1.1",
    words: ["yes"],
    contradictions: { no: "--root community and Root.community do not work." },
    ask: Effect.gen(function* () {
      const community = yield* Service.use(({ community }) => community)
      return (yield* Reading.reply(assets, { page_size: 1 }, community)).status === 200 ? "yes" : "no"
    })
  }),
  open("disabledParameters", {
    ask: Effect.gen(function* () {
      const community = yield* Service.use(({ community }) => community)
      const blocks = "/blockchain-v2/btc/blocks"
      yield* Effect.flatMap(Reading.reply(blocks, {}, community), Reading.granted)
      return yield* Reading.refusedOr(["reject", "ignore"], blocks, { page_size: 1 }, community)
    })
  })
]
