/** The twelve reference data endpoints (docs/interface.md 4.1). */
import * as Effect from "effect/Effect"
import * as Assets from "../data/Assets.ts"
import * as Exchanges from "../data/Exchanges.ts"
import * as Indexes from "../data/Indexes.ts"
import * as Listings from "../data/Listings.ts"
import * as Metrics from "../data/Metrics.ts"
import * as OtherMetrics from "../data/OtherMetrics.ts"
import * as Pairs from "../data/Pairs.ts"
import * as Protocols from "../data/Protocols.ts"
import * as Remembered from "../data/Remembered.ts"
import * as Endpoint from "../internal/listing/Endpoint.ts"
import * as Reference from "./Reference.ts"
import * as Markets from "../data/Markets.ts"
import type { Caller } from "../internal/request/Caller.ts"
import type { Refusal } from "../internal/request/Refusal.ts"
import * as Query from "../internal/request/Query.ts"
import * as MarketFilter from "./MarketFilter.ts"

/** Lists what a query asks for, with the provider array on request. */
const provided = <A extends object>(
  name: string,
  read: (query: Query.Query, caller: Caller) => Effect.Effect<ReadonlyArray<A>, Refusal>,
  record: (item: A) => object,
  provider: (item: A) => unknown
): Endpoint.Source =>
  Endpoint.source(`/reference-data/${name}`, function* (query, caller) {
    const items = yield* read(query, caller)
    const isFull = yield* Reference.include(query)
    return Reference.listing(items, record, { provider: isFull ? provider : undefined })
  })

const assets = provided(
  "assets",
  (query, { view }) => {
    const known = Listings.assets(view)
    return Reference.only(query, "assets", known.all(), known.find)
  },
  ({ asset, fullName }) => ({ asset, full_name: fullName }),
  Assets.provider
)

const exchanges = provided(
  "exchanges",
  (query) => Reference.only(query, "exchanges", Exchanges.all, Exchanges.find, Reference.noExchange),
  ({ exchange, fullName }) => ({ exchange, full_name: fullName }),
  Exchanges.provider
)

const securities = ["publisher", "cusip", "figi", "isin"]

// In the newest edition of the interface, for the reference data alone: the catalogs of markets have neither.
const classes = ["digital", "equity", "fixed_income"] as const
const sources = ["exchange", "platform", "composite", "evaluated"] as const

const kindOf = ({ publisher, type }: Markets.Market) =>
  type === "bond"
    ? { asset_class: classes[2], source_type: publisher === "finra" ? sources[1] : sources[3] }
    : { asset_class: classes[0], source_type: sources[0] }

const markets = provided(
  "markets",
  Effect.fnUntraced(function* (query, caller) {
    const asset = yield* Query.oneOf(query, "asset_class", classes)
    const source = yield* Query.oneOf(query, "source_type", sources)
    return (yield* MarketFilter.markets(query, caller, securities)).filter((market) => {
      const { asset_class, source_type } = kindOf(market)
      return (asset ?? asset_class) === asset_class && (source ?? source_type) === source_type
    })
  }),
  (item) => ({ ...item, ...kindOf(item) }),
  Markets.provider
)

const named = <A extends object>(
  name: string,
  parameter: string,
  all: ReadonlyArray<A>,
  find: (id: string) => A | undefined
): Endpoint.Source =>
  Endpoint.source(`/reference-data/${name}`, function* (query) {
    return Reference.listing(yield* Reference.only(query, parameter, all, find))
  })

const protocols = Endpoint.source("/reference-data/protocols", function* (query) {
  const items = yield* Reference.having(query, Protocols.all, {
    protocols: ({ protocol }) => [protocol],
    chains: ({ chains }) => chains.map(({ chain }) => chain),
    markets: ({ market }) => [market]
  })
  return { ...Reference.listing(items), warnings: [Protocols.warning] }
})

const assetMetrics = Endpoint.source("/reference-data/asset-metrics", function* (query) {
  const items = yield* Reference.only(query, "metrics", Metrics.all, Metrics.find)
  const records = items.map(({ record }) => record)
  return Reference.listing(yield* Reference.reviewable(query, records))
})

const metrics = (name: string, all: ReadonlyArray<OtherMetrics.MetricRecord>): Endpoint.Source =>
  named(
    name,
    "metrics",
    all,
    Remembered.finder(all, ({ metric }) => metric)
  )

export const all: ReadonlyArray<Endpoint.Source> = [
  assets,
  exchanges,
  markets,
  named("indexes", "indexes", Indexes.all, Indexes.find),
  protocols,
  named("pairs", "pairs", Pairs.all, Pairs.find),
  assetMetrics,
  metrics("exchange-metrics", OtherMetrics.exchange),
  metrics("exchange-asset-metrics", OtherMetrics.exchangeAsset),
  metrics("exchange-pair-metrics", OtherMetrics.exchangePair),
  metrics("pair-metrics", OtherMetrics.pair),
  metrics("institution-metrics", OtherMetrics.institution),
  metrics("market-metrics", OtherMetrics.market)
]
