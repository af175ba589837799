import * as Schema from "effect/Schema"
import type { Endpoint } from "../../Endpoint.ts"
import { id, many } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { FrequencyRange } from "../catalog/Ranges.ts"
import { catalog } from "./Definition.ts"

/** One pair of assets and the candles there are for it. Source: docs/interface.md 3.11. */
export const PairCandles = Schema.Struct({
  /** `<base>-<quote>`, such as `btc-usd`. */
  pair: id,
  /** Lengths of its candles, each with the times at which there is data. */
  frequencies: many<FrequencyRange>(FrequencyRange)
})
export interface PairCandles extends Schema.Schema.Type<typeof PairCandles> {}

/** Parameters of {@link pairCandles}. */
export const PairsParams = Schema.Struct({
  /** Pairs as `<base>-<quote>`; all pairs when absent. */
  pairs: Params.entities(Params.list),
  ...Params.paging,
  ...Params.format
})
export interface PairsParams extends Schema.Schema.Type<typeof PairsParams> {}

/** One index and the levels or candles there are for it. Source: docs/interface.md 3.11. */
export const IndexSeries = Schema.Struct({
  /** Index name, such as `CMBIBTC`. */
  index: id,
  /** Frequencies of its data, each with the times at which there is some. */
  frequencies: many<FrequencyRange>(FrequencyRange)
})
export interface IndexSeries extends Schema.Schema.Type<typeof IndexSeries> {}

/** Parameters of {@link indexLevels} and {@link indexCandles}. */
export const IndexesParams = Schema.Struct({
  /** Index names; all indexes when absent. */
  indexes: Params.entities(Params.list),
  ...Params.paging,
  ...Params.format
})
export interface IndexesParams extends Schema.Schema.Type<typeof IndexesParams> {}

const pair = catalog(PairsParams, PairCandles)
const index = catalog(IndexesParams, IndexSeries)

/**
 * Lists pairs with candles, and the times covered at each frequency, as far as the key may read. Source:
 * docs/interface.md 4.9.
 */
export const pairCandles: Endpoint<PairsParams, PairCandles> = pair("/catalog-v2/pair-candles")

/**
 * Lists indexes with levels, and the times covered at each frequency, as far as the key may read. Source:
 * docs/interface.md 4.9.
 */
export const indexLevels: Endpoint<IndexesParams, IndexSeries> = index("/catalog-v2/index-levels")

/**
 * Lists indexes with candles, and the times covered at each frequency, as far as the key may read. Source:
 * docs/interface.md 4.9.
 */
export const indexCandles: Endpoint<IndexesParams, IndexSeries> = index("/catalog-v2/index-candles")
