import type { Endpoint } from "../../Endpoint.ts"
import * as CatalogV2 from "../CatalogV2.ts"
import { full } from "../catalog/Full.ts"

/**
 * Lists pairs with candles, and the times covered at each frequency, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const pairCandles: Endpoint<CatalogV2.PairsParams, CatalogV2.PairCandles> = full(CatalogV2.pairCandles)

/**
 * Lists indexes with levels, and the times covered at each frequency, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const indexLevels: Endpoint<CatalogV2.IndexesParams, CatalogV2.IndexSeries> = full(CatalogV2.indexLevels)

/**
 * Lists indexes with candles, and the times covered at each frequency, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const indexCandles: Endpoint<CatalogV2.IndexesParams, CatalogV2.IndexSeries> = full(CatalogV2.indexCandles)
