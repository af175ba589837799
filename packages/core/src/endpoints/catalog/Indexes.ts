import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { id, many, text } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { catalog } from "./Definition.ts"
import { FrequencyRange } from "./Ranges.ts"

/** One index and its levels. Source: docs/interface.md 4.5. */
export const Index = Schema.Struct({
  /** Index name, such as `CMBIBTC`. */
  index: id,
  /** Name for people. */
  full_name: text,
  /** What the index measures. */
  description: text,
  /** Frequencies of its levels, each with the times at which there is data. */
  frequencies: many<FrequencyRange>(FrequencyRange),
  /** Kind of the index. */
  type: text
})
export interface Index extends Schema.Schema.Type<typeof Index> {}

/** One index and its candles. Source: docs/interface.md 4.5. */
export const IndexCandles = Schema.Struct({
  /** Index name, such as `CMBIBTC`. */
  index: id,
  /** Lengths of its candles, each with the times at which there is data. */
  frequencies: many<FrequencyRange>(FrequencyRange)
})
export interface IndexCandles extends Schema.Schema.Type<typeof IndexCandles> {}

/** Parameters of {@link indexes} and {@link indexCandles}. */
export const IndexesParams = Schema.Struct({
  /** Index names; all indexes when absent. */
  indexes: Params.entities(Params.list),
  ...Params.pretty
})
export interface IndexesParams extends Schema.Schema.Type<typeof IndexesParams> {}

/**
 * Lists indexes and the levels of each, as far as the key may read.
 *
 * **Details**
 *
 * The service's own table also names `/catalog-v2/index-constituents`, which is described nowhere (docs/interface.md
 * 9.3).
 *
 * Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/index-levels` for what is available,
 * `/reference-data/indexes` for what it is.
 */
export const indexes: Endpoint.Endpoint<IndexesParams, Index> = Endpoint.make("/catalog/indexes", {
  ...catalog,
  params: IndexesParams,
  record: Index,
  deprecated: { replacement: ["/catalog-v2/index-levels", "/reference-data/indexes"] }
})

/**
 * Lists indexes and the candles of each, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/index-candles`.
 */
export const indexCandles: Endpoint.Endpoint<IndexesParams, IndexCandles> = Endpoint.make("/catalog/index-candles", {
  ...catalog,
  params: IndexesParams,
  record: IndexCandles,
  deprecated: { replacement: ["/catalog-v2/index-candles"] }
})
