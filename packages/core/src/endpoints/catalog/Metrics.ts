import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { frequency, many, texts } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { Metric } from "../referenceData/Metrics.ts"
import { catalog } from "./Definition.ts"

/** The assets a metric exists for, at one frequency. Source: docs/interface.md 3.6. */
export const AssetFrequency = Schema.Struct({
  frequency,
  /** Assets that have the metric at this frequency. */
  assets: texts
})
export interface AssetFrequency extends Schema.Schema.Type<typeof AssetFrequency> {}

/** One metric of assets, and what it exists for. Source: docs/interface.md 3.6. */
export const AssetMetric = Schema.Struct({
  ...Metric.fields,
  /** Frequencies of the metric, each with the assets that have it. */
  frequencies: many<AssetFrequency>(AssetFrequency)
})
export interface AssetMetric extends Schema.Schema.Type<typeof AssetMetric> {}

/** The exchanges a metric exists for, at one frequency. Source: docs/interface.md 3.6. */
export const ExchangeFrequency = Schema.Struct({
  frequency,
  /** Exchanges that have the metric at this frequency. */
  exchanges: texts
})
export interface ExchangeFrequency extends Schema.Schema.Type<typeof ExchangeFrequency> {}

/** One metric of exchanges, and what it exists for. Source: docs/interface.md 3.6. */
export const ExchangeMetric = Schema.Struct({
  ...Metric.fields,
  /** Frequencies of the metric, each with the exchanges that have it. */
  frequencies: many<ExchangeFrequency>(ExchangeFrequency)
})
export interface ExchangeMetric extends Schema.Schema.Type<typeof ExchangeMetric> {}

/** The assets at exchanges a metric exists for, at one frequency. Source: docs/interface.md 3.6. */
export const ExchangeAssetFrequency = Schema.Struct({
  frequency,
  /** Each `<exchange>-<asset>`. */
  exchange_assets: texts
})
export interface ExchangeAssetFrequency extends Schema.Schema.Type<typeof ExchangeAssetFrequency> {}

/** One metric of an asset at an exchange, and what it exists for. Source: docs/interface.md 3.6. */
export const ExchangeAssetMetric = Schema.Struct({
  ...Metric.fields,
  /** Frequencies of the metric, each with the assets on exchanges that have it. */
  frequencies: many<ExchangeAssetFrequency>(ExchangeAssetFrequency)
})
export interface ExchangeAssetMetric extends Schema.Schema.Type<typeof ExchangeAssetMetric> {}

/** The pairs a metric exists for, at one frequency. Source: docs/interface.md 3.6. */
export const PairFrequency = Schema.Struct({
  frequency,
  /** Pairs that have the metric at this frequency. */
  pairs: texts
})
export interface PairFrequency extends Schema.Schema.Type<typeof PairFrequency> {}

/** One metric of pairs, and what it exists for. Source: docs/interface.md 3.6. */
export const PairMetric = Schema.Struct({
  ...Metric.fields,
  /** Frequencies of the metric, each with the pairs that have it. */
  frequencies: many<PairFrequency>(PairFrequency)
})
export interface PairMetric extends Schema.Schema.Type<typeof PairMetric> {}

/** The institutions a metric exists for, at one frequency. Source: docs/interface.md 3.6. */
export const InstitutionFrequency = Schema.Struct({
  frequency,
  /** Institutions that have the metric at this frequency. */
  institutions: texts
})
export interface InstitutionFrequency extends Schema.Schema.Type<typeof InstitutionFrequency> {}

/** One metric of institutions, and what it exists for. Source: docs/interface.md 3.6. */
export const InstitutionMetric = Schema.Struct({
  ...Metric.fields,
  /** Frequencies of the metric, each with the institutions that have it. */
  frequencies: many<InstitutionFrequency>(InstitutionFrequency)
})
export interface InstitutionMetric extends Schema.Schema.Type<typeof InstitutionMetric> {}

/** Parameters of the endpoints below, one shape for all kinds of metrics. */
export const MetricsParams = Schema.Struct({
  /** Metric names; all metrics when absent. */
  metrics: Params.entities(Params.list),
  /** Keeps the metrics people review, or those they do not. */
  reviewable: Params.boolean,
  ...Params.pretty
})
export interface MetricsParams extends Schema.Schema.Type<typeof MetricsParams> {}

/**
 * Lists metrics of assets, with the frequencies and assets each exists for, as far as the key may read.
 *
 * **Details**
 *
 * Its records have no `product`. The service itself names `/catalog/asset-metrics` in its place, which is deprecated
 * as well.
 *
 * Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/asset-metrics`, `/catalog-v2/exchange-metrics`,
 * `/catalog-v2/exchange-asset-metrics`, `/catalog-v2/pair-metrics`, `/catalog-v2/institution-metrics`,
 * `/catalog-v2/market-metrics` for what is available, `/reference-data/asset-metrics`,
 * `/reference-data/exchange-metrics`, `/reference-data/exchange-asset-metrics`, `/reference-data/pair-metrics`,
 * `/reference-data/institution-metrics`, `/reference-data/market-metrics` for what it is.
 */
export const metrics: Endpoint.Endpoint<MetricsParams, AssetMetric> = Endpoint.make("/catalog/metrics", {
  ...catalog,
  params: MetricsParams,
  record: AssetMetric,
  deprecated: {
    replacement: [
      "/catalog-v2/asset-metrics",
      "/catalog-v2/exchange-metrics",
      "/catalog-v2/exchange-asset-metrics",
      "/catalog-v2/pair-metrics",
      "/catalog-v2/institution-metrics",
      "/catalog-v2/market-metrics",
      "/reference-data/asset-metrics",
      "/reference-data/exchange-metrics",
      "/reference-data/exchange-asset-metrics",
      "/reference-data/pair-metrics",
      "/reference-data/institution-metrics",
      "/reference-data/market-metrics"
    ]
  }
})

/**
 * Lists metrics of assets, with the frequencies and assets each exists for, as far as the key may read. Source:
 * docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/asset-metrics` for what is available,
 * `/reference-data/asset-metrics` for what it is.
 */
export const assetMetrics: Endpoint.Endpoint<MetricsParams, AssetMetric> = Endpoint.make("/catalog/asset-metrics", {
  ...catalog,
  params: MetricsParams,
  record: AssetMetric,
  deprecated: { replacement: ["/catalog-v2/asset-metrics", "/reference-data/asset-metrics"] }
})

/**
 * Lists metrics of exchanges, with the frequencies and exchanges each exists for, as far as the key may read. Source:
 * docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/exchange-metrics` for what is available,
 * `/reference-data/exchange-metrics` for what it is.
 */
export const exchangeMetrics: Endpoint.Endpoint<MetricsParams, ExchangeMetric> = Endpoint.make(
  "/catalog/exchange-metrics",
  {
    ...catalog,
    params: MetricsParams,
    record: ExchangeMetric,
    deprecated: { replacement: ["/catalog-v2/exchange-metrics", "/reference-data/exchange-metrics"] }
  }
)

/**
 * Lists metrics of an asset at an exchange, with the frequencies and exchange-assets each exists for, as far as the key
 * may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/exchange-asset-metrics` for what is available,
 * `/reference-data/exchange-asset-metrics` for what it is.
 */
export const exchangeAssetMetrics: Endpoint.Endpoint<MetricsParams, ExchangeAssetMetric> = Endpoint.make(
  "/catalog/exchange-asset-metrics",
  {
    ...catalog,
    params: MetricsParams,
    record: ExchangeAssetMetric,
    deprecated: { replacement: ["/catalog-v2/exchange-asset-metrics", "/reference-data/exchange-asset-metrics"] }
  }
)

/**
 * Lists metrics of pairs, with the frequencies and pairs each exists for, as far as the key may read. Source:
 * docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/pair-metrics` for what is available,
 * `/reference-data/pair-metrics` for what it is.
 */
export const pairMetrics: Endpoint.Endpoint<MetricsParams, PairMetric> = Endpoint.make("/catalog/pair-metrics", {
  ...catalog,
  params: MetricsParams,
  record: PairMetric,
  deprecated: { replacement: ["/catalog-v2/pair-metrics", "/reference-data/pair-metrics"] }
})

/**
 * Lists metrics of institutions, with the frequencies and institutions each exists for, as far as the key may read.
 * Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/institution-metrics` for what is available,
 * `/reference-data/institution-metrics` for what it is.
 */
export const institutionMetrics: Endpoint.Endpoint<MetricsParams, InstitutionMetric> = Endpoint.make(
  "/catalog/institution-metrics",
  {
    ...catalog,
    params: MetricsParams,
    record: InstitutionMetric,
    deprecated: { replacement: ["/catalog-v2/institution-metrics", "/reference-data/institution-metrics"] }
  }
)
