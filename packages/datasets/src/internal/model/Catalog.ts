/**
 * What the catalogs of the service list of a series.
 */
import * as Discover from "@sluice/core/Discover"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Keys from "./Keys.ts"
import type { Time } from "./Store.ts"
import type * as SeriesParams from "./SeriesParams.ts"

/** Names that fit a request together with others. */
const mostNamed = 200

/** Times of the first and the last record of an entity. */
export interface Range {
  readonly first: Time
  readonly last: Time
}

/** The times of entities in the frequency and any of the metrics of a definition; empty where no catalog lists the series. */
export const rangesOf = Effect.fnUntraced(function* (
  { endpoint, names }: SeriesParams.SeriesParams,
  params: Schema.JsonObject,
  entities: ReadonlyArray<string>
) {
  const ranges = new Map<string, Range>()
  if (entities.length === 0 || !Discover.isCatalogued(endpoint)) return ranges
  const found = yield* Discover.available(endpoint, entities.length > mostNamed ? undefined : entities)
  const columns = names.columns === undefined ? [] : Params.items(params[names.columns])
  const frequency = Parameter.frequencyOf(endpoint, params)
  for (const { entity, frequency: other, max_time, metric, min_time } of found) {
    const isOther = (metric !== undefined && !columns.includes(metric)) || (other !== undefined && other !== frequency)
    if (min_time === undefined || isOther) continue
    const [first, last] = [Keys.normal(min_time), Keys.normal(max_time ?? min_time)]
    const before = ranges.get(entity)
    ranges.set(entity, {
      first: before === undefined || first < before.first ? first : before.first,
      last: before === undefined || last > before.last ? last : before.last
    })
  }
  return ranges
})
