/** The time series of markets (docs/interface.md 4.6.4 and 3.13). */
import * as Effect from "effect/Effect"
import * as Availability from "../../data/Availability.ts"
import * as BookRows from "../../data/market/BookRows.ts"
import * as BookUpdates from "../../data/market/BookUpdates.ts"
import * as Candles from "../../data/market/Candles.ts"
import * as Contracts from "../../data/market/Contracts.ts"
import * as QuoteRows from "../../data/market/QuoteRows.ts"
import * as Trades from "../../data/market/Trades.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Family from "./Family.ts"
import * as Listings from "../../data/Listings.ts"
import * as Markets from "../../data/Markets.ts"
import type { Entities } from "./Entities.ts"

export const markets: Entities<Markets.Market> = {
  name: ({ market }) => market,
  all: Markets.all,
  find: Markets.find,
  refuse: (name) => Refusal.badParameter("markets", `Market '${name}' is not supported.`),
  at: Listings.markets
}

const series = (name: string, own: Omit<Family.Series<Markets.Market>, "path" | "entities">): Source =>
  Family.endpoint({ path: `/timeseries/market-${name}`, entities: markets, ...own })

const trades = series("trades", {
  rows: Effect.fnUntraced(function* (query) {
    const confirmations = Query.integer(query, "min_confirmations")
    return (market) => Trades.rows(market, confirmations ?? 2)
  })
})

const candles = series("candles", {
  // A price would be beyond the highest or the lowest of its candle.
  corrected: ["volume", "candle_usd_volume"],
  rows: (query, { dialect }) =>
    Effect.map(Family.candles(query), (grid) => (market: Markets.Market) => Candles.rows(market, grid, dialect))
})

const liquidations = series("liquidations", { rows: () => Effect.succeed(Trades.liquidations) })

const predicted = series("funding-rates-predicted", { rows: () => Effect.succeed(Contracts.predicted) })

const contracts = (kind: Availability.Kind): Source =>
  series(kind.replaceAll("_", "-"), {
    // Open interest alone has it.
    corrected: ["value_usd"],
    rows: (query) => {
      const grid = Family.granularity(query)
      return Effect.succeed((market: Markets.Market) => Contracts.rows(market, kind, grid))
    }
  })

const quotes = series("quotes", {
  rows: Effect.fnUntraced(function* (query, { dialect: { emptySide } }) {
    const grid = Family.granularity(query)
    const isAsked = Query.flag(query, "include_one_sided")
    return (market) => QuoteRows.stored(market, grid, { isAsked, emptySide })
  })
})

const depths = ["10pct_mid_price", "full_book"] as const

const depthOf = Effect.fnUntraced(function* (query: Query.Query) {
  const text = query.get("depth_limit") ?? "100"
  const levels = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (levels > 30_000) return yield* Refusal.badParameter("depth_limit", "Must be at most 30000.")
  if (levels > 0) return levels
  return depths.find((word) => word === text) ?? (yield* Refusal.unsupported("depth_limit", text))
})

/** What `dataset=updates` has to stand beside; what may be absent has the right default. */
const besideUpdates = {
  depth_limit: ["full_book", "30000"],
  granularity: ["raw", undefined],
  format: ["json_stream"],
  paging_from: ["start", undefined]
} as const satisfies Readonly<Record<string, ReadonlyArray<string | undefined>>>

const refuseBesideUpdates = (query: Query.Query): Effect.Effect<void, Refusal.Refusal> => {
  const wrong = Object.entries(besideUpdates).find(([name, words]) => !words.some((word) => word === query.get(name)))
  return wrong === undefined
    ? Effect.void
    : Effect.fail(Refusal.badParameter(wrong[0], `With dataset=updates it must be ${wrong[1][0]}.`))
}

const orderbooks = series("orderbooks", {
  pageSize: (query) => {
    const depth = query.get("depth_limit") ?? "100"
    const isUnlimited = depth === "30000" || depths.some((word) => word === depth)
    return { maximum: isUnlimited ? 100 : 10_000, otherwise: 100 }
  },
  rows: Effect.fnUntraced(function* (query, { dialect }) {
    const depth = yield* depthOf(query)
    const grid = Family.granularity(query)
    const dataset = query.get("dataset")
    const isOpened = Query.flag(query, "start_with_snapshot")
    if (dataset === "snapshots") return (market) => BookRows.books(market, depth, grid)
    if (dialect.bookUpdates === "enforced") yield* refuseBesideUpdates(query)
    const way = { depth, ...dialect }
    return (market) =>
      BookUpdates.rows(market, way, "orderbook_updates", isOpened) ??
      (dialect.bookUpdates === "lenient" ? BookUpdates.rows(market, way, "full_orderbooks", isOpened) : undefined)
  })
})

const own = [candles, liquidations, orderbooks, predicted, quotes, trades]

/** Kinds of data that are parts of a series of another name. */
const partly: ReadonlyArray<Availability.Kind> = ["full_orderbooks", "orderbook_updates"]

/** Every time series of markets. What has no rows of its own is drawn. */
export const all: ReadonlyArray<Source> = [
  ...own,
  ...Availability.kinds
    .filter((kind) => !partly.includes(kind))
    .map(contracts)
    .filter(({ path }) => own.every((one) => one.path !== path))
]
