import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { flag, id, many, text, texts } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { catalog } from "./Definition.ts"
import { AssetMetricRange, TimeRange } from "./Ranges.ts"

/** One asset and its data. Source: docs/interface.md 4.5. */
export const Asset = Schema.Struct({
  /** Asset ticker, in lower case, such as `btc`. */
  asset: id,
  /** Name for people. */
  full_name: text,
  /** True while collection is under development; temporary discrepancies are possible. */
  experimental: flag,
  /** Metrics of the asset, with the frequencies and times at which there is data. */
  metrics: many<AssetMetricRange>(AssetMetricRange),
  /** Names of the exchanges that trade it. */
  exchanges: texts,
  /** Names of its markets. */
  markets: texts,
  /** Whether the search for blocks, transactions and accounts covers it. */
  atlas: flag
})
export interface Asset extends Schema.Schema.Type<typeof Asset> {}

const parts = ["metrics", "markets", "exchanges"] as const

/** Parameters of {@link assets}. */
export const AssetsParams = Schema.Struct({
  /** Asset tickers, `<namespace>:<symbol>` or `<namespace>:by-id:<id>`; all assets when absent. */
  assets: Params.entities(Params.identifiers),
  /** The lists each record has: `metrics`, `markets`, `exchanges`. */
  include: Params.included(Params.words(parts)),
  /** The lists left out of each record: `metrics`, `markets`, `exchanges`. */
  exclude: Params.excluded(Params.words(parts)),
  ...Params.pretty
})
export interface AssetsParams extends Schema.Schema.Type<typeof AssetsParams> {}

/**
 * Lists assets and the metrics, exchanges and markets of each, as far as the key may read.
 *
 * **Details**
 *
 * `include` and `exclude` choose among the three lists; all are included by default.
 *
 * Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/asset-metrics` for what is available,
 * `/reference-data/assets`, `/reference-data/markets` for what it is.
 */
export const assets: Endpoint.Endpoint<AssetsParams, Asset> = Endpoint.make("/catalog/assets", {
  ...catalog,
  params: AssetsParams,
  record: Asset,
  deprecated: { replacement: ["/catalog-v2/asset-metrics", "/reference-data/assets", "/reference-data/markets"] }
})

/** What sets an alert off. Source: docs/interface.md 4.5. */
export const AlertCondition = Schema.Struct({
  /** What the condition is. */
  description: text,
  /** A number as text. */
  threshold: text,
  /** Names of the metrics it looks at. */
  constituents: texts
})
export interface AlertCondition extends Schema.Schema.Type<typeof AlertCondition> {}

/** One alert of an asset. Source: docs/interface.md 4.5. */
export const AssetAlert = Schema.Struct({
  /** Asset ticker, in lower case. */
  asset: id,
  /** Name of the alert. */
  name: id,
  /** The conditions under which the alert is raised. */
  conditions: many<AlertCondition>(AlertCondition)
})
export interface AssetAlert extends Schema.Schema.Type<typeof AssetAlert> {}

/** Parameters of {@link assetAlerts}. */
export const AssetAlertsParams = Schema.Struct({
  /** Asset tickers, `<namespace>:<symbol>` or `<namespace>:by-id:<id>`; all assets when absent. */
  assets: Params.entities(Params.identifiers),
  /** Names of alerts; all when absent. The service answers to an unknown one with 404. */
  alerts: Params.entities(Params.list),
  ...Params.pretty
})
export interface AssetAlertsParams extends Schema.Schema.Type<typeof AssetAlertsParams> {}

/**
 * Lists alerts of assets with the conditions that set them off, as far as the key may read. Not offered at the
 * community root.
 *
 * **Details**
 *
 * The replacement is named in the service's own table and described nowhere (docs/interface.md 9.3).
 *
 * Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/reference-data/asset-alerts`.
 */
export const assetAlerts: Endpoint.Endpoint<AssetAlertsParams, AssetAlert> = Endpoint.make("/catalog/asset-alerts", {
  ...catalog,
  community: false,
  params: AssetAlertsParams,
  record: AssetAlert,
  deprecated: { replacement: ["/reference-data/asset-alerts"] }
})

/** One asset and the times covered by one kind of data. Source: docs/interface.md 4.5. */
export const AssetSeries = Schema.Struct({
  /** Asset ticker, in lower case. */
  asset: id,
  ...TimeRange.fields
})
export interface AssetSeries extends Schema.Schema.Type<typeof AssetSeries> {}

/** Parameters of the endpoints below. */
export const AssetSeriesParams = Schema.Struct({
  /** Asset tickers, `<namespace>:<symbol>` or `<namespace>:by-id:<id>`; all assets when absent. */
  assets: Params.entities(Params.identifiers),
  ...Params.pretty
})
export interface AssetSeriesParams extends Schema.Schema.Type<typeof AssetSeriesParams> {}

/**
 * Lists assets whose chains are monitored, with the times covered, as far as the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/asset-chains`.
 */
export const assetChains: Endpoint.Endpoint<AssetSeriesParams, AssetSeries> = Endpoint.make("/catalog/asset-chains", {
  ...catalog,
  community: false,
  params: AssetSeriesParams,
  record: AssetSeries,
  deprecated: { replacement: ["/catalog-v2/asset-chains"] }
})

/**
 * Lists assets with fee rates of the mempool, and the times covered, as far as the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/mempool-feerates`.
 */
export const mempoolFeerates: Endpoint.Endpoint<AssetSeriesParams, AssetSeries> = Endpoint.make(
  "/catalog/mempool-feerates",
  {
    ...catalog,
    community: false,
    params: AssetSeriesParams,
    record: AssetSeries,
    deprecated: { replacement: ["/catalog-v2/mempool-feerates"] }
  }
)

/**
 * Lists assets with summaries of mining pool tips, and the times covered, as far as the key may read. Not offered at
 * the community root. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/mining-pool-tips-summary`.
 */
export const miningPoolTipsSummary: Endpoint.Endpoint<AssetSeriesParams, AssetSeries> = Endpoint.make(
  "/catalog/mining-pool-tips-summary",
  {
    ...catalog,
    community: false,
    params: AssetSeriesParams,
    record: AssetSeries,
    deprecated: { replacement: ["/catalog-v2/mining-pool-tips-summary"] }
  }
)

/**
 * Lists assets whose transactions are tracked, with the times covered, as far as the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/transaction-tracker`.
 */
export const transactionTracker: Endpoint.Endpoint<AssetSeriesParams, AssetSeries> = Endpoint.make(
  "/catalog/transaction-tracker",
  {
    ...catalog,
    community: false,
    params: AssetSeriesParams,
    record: AssetSeries,
    deprecated: { replacement: ["/catalog-v2/transaction-tracker"] }
  }
)
