import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { id, many, text } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { catalog } from "./Definition.ts"
import { FrequencyRange, MetricRange } from "./Ranges.ts"

/** One pair of assets and its metrics. Source: docs/interface.md 4.5. */
export const Pair = Schema.Struct({
  /** `<base>-<quote>`, such as `btc-usd`. */
  pair: id,
  /** Name for people. */
  full_name: text,
  /** Metrics of the pair, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface Pair extends Schema.Schema.Type<typeof Pair> {}

/** One pair of assets and its candles. Source: docs/interface.md 4.5. */
export const PairCandles = Schema.Struct({
  /** `<base>-<quote>`, such as `btc-usd`. */
  pair: id,
  /** Lengths of its candles, each with the times at which there is data. */
  frequencies: many<FrequencyRange>(FrequencyRange)
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
 * Lists pairs of assets and the metrics of each, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/pair-metrics` for what is available,
 * `/reference-data/pair-metrics`, `/reference-data/pairs` for what it is.
 */
export const pairs: Endpoint.Endpoint<PairsParams, Pair> = Endpoint.make("/catalog/pairs", {
  ...catalog,
  params: PairsParams,
  record: Pair,
  deprecated: { replacement: ["/catalog-v2/pair-metrics", "/reference-data/pair-metrics", "/reference-data/pairs"] }
})

/**
 * Lists pairs of assets and the candles of each, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/pair-candles`.
 */
export const pairCandles: Endpoint.Endpoint<PairsParams, PairCandles> = Endpoint.make("/catalog/pair-candles", {
  ...catalog,
  params: PairsParams,
  record: PairCandles,
  deprecated: { replacement: ["/catalog-v2/pair-candles"] }
})
