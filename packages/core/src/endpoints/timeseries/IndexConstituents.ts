/** What indexes are made of. Source: docs/interface.md 4.6.5 and 3.14. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, many, text } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as IndexSeries from "./IndexSeries.ts"

/** One asset of an index. */
export const IndexConstituent = Schema.Struct({
  /** Ticker of the asset. */
  asset: text,
  /** Its share of the index. */
  weight: decimal,
  /** Its price in US dollars. */
  price: decimal,
  /** Units of the asset in the index. */
  quantity: decimal,
  /** What the weight follows from, such as a market capitalisation. */
  weight_basis_value: decimal
})
export interface IndexConstituent extends Schema.Schema.Type<typeof IndexConstituent> {}

/** The assets of an index at one moment. */
export const IndexConstituents = Schema.Struct({
  ...IndexSeries.record,
  /** What the index is made of, each with its weight. */
  constituents: many<IndexConstituent>(IndexConstituent)
})
export interface IndexConstituents extends Schema.Schema.Type<typeof IndexConstituents> {}

/** Parameters of {@link indexConstituents}. Source: docs/interface.md 4.6.5. */
export const IndexConstituentsParams = Schema.Struct({
  ...IndexSeries.params,
  /** Time between two records. When absent, a record stands where an index changes, and has only what changed. */
  frequency: Params.frequency(["1h", "1d", "1d-ny-close", "1d-ny-midday", "1d-sg-close"])
})
export interface IndexConstituentsParams extends Schema.Schema.Type<typeof IndexConstituentsParams> {}

/**
 * Reads the assets of indexes, their weights and prices.
 *
 * **Gotchas**
 *
 * Without `frequency` a record has only the assets that changed, so it is no whole index.
 *
 * Source: docs/interface.md 4.6.5.
 */
export const indexConstituents: Endpoint.Endpoint<IndexConstituentsParams, IndexConstituents> = Endpoint.make(
  "/timeseries/index-constituents",
  { section: "4.6", order: "series", identity: [], params: IndexConstituentsParams, record: IndexConstituents }
)
