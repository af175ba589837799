import type { Endpoint } from "../../Endpoint.ts"
import * as CatalogV2 from "../CatalogV2.ts"
import { full } from "../catalog/Full.ts"

/** Lists assets and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const assetMetrics: Endpoint<CatalogV2.AssetMetricsParams, CatalogV2.AssetMetrics> = full(CatalogV2.assetMetrics)

/** Lists exchanges and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const exchangeMetrics: Endpoint<CatalogV2.ExchangeMetricsParams, CatalogV2.ExchangeMetrics> = full(
  CatalogV2.exchangeMetrics
)

/** Lists assets at exchanges and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const exchangeAssetMetrics: Endpoint<CatalogV2.ExchangeAssetMetricsParams, CatalogV2.ExchangeAssetMetrics> =
  full(CatalogV2.exchangeAssetMetrics)

/** Lists pairs at exchanges and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const exchangePairMetrics: Endpoint<CatalogV2.ExchangePairMetricsParams, CatalogV2.ExchangePairMetrics> = full(
  CatalogV2.exchangePairMetrics
)

/** Lists pairs of assets and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const pairMetrics: Endpoint<CatalogV2.PairMetricsParams, CatalogV2.PairMetrics> = full(CatalogV2.pairMetrics)

/** Lists institutions and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const institutionMetrics: Endpoint<CatalogV2.InstitutionMetricsParams, CatalogV2.InstitutionMetrics> = full(
  CatalogV2.institutionMetrics
)

/** Lists markets and the metrics of each, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketMetrics: Endpoint<CatalogV2.MarketMetricsParams, CatalogV2.MarketMetrics> = full(
  CatalogV2.marketMetrics
)

/**
 * Lists markets of lending protocols on each chain and the metrics of each, whatever the key may read. Not offered at
 * the community root. Source: docs/interface.md 4.9.
 */
export const protocolMetrics: Endpoint<CatalogV2.ProtocolMetricsParams, CatalogV2.ProtocolMetrics> = full(
  CatalogV2.protocolMetrics
)
