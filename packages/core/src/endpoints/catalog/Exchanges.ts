import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { id, many, texts } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { catalog } from "./Definition.ts"
import { MetricRange, TimeRange } from "./Ranges.ts"

/** One exchange and its data. Source: docs/interface.md 4.5. */
export const Exchange = Schema.Struct({
  /** Exchange name, in lower case, such as `coinbase`. */
  exchange: id,
  /** Names of its markets. */
  markets: texts,
  /** Metrics of the exchange, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange),
  ...TimeRange.fields
})
export interface Exchange extends Schema.Schema.Type<typeof Exchange> {}

/** Parameters of {@link exchanges}. */
export const ExchangesParams = Schema.Struct({
  /** Exchange names; all exchanges when absent. */
  exchanges: Params.entities(Params.identifiers),
  ...Params.pretty
})
export interface ExchangesParams extends Schema.Schema.Type<typeof ExchangesParams> {}

/** One asset at one exchange and its data. Source: docs/interface.md 4.5. */
export const ExchangeAsset = Schema.Struct({
  /** `<exchange>-<asset>`, such as `coinbase-btc`. */
  exchange_asset: id,
  /** Metrics of the asset on the exchange, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface ExchangeAsset extends Schema.Schema.Type<typeof ExchangeAsset> {}

/** Parameters of {@link exchangeAssets}. */
export const ExchangeAssetsParams = Schema.Struct({
  /** Each `<exchange>-<asset>`; all when absent. */
  exchange_assets: Params.entities(Params.list),
  ...Params.pretty
})
export interface ExchangeAssetsParams extends Schema.Schema.Type<typeof ExchangeAssetsParams> {}

/** One institution and its data. Source: docs/interface.md 4.5. */
export const Institution = Schema.Struct({
  /** Institution name, such as `grayscale`. */
  institution: id,
  /** Metrics of the institution, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface Institution extends Schema.Schema.Type<typeof Institution> {}

/** Parameters of {@link institutions}. */
export const InstitutionsParams = Schema.Struct({
  /** Institution names; all institutions when absent. */
  institutions: Params.entities(Params.list),
  ...Params.pretty
})
export interface InstitutionsParams extends Schema.Schema.Type<typeof InstitutionsParams> {}

/**
 * Lists exchanges and the markets and metrics of each, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/reference-data/exchanges`,
 * `/reference-data/markets`.
 */
export const exchanges: Endpoint.Endpoint<ExchangesParams, Exchange> = Endpoint.make("/catalog/exchanges", {
  ...catalog,
  params: ExchangesParams,
  record: Exchange,
  deprecated: { replacement: ["/reference-data/exchanges", "/reference-data/markets"] }
})

/**
 * Lists assets at an exchange and the metrics of each, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/exchange-asset-metrics` for what is available,
 * `/reference-data/exchange-asset-metrics` for what it is.
 */
export const exchangeAssets: Endpoint.Endpoint<ExchangeAssetsParams, ExchangeAsset> = Endpoint.make(
  "/catalog/exchange-assets",
  {
    ...catalog,
    params: ExchangeAssetsParams,
    record: ExchangeAsset,
    deprecated: { replacement: ["/catalog-v2/exchange-asset-metrics", "/reference-data/exchange-asset-metrics"] }
  }
)

/**
 * Lists institutions and the metrics of each, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/institution-metrics` for what is available,
 * `/reference-data/institution-metrics` for what it is.
 */
export const institutions: Endpoint.Endpoint<InstitutionsParams, Institution> = Endpoint.make("/catalog/institutions", {
  ...catalog,
  params: InstitutionsParams,
  record: Institution,
  deprecated: { replacement: ["/catalog-v2/institution-metrics", "/reference-data/institution-metrics"] }
})
