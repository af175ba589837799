import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { id, many, text } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { catalog } from "./Definition.ts"
import { FrequencyRange, MetricRange } from "./Ranges.ts"

/**
 * One pair of assets and the metrics there are for it. Source: docs/interface.md 4.5.
 */
export const Pair = Schema.Struct({
  /** `<base>-<quote>`, such as `btc-usd`. */
  pair: id,
  full_name: text,
  metrics: many(MetricRange)
})
export interface Pair extends Schema.Schema.Type<typeof Pair> {}

/**
 * One pair of assets and the candles there are for it. Source: docs/interface.md 4.5.
 */
export const PairCandles = Schema.Struct({
  /** `<base>-<quote>`, such as `btc-usd`. */
  pair: id,
  frequencies: many(FrequencyRange)
})
export interface PairCandles extends Schema.Schema.Type<typeof PairCandles> {}

/** Parameters of {@link pairs} and {@link pairCandles}. */
export const PairsParams = Schema.Struct({
  /** Pairs as `<base>-<quote>`; all pairs when absent. */
  pairs: Params.entities(Params.list),
  ...Params.pretty
})
export interface PairsParams extends Schema.Schema.Type<typeof PairsParams> {}

/**
 * Lists pairs of assets, and for each the metrics there are: all within the reach of the key. Source: docs/interface.md
 * 4.5.
 *
 * @deprecated The service means to withdraw it. In its place, what there is: `/catalog-v2/pair-metrics`; what it is:
 * `/reference-data/pair-metrics`, `/reference-data/pairs`.
 */
export const pairs: Endpoint.Endpoint<PairsParams, Pair> = Endpoint.make("/catalog/pairs", {
  ...catalog,
  params: PairsParams,
  record: Pair,
  deprecated: { replacement: ["/catalog-v2/pair-metrics", "/reference-data/pair-metrics", "/reference-data/pairs"] }
})

/**
 * Lists pairs of assets, and for each the candles there are: all within the reach of the key. Source: docs/interface.md
 * 4.5.
 *
 * @deprecated The service means to withdraw it. In its place, what there is: `/catalog-v2/pair-candles`.
 */
export const pairCandles: Endpoint.Endpoint<PairsParams, PairCandles> = Endpoint.make("/catalog/pair-candles", {
  ...catalog,
  params: PairsParams,
  record: PairCandles,
  deprecated: { replacement: ["/catalog-v2/pair-candles"] }
})
