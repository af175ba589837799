/**
 * Levels of indexes as they are published. Source: docs/interface.md 6.4 and 3.14.
 */
import * as Schema from "effect/Schema"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as Params from "../../Params.ts"
import * as History from "../timeseries/IndexLevels.ts"
import * as LiveSeries from "./LiveSeries.ts"

/** The level of an index at one moment. */
export const LiveIndexLevel = Schema.Struct({
  ...History.IndexLevel.fields,
  ...LiveSeries.record
})
export interface LiveIndexLevel extends Schema.Schema.Type<typeof LiveIndexLevel> {}

/** Parameters of {@link indexLevels}. Source: docs/interface.md 6.2. */
export const LiveIndexLevelsParams = Schema.Struct({
  /** Indexes. */
  indexes: Params.entities(Params.requiredList, "index"),
  /** Adds `verification` to each record. */
  include_verification: Params.detail(Params.boolean),
  ...LiveSeries.params
})
export interface LiveIndexLevelsParams extends Schema.Schema.Type<typeof LiveIndexLevelsParams> {}

/** Follows the levels of indexes. Source: docs/interface.md 6.2. */
export const indexLevels: LiveEndpoint.LiveEndpoint<LiveIndexLevelsParams, LiveIndexLevel> = LiveEndpoint.make(
  "/timeseries-stream/index-levels",
  {
    section: "6.2",
    entity: "index",
    params: LiveIndexLevelsParams,
    record: LiveIndexLevel,
    history: {
      endpoint: History.indexLevels,
      params: ({ include_verification, indexes }) => ({ frequency: "1s", include_verification, indexes })
    }
  }
)
