import type { Endpoint } from "../../Endpoint.ts"
import { catalog } from "../catalogV2/Definition.ts"
import { IndexSeries, IndexesParams, PairCandles, PairsParams } from "../catalogV2/Instruments.ts"

const pair = catalog(PairsParams, PairCandles)
const index = catalog(IndexesParams, IndexSeries)

/**
 * Lists pairs with candles, and the times covered at each frequency, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const pairCandles: Endpoint<PairsParams, PairCandles> = pair("/catalog-all-v2/pair-candles")

/**
 * Lists indexes with levels, and the times covered at each frequency, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const indexLevels: Endpoint<IndexesParams, IndexSeries> = index("/catalog-all-v2/index-levels")

/**
 * Lists indexes with candles, and the times covered at each frequency, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const indexCandles: Endpoint<IndexesParams, IndexSeries> = index("/catalog-all-v2/index-candles")
