import * as Endpoint from "../../Endpoint.ts"
import * as Catalog from "../Catalog.ts"
import { fullCatalog } from "../catalog/Definition.ts"

/**
 * Lists exchanges and the markets and metrics of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/reference-data/exchanges`,
 * `/reference-data/markets`.
 */
export const exchanges: Endpoint.Endpoint<Catalog.ExchangesParams, Catalog.Exchange> = Endpoint.make(
  "/catalog-all/exchanges",
  {
    ...fullCatalog,
    params: Catalog.ExchangesParams,
    record: Catalog.Exchange,
    deprecated: { replacement: ["/reference-data/exchanges", "/reference-data/markets"] }
  }
)

/**
 * Lists assets at an exchange and the metrics of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/exchange-asset-metrics` for what is
 * available, `/reference-data/exchange-asset-metrics` for what it is.
 */
export const exchangeAssets: Endpoint.Endpoint<Catalog.ExchangeAssetsParams, Catalog.ExchangeAsset> = Endpoint.make(
  "/catalog-all/exchange-assets",
  {
    ...fullCatalog,
    params: Catalog.ExchangeAssetsParams,
    record: Catalog.ExchangeAsset,
    deprecated: { replacement: ["/catalog-all-v2/exchange-asset-metrics", "/reference-data/exchange-asset-metrics"] }
  }
)

/**
 * Lists institutions and the metrics of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/institution-metrics` for what is available,
 * `/reference-data/institution-metrics` for what it is.
 */
export const institutions: Endpoint.Endpoint<Catalog.InstitutionsParams, Catalog.Institution> = Endpoint.make(
  "/catalog-all/institutions",
  {
    ...fullCatalog,
    params: Catalog.InstitutionsParams,
    record: Catalog.Institution,
    deprecated: { replacement: ["/catalog-all-v2/institution-metrics", "/reference-data/institution-metrics"] }
  }
)

/**
 * Lists pairs of assets and the metrics of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/pair-metrics` for what is available,
 * `/reference-data/pair-metrics`, `/reference-data/pairs` for what it is.
 */
export const pairs: Endpoint.Endpoint<Catalog.PairsParams, Catalog.Pair> = Endpoint.make("/catalog-all/pairs", {
  ...fullCatalog,
  params: Catalog.PairsParams,
  record: Catalog.Pair,
  deprecated: { replacement: ["/catalog-all-v2/pair-metrics", "/reference-data/pair-metrics", "/reference-data/pairs"] }
})

/**
 * Lists pairs of assets and the candles of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/pair-candles`.
 */
export const pairCandles: Endpoint.Endpoint<Catalog.PairsParams, Catalog.PairCandles> = Endpoint.make(
  "/catalog-all/pair-candles",
  {
    ...fullCatalog,
    params: Catalog.PairsParams,
    record: Catalog.PairCandles,
    deprecated: { replacement: ["/catalog-all-v2/pair-candles"] }
  }
)

/**
 * Lists indexes and the levels of each, whatever the key may read.
 *
 * **Details**
 *
 * The service's own table also names `/catalog-all-v2/index-constituents`, which is described nowhere
 * (docs/interface.md 9.3).
 *
 * Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/index-levels` for what is available,
 * `/reference-data/indexes` for what it is.
 */
export const indexes: Endpoint.Endpoint<Catalog.IndexesParams, Catalog.Index> = Endpoint.make("/catalog-all/indexes", {
  ...fullCatalog,
  params: Catalog.IndexesParams,
  record: Catalog.Index,
  deprecated: { replacement: ["/catalog-all-v2/index-levels", "/reference-data/indexes"] }
})

/**
 * Lists indexes and the candles of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/index-candles`.
 */
export const indexCandles: Endpoint.Endpoint<Catalog.IndexesParams, Catalog.IndexCandles> = Endpoint.make(
  "/catalog-all/index-candles",
  {
    ...fullCatalog,
    params: Catalog.IndexesParams,
    record: Catalog.IndexCandles,
    deprecated: { replacement: ["/catalog-all-v2/index-candles"] }
  }
)
