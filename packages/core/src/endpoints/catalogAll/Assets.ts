import type { Endpoint } from "../../Endpoint.ts"
import * as Catalog from "../Catalog.ts"
import { full } from "../catalog/Full.ts"

/**
 * Lists assets and the metrics, exchanges and markets of each, whatever the key may read.
 *
 * **Details**
 *
 * `include` and `exclude` choose among the three lists; all are included by default.
 *
 * Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/asset-metrics` for what is available,
 * `/reference-data/assets`, `/reference-data/markets` for what it is.
 */
export const assets: Endpoint<Catalog.AssetsParams, Catalog.Asset> = full(Catalog.assets)

/**
 * Lists alerts of assets with the conditions that set them off, whatever the key may read. Not offered at the community
 * root.
 *
 * **Details**
 *
 * The replacement is named in the service's own table and described nowhere (docs/interface.md 9.3).
 *
 * Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/reference-data/asset-alerts`.
 */
export const assetAlerts: Endpoint<Catalog.AssetAlertsParams, Catalog.AssetAlert> = full(Catalog.assetAlerts)

/**
 * Lists assets whose chains are monitored, with the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/asset-chains`.
 */
export const assetChains: Endpoint<Catalog.AssetSeriesParams, Catalog.AssetSeries> = full(Catalog.assetChains)

/**
 * Lists assets with fee rates of the mempool, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/mempool-feerates`.
 */
export const mempoolFeerates: Endpoint<Catalog.AssetSeriesParams, Catalog.AssetSeries> = full(Catalog.mempoolFeerates)

/**
 * Lists assets with summaries of mining pool tips, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/mining-pool-tips-summary`.
 */
export const miningPoolTipsSummary: Endpoint<Catalog.AssetSeriesParams, Catalog.AssetSeries> = full(
  Catalog.miningPoolTipsSummary
)

/**
 * Lists assets whose transactions are tracked, with the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/transaction-tracker`.
 */
export const transactionTracker: Endpoint<Catalog.AssetSeriesParams, Catalog.AssetSeries> = full(
  Catalog.transactionTracker
)

/**
 * Lists metrics of assets, with the frequencies and assets each exists for, whatever the key may read.
 *
 * **Details**
 *
 * Its records have no `product`. The service itself names `/catalog-all/asset-metrics` in its place, which is
 * deprecated as well.
 *
 * Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/asset-metrics`,
 * `/catalog-all-v2/exchange-metrics`, `/catalog-all-v2/exchange-asset-metrics`, `/catalog-all-v2/pair-metrics`,
 * `/catalog-all-v2/institution-metrics`, `/catalog-all-v2/market-metrics` for what is available,
 * `/reference-data/asset-metrics`, `/reference-data/exchange-metrics`, `/reference-data/exchange-asset-metrics`,
 * `/reference-data/pair-metrics`, `/reference-data/institution-metrics`, `/reference-data/market-metrics` for what it
 * is.
 */
export const metrics: Endpoint<Catalog.MetricsParams, Catalog.AssetMetric> = full(Catalog.metrics)

/**
 * Lists metrics of assets, with the frequencies and assets each exists for, whatever the key may read. Source:
 * docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/asset-metrics` for what is available,
 * `/reference-data/asset-metrics` for what it is.
 */
export const assetMetrics: Endpoint<Catalog.MetricsParams, Catalog.AssetMetric> = full(Catalog.assetMetrics)

/**
 * Lists metrics of exchanges, with the frequencies and exchanges each exists for, whatever the key may read. Source:
 * docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/exchange-metrics` for what is available,
 * `/reference-data/exchange-metrics` for what it is.
 */
export const exchangeMetrics: Endpoint<Catalog.MetricsParams, Catalog.ExchangeMetric> = full(Catalog.exchangeMetrics)

/**
 * Lists metrics of an asset at an exchange, with the frequencies and exchange-assets each exists for, whatever the key
 * may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/exchange-asset-metrics` for what is
 * available, `/reference-data/exchange-asset-metrics` for what it is.
 */
export const exchangeAssetMetrics: Endpoint<Catalog.MetricsParams, Catalog.ExchangeAssetMetric> = full(
  Catalog.exchangeAssetMetrics
)

/**
 * Lists metrics of pairs, with the frequencies and pairs each exists for, whatever the key may read. Source:
 * docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/pair-metrics` for what is available,
 * `/reference-data/pair-metrics` for what it is.
 */
export const pairMetrics: Endpoint<Catalog.MetricsParams, Catalog.PairMetric> = full(Catalog.pairMetrics)

/**
 * Lists metrics of institutions, with the frequencies and institutions each exists for, whatever the key may read.
 * Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/institution-metrics` for what is available,
 * `/reference-data/institution-metrics` for what it is.
 */
export const institutionMetrics: Endpoint<Catalog.MetricsParams, Catalog.InstitutionMetric> = full(
  Catalog.institutionMetrics
)
