/** Levels of indexes as they are published. Source: docs/interface.md 6.4 and 3.14. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as Params from "../../Params.ts"
import * as Catalog from "../catalogV2/Instruments.ts"
import * as History from "../timeseries/IndexLevels.ts"
import * as LiveSeries from "./LiveSeries.ts"

/** The level of an index at one moment. */
export const LiveIndexLevel = Schema.Struct({ ...History.IndexLevel.fields, ...LiveSeries.record })
export interface LiveIndexLevel extends Schema.Schema.Type<typeof LiveIndexLevel> {}

/** Parameters of {@link indexLevels}. Source: docs/interface.md 6.2. */
export const LiveIndexLevelsParams = Schema.Struct({
  /** Indexes, or `*` for all. */
  indexes: Params.entities(Params.requiredList, "index"),
  /** Adds `verification` to each record. */
  include_verification: Params.detail(Params.boolean),
  ...LiveSeries.params
})
export interface LiveIndexLevelsParams extends Schema.Schema.Type<typeof LiveIndexLevelsParams> {}

/** The frequencies of the levels of indexes, the highest first. */
const frequencies = ["1s", "15s", "1m", "1h", "1d"]

/** A stream has the levels of an index at its highest frequency, which the catalog tells (docs/interface.md 6.4). */
const byFrequency = Effect.fnUntraced(function* ({ indexes }: LiveIndexLevelsParams, isAsked: LiveEndpoint.IsAsked) {
  const given = Params.items(indexes)
  // A catalog takes exact names.
  const hasWildcard = given.some((index) => index.includes("*"))
  const listed = yield* Stream.runCollect(Catalog.indexLevels(hasWildcard ? {} : { indexes: given }))
  const asked = hasWildcard ? listed.map(({ index }) => index).filter(isAsked) : given
  const offered = new Map(
    listed.map(({ frequencies, index }) => [index, frequencies?.map(({ frequency }) => frequency) ?? []] as const)
  )
  const groups = new Map<string, Array<string>>()
  for (const index of asked) {
    const own = offered.get(index) ?? []
    const highest = frequencies.find((frequency) => own.includes(frequency)) ?? own[0] ?? "1s"
    groups.set(highest, [...(groups.get(highest) ?? []), index])
  }
  return [...groups].map(([frequency, entities]): LiveEndpoint.Group => ({ entities, params: { frequency } }))
})

/**
 * Follows the levels of indexes.
 *
 * **Gotchas**
 *
 * Each index has its levels at its own frequency. To read them over HTTP, Sluice looks the frequencies up in the catalog.
 *
 * Source: docs/interface.md 6.2.
 */
export const indexLevels: LiveEndpoint.LiveEndpoint<LiveIndexLevelsParams, LiveIndexLevel> = LiveEndpoint.make(
  "/timeseries-stream/index-levels",
  {
    section: "6.2",
    entity: "index",
    params: LiveIndexLevelsParams,
    record: LiveIndexLevel,
    history: {
      endpoint: History.indexLevels,
      records: "same",
      params: ({ include_verification, indexes }) => ({ include_verification, indexes }),
      groups: byFrequency
    }
  }
)
