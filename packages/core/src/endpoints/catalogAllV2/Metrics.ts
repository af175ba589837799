import type { Endpoint } from "../../Endpoint.ts"
import { catalog, paid } from "../catalogV2/Definition.ts"
import {
  AssetMetrics,
  AssetMetricsParams,
  ExchangeAssetMetrics,
  ExchangeAssetMetricsParams,
  ExchangeMetrics,
  ExchangeMetricsParams,
  ExchangePairMetrics,
  ExchangePairMetricsParams,
  InstitutionMetrics,
  InstitutionMetricsParams,
  MarketMetrics,
  MarketMetricsParams,
  PairMetrics,
  PairMetricsParams,
  ProtocolMetrics,
  ProtocolMetricsParams
} from "../catalogV2/Metrics.ts"

const asset = catalog(AssetMetricsParams, AssetMetrics)
const exchange = catalog(ExchangeMetricsParams, ExchangeMetrics)
const exchangeAsset = catalog(ExchangeAssetMetricsParams, ExchangeAssetMetrics)
const exchangePair = catalog(ExchangePairMetricsParams, ExchangePairMetrics)
const pair = catalog(PairMetricsParams, PairMetrics)
const institution = catalog(InstitutionMetricsParams, InstitutionMetrics)
const market = catalog(MarketMetricsParams, MarketMetrics)
const protocol = catalog(ProtocolMetricsParams, ProtocolMetrics, paid)

/** Lists assets and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const assetMetrics: Endpoint<AssetMetricsParams, AssetMetrics> = asset("/catalog-all-v2/asset-metrics")

/** Lists exchanges and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const exchangeMetrics: Endpoint<ExchangeMetricsParams, ExchangeMetrics> = exchange(
  "/catalog-all-v2/exchange-metrics"
)

/** Lists assets at exchanges and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const exchangeAssetMetrics: Endpoint<ExchangeAssetMetricsParams, ExchangeAssetMetrics> = exchangeAsset(
  "/catalog-all-v2/exchange-asset-metrics"
)

/** Lists pairs at exchanges and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const exchangePairMetrics: Endpoint<ExchangePairMetricsParams, ExchangePairMetrics> = exchangePair(
  "/catalog-all-v2/exchange-pair-metrics"
)

/** Lists pairs of assets and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const pairMetrics: Endpoint<PairMetricsParams, PairMetrics> = pair("/catalog-all-v2/pair-metrics")

/** Lists institutions and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const institutionMetrics: Endpoint<InstitutionMetricsParams, InstitutionMetrics> = institution(
  "/catalog-all-v2/institution-metrics"
)

/** Lists markets and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketMetrics: Endpoint<MarketMetricsParams, MarketMetrics> = market("/catalog-all-v2/market-metrics")

/**
 * Lists markets of lending protocols on each chain and the metrics of each, whatever the key may read. Not offered at
 * the community root. Source: docs/interface.md 4.9.
 */
export const protocolMetrics: Endpoint<ProtocolMetricsParams, ProtocolMetrics> = protocol(
  "/catalog-all-v2/protocol-metrics"
)
