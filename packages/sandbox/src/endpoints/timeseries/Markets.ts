/**
 * The time series of markets (docs/interface.md 4.6.4 and 3.13).
 */
import * as Effect from "effect/Effect"
import type * as Frequency from "../../data/Frequency.ts"
import * as BookRows from "../../data/market/BookRows.ts"
import * as BookUpdates from "../../data/market/BookUpdates.ts"
import * as Candles from "../../data/market/Candles.ts"
import * as Contracts from "../../data/market/Contracts.ts"
import * as Liquidations from "../../data/market/Liquidations.ts"
import * as Options from "../../data/market/Options.ts"
import * as QuoteRows from "../../data/market/QuoteRows.ts"
import * as Trades from "../../data/market/Trades.ts"
import type { Market } from "../../data/Markets.ts"
import type * as Rows from "../../data/Rows.ts"
import type { Endpoint } from "../../internal/listing/Endpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Family from "./Family.ts"
import { series } from "./MarketSeries.ts"

const trades = series("trades", {
  parameters: ["min_confirmations"],
  rows: Effect.fnUntraced(function* (query) {
    const confirmations = yield* Query.integer(query, "min_confirmations", { minimum: 0, maximum: 99 })
    return (market) => Trades.rows(market, confirmations ?? 2)
  })
})

const candles = series("candles", {
  parameters: ["frequency"],
  isLenient: true,
  corrected: ["vwap", "volume", "candle_usd_volume"],
  rows: (query, { dialect }) =>
    Effect.map(Family.candles(query), (grid) => (market: Market) => Candles.rows(market, grid, dialect))
})

const liquidations = series("liquidations", { rows: () => Effect.succeed(Liquidations.rows) })

const fundingRates = series("funding-rates", { rows: () => Effect.succeed(Contracts.funding) })

const predicted = series("funding-rates-predicted", { rows: () => Effect.succeed(Contracts.predicted) })

type Thinned = (market: Market, grid: Frequency.Frequency | undefined) => Rows.Rows | undefined

/** Builds a series that can be thinned out. */
const thinned = (name: string, rows: Thinned, corrected: ReadonlyArray<string> = []): Endpoint =>
  series(name, {
    corrected,
    parameters: ["granularity"],
    rows: (query) => Effect.map(Family.granularity(query), (grid) => (market: Market) => rows(market, grid))
  })

const contractPrices = thinned("contract-prices", Contracts.storedPrices)

const openInterest = thinned(
  "openinterest",
  (market, grid) => Contracts.rows(market, "openinterest", grid, (ms) => Contracts.openInterest(market, ms)),
  ["value_usd"]
)

const impliedVolatility = thinned("implied-volatility", (market, grid) =>
  Contracts.rows(market, "implied_volatility", grid, (ms) => Options.volatility(market, ms))
)

const greeks = thinned("greeks", (market, grid) =>
  Contracts.rows(market, "greeks", grid, (ms) => Options.greeks(market, ms))
)

const quotes = series("quotes", {
  parameters: ["granularity", "include_one_sided"],
  rows: Effect.fnUntraced(function* (query, { dialect: { emptySide } }) {
    const grid = yield* Family.granularity(query)
    const isAsked = yield* Query.boolean(query, "include_one_sided", false)
    return (market) => QuoteRows.stored(market, grid, { isAsked, emptySide })
  })
})

const depths = ["10pct_mid_price", "full_book"] as const

const depthOf = Effect.fnUntraced(function* (query: Query.Query) {
  const word = depths.find((word) => word === query.get("depth_limit"))
  return word ?? (yield* Query.integer(query, "depth_limit", { minimum: 1, maximum: 30_000 })) ?? 100
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
  parameters: ["depth_limit", "granularity", "dataset", "start_with_snapshot"],
  pageSize: (query) => {
    const depth = query.get("depth_limit") ?? "100"
    const isUnlimited = depth === "30000" || depths.some((word) => word === depth)
    return { maximum: isUnlimited ? 100 : 10_000, otherwise: 100 }
  },
  rows: Effect.fnUntraced(function* (query, { dialect }) {
    const depth = yield* depthOf(query)
    const grid = yield* Family.granularity(query)
    const dataset = yield* Query.oneOf(query, "dataset", ["snapshots", "updates"], "snapshots")
    const isOpened = yield* Query.boolean(query, "start_with_snapshot", false)
    if (dataset === "snapshots") return (market) => BookRows.books(market, depth, grid)
    if (dialect.bookUpdates === "enforced") yield* refuseBesideUpdates(query)
    const way = { depth, ...dialect }
    return (market) =>
      BookUpdates.rows(market, way, "orderbook_updates", isOpened) ??
      (dialect.bookUpdates === "lenient" ? BookUpdates.rows(market, way, "full_orderbooks", isOpened) : undefined)
  })
})

/** Every time series of markets. */
export const all: ReadonlyArray<Endpoint> = [
  candles,
  contractPrices,
  fundingRates,
  greeks,
  impliedVolatility,
  liquidations,
  openInterest,
  orderbooks,
  predicted,
  quotes,
  trades
]
