import type { Endpoint } from "../../Endpoint.ts"
import * as Catalog from "../Catalog.ts"
import { full } from "../catalog/Full.ts"

/**
 * Lists exchanges and the markets and metrics of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/reference-data/exchanges`,
 * `/reference-data/markets`.
 */
export const exchanges: Endpoint<Catalog.ExchangesParams, Catalog.Exchange> = full(Catalog.exchanges)

/**
 * Lists assets at an exchange and the metrics of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/exchange-asset-metrics` for what is
 * available, `/reference-data/exchange-asset-metrics` for what it is.
 */
export const exchangeAssets: Endpoint<Catalog.ExchangeAssetsParams, Catalog.ExchangeAsset> = full(
  Catalog.exchangeAssets
)

/**
 * Lists institutions and the metrics of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/institution-metrics` for what is available,
 * `/reference-data/institution-metrics` for what it is.
 */
export const institutions: Endpoint<Catalog.InstitutionsParams, Catalog.Institution> = full(Catalog.institutions)

/**
 * Lists pairs of assets and the metrics of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/pair-metrics` for what is available,
 * `/reference-data/pair-metrics`, `/reference-data/pairs` for what it is.
 */
export const pairs: Endpoint<Catalog.PairsParams, Catalog.Pair> = full(Catalog.pairs)

/**
 * Lists pairs of assets and the candles of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/pair-candles`.
 */
export const pairCandles: Endpoint<Catalog.PairsParams, Catalog.PairCandles> = full(Catalog.pairCandles)

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
export const indexes: Endpoint<Catalog.IndexesParams, Catalog.Index> = full(Catalog.indexes)

/**
 * Lists indexes and the candles of each, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/index-candles`.
 */
export const indexCandles: Endpoint<Catalog.IndexesParams, Catalog.IndexCandles> = full(Catalog.indexCandles)
