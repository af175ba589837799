import * as Schema from "effect/Schema"
import type { Endpoint } from "../../Endpoint.ts"
import { id, many } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { AssetMetricRange, MetricRange } from "../catalog/Ranges.ts"
import { catalog, paid } from "./Definition.ts"
import { marketFilters } from "./Filters.ts"

const metrics = {
  /** Metric names; all metrics when absent. A record has no other metrics than these. */
  metrics: Params.list
}

const rest = { ...metrics, ...Params.paging, ...Params.format }

/** One asset and the metrics there are for it. Source: docs/interface.md 3.11. */
export const AssetMetrics = Schema.Struct({
  /** Asset ticker, in lower case, such as `btc`. */
  asset: id,
  /** Metrics of the asset, with the frequencies and times at which there is data. */
  metrics: many<AssetMetricRange>(AssetMetricRange)
})
export interface AssetMetrics extends Schema.Schema.Type<typeof AssetMetrics> {}

/** Parameters of {@link assetMetrics}. */
export const AssetMetricsParams = Schema.Struct({
  /** Asset tickers, `<namespace>:<symbol>` or `<namespace>:by-id:<id>`; all assets when absent. */
  assets: Params.entities(Params.identifiers),
  /** Keeps the metrics people review, or those they do not. */
  reviewable: Params.boolean,
  ...rest
})
export interface AssetMetricsParams extends Schema.Schema.Type<typeof AssetMetricsParams> {}

/** One exchange and the metrics there are for it. Source: docs/interface.md 3.11. */
export const ExchangeMetrics = Schema.Struct({
  /** Exchange name, in lower case, such as `coinbase`. */
  exchange: id,
  /** Metrics of the exchange, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface ExchangeMetrics extends Schema.Schema.Type<typeof ExchangeMetrics> {}

/** Parameters of {@link exchangeMetrics}. */
export const ExchangeMetricsParams = Schema.Struct({
  /** Exchange names, `<namespace>:<name>` or `<namespace>:by-id:<id>`; all exchanges when absent. */
  exchanges: Params.entities(Params.identifiers),
  ...rest
})
export interface ExchangeMetricsParams extends Schema.Schema.Type<typeof ExchangeMetricsParams> {}

/** One asset at one exchange and the metrics there are for it. Source: docs/interface.md 3.11. */
export const ExchangeAssetMetrics = Schema.Struct({
  /** `<exchange>-<asset>`, such as `coinbase-btc`. */
  exchange_asset: id,
  /** Metrics of the asset on the exchange, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface ExchangeAssetMetrics extends Schema.Schema.Type<typeof ExchangeAssetMetrics> {}

/** Parameters of {@link exchangeAssetMetrics}. */
export const ExchangeAssetMetricsParams = Schema.Struct({
  /** Each `<exchange>-<asset>`; all when absent. */
  exchange_assets: Params.entities(Params.list),
  ...rest
})
export interface ExchangeAssetMetricsParams extends Schema.Schema.Type<typeof ExchangeAssetMetricsParams> {}

/** One pair at one exchange and the metrics there are for it. Source: docs/interface.md 3.11. */
export const ExchangePairMetrics = Schema.Struct({
  /** `<exchange>-<base>-<quote>`, such as `coinbase-btc-usd`. */
  exchange_pair: id,
  /** Metrics of the pair on the exchange, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface ExchangePairMetrics extends Schema.Schema.Type<typeof ExchangePairMetrics> {}

/** Parameters of {@link exchangePairMetrics}. */
export const ExchangePairMetricsParams = Schema.Struct({
  /** Each `<exchange>-<base>-<quote>`; all when absent. */
  exchange_pairs: Params.entities(Params.list),
  ...rest
})
export interface ExchangePairMetricsParams extends Schema.Schema.Type<typeof ExchangePairMetricsParams> {}

/** One pair of assets and the metrics there are for it. Source: docs/interface.md 3.11. */
export const PairMetrics = Schema.Struct({
  /** `<base>-<quote>`, such as `btc-usd`. */
  pair: id,
  /** Metrics of the pair, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface PairMetrics extends Schema.Schema.Type<typeof PairMetrics> {}

/** Parameters of {@link pairMetrics}. */
export const PairMetricsParams = Schema.Struct({
  /** Pairs as `<base>-<quote>`; all pairs when absent. */
  pairs: Params.entities(Params.list),
  ...rest
})
export interface PairMetricsParams extends Schema.Schema.Type<typeof PairMetricsParams> {}

/** One institution and the metrics there are for it. Source: docs/interface.md 3.11. */
export const InstitutionMetrics = Schema.Struct({
  /** Institution name, such as `grayscale`. */
  institution: id,
  /** Metrics of the institution, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface InstitutionMetrics extends Schema.Schema.Type<typeof InstitutionMetrics> {}

/** Parameters of {@link institutionMetrics}. */
export const InstitutionMetricsParams = Schema.Struct({
  /** Institution names; all institutions when absent. */
  institutions: Params.entities(Params.list),
  ...rest
})
export interface InstitutionMetricsParams extends Schema.Schema.Type<typeof InstitutionMetricsParams> {}

/** One market and the metrics there are for it. Source: docs/interface.md 3.11. */
export const MarketMetrics = Schema.Struct({
  /** Unique name, such as `coinbase-btc-usd-spot`. */
  market: id,
  /** Metrics of the market, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface MarketMetrics extends Schema.Schema.Type<typeof MarketMetrics> {}

/** Parameters of {@link marketMetrics}. */
export const MarketMetricsParams = Schema.Struct({ ...marketFilters, ...rest })
export interface MarketMetricsParams extends Schema.Schema.Type<typeof MarketMetricsParams> {}

/** One market of a lending protocol on one chain, and the metrics there are for it. Source: docs/interface.md 3.11. */
export const ProtocolMetrics = Schema.Struct({
  /** Protocol name, such as `aave_v3`. */
  protocol: id,
  /** Name of the protocol's market. */
  market: id,
  /** The chain the market lives on. */
  chain: id,
  /** Metrics of the market of the protocol, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface ProtocolMetrics extends Schema.Schema.Type<typeof ProtocolMetrics> {}

/** Parameters of {@link protocolMetrics}. */
export const ProtocolMetricsParams = Schema.Struct({
  /** Protocol names; all protocols when absent. */
  protocols: Params.entities(Params.list),
  /** Chains; all chains when absent. */
  chains: Params.entities(Params.list),
  /** Market names; all markets when absent. */
  markets: Params.entities(Params.list),
  ...rest
})
export interface ProtocolMetricsParams extends Schema.Schema.Type<typeof ProtocolMetricsParams> {}

const asset = catalog(AssetMetricsParams, AssetMetrics)
const exchange = catalog(ExchangeMetricsParams, ExchangeMetrics)
const exchangeAsset = catalog(ExchangeAssetMetricsParams, ExchangeAssetMetrics)
const exchangePair = catalog(ExchangePairMetricsParams, ExchangePairMetrics)
const pair = catalog(PairMetricsParams, PairMetrics)
const institution = catalog(InstitutionMetricsParams, InstitutionMetrics)
const market = catalog(MarketMetricsParams, MarketMetrics)
const protocol = catalog(ProtocolMetricsParams, ProtocolMetrics, paid)

/** Lists assets and the metrics of each, as far as the key may read. Source: docs/interface.md 4.9. */
export const assetMetrics: Endpoint<AssetMetricsParams, AssetMetrics> = asset("/catalog-v2/asset-metrics")

/** Lists exchanges and the metrics of each, as far as the key may read. Source: docs/interface.md 4.9. */
export const exchangeMetrics: Endpoint<ExchangeMetricsParams, ExchangeMetrics> =
  exchange("/catalog-v2/exchange-metrics")

/** Lists assets at exchanges and the metrics of each, as far as the key may read. Source: docs/interface.md 4.9. */
export const exchangeAssetMetrics: Endpoint<ExchangeAssetMetricsParams, ExchangeAssetMetrics> = exchangeAsset(
  "/catalog-v2/exchange-asset-metrics"
)

/** Lists pairs at exchanges and the metrics of each, as far as the key may read. Source: docs/interface.md 4.9. */
export const exchangePairMetrics: Endpoint<ExchangePairMetricsParams, ExchangePairMetrics> = exchangePair(
  "/catalog-v2/exchange-pair-metrics"
)

/** Lists pairs of assets and the metrics of each, as far as the key may read. Source: docs/interface.md 4.9. */
export const pairMetrics: Endpoint<PairMetricsParams, PairMetrics> = pair("/catalog-v2/pair-metrics")

/** Lists institutions and the metrics of each, as far as the key may read. Source: docs/interface.md 4.9. */
export const institutionMetrics: Endpoint<InstitutionMetricsParams, InstitutionMetrics> = institution(
  "/catalog-v2/institution-metrics"
)

/** Lists markets and the metrics of each, as far as the key may read. Source: docs/interface.md 4.9. */
export const marketMetrics: Endpoint<MarketMetricsParams, MarketMetrics> = market("/catalog-v2/market-metrics")

/**
 * Lists markets of lending protocols on each chain and the metrics of each, as far as the key may read. Not offered at
 * the community root. Source: docs/interface.md 4.9.
 */
export const protocolMetrics: Endpoint<ProtocolMetricsParams, ProtocolMetrics> =
  protocol("/catalog-v2/protocol-metrics")
