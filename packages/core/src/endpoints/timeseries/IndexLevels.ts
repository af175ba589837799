/** Levels of indexes. Source: docs/interface.md 4.6.5 and 3.14. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, one, text, timestamp } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as IndexSeries from "./IndexSeries.ts"

/** What proves that the service published a level. */
export const IndexVerification = Schema.Struct({
  /** Signature of the level. */
  signature: text,
  /** The signed time. */
  timestamp,
  /** The signed level. */
  level: decimal
})
export interface IndexVerification extends Schema.Schema.Type<typeof IndexVerification> {}

/** The level of an index at one moment. */
export const IndexLevel = Schema.Struct({
  ...IndexSeries.record,
  /** Points of the index. */
  level: decimal,
  /** Comes with `include_verification: true` alone. */
  verification: one<IndexVerification>(IndexVerification)
})
export interface IndexLevel extends Schema.Schema.Type<typeof IndexLevel> {}

/** Parameters of {@link indexLevels}. Source: docs/interface.md 4.6.5. */
export const IndexLevelsParams = Schema.Struct({
  ...IndexSeries.params,
  /** Time between two levels; `1d` when absent. A day that begins at another hour than 00:00 UTC is `1d-HH:00`. */
  frequency: Params.frequency(["1s", "15s", "1h", "1d-ny-close", "1d-sg-close", "1d"]),
  /** Thins the series of an external index out; `raw`, all of its levels, when absent. May end in `-last-second`. */
  granularity: Params.openWord(["raw", "1d-ny-close", "1d-ldn-close", "1d-sg-close"]),
  /** Adds `verification` to each record. */
  include_verification: Params.detail(Params.boolean),
  /**
   * Keeps the latest so many records of each index, or with `paging_from: "start"` the earliest. A json_stream is taken to have
   * the earliest too.
   */
  limit_per_index: Params.limitPer,
  ...Params.format
})
export interface IndexLevelsParams extends Schema.Schema.Type<typeof IndexLevelsParams> {}

/** Reads the levels of indexes. Source: docs/interface.md 4.6.5. */
export const indexLevels: Endpoint.Endpoint<IndexLevelsParams, IndexLevel> = Endpoint.make("/timeseries/index-levels", {
  section: "4.6",
  order: "series",
  params: IndexLevelsParams,
  record: IndexLevel
})
