/**
 * The parts of the first load of a folder: the requests of a first sync. No two of them write into one partition, so
 * the files of a part are those that a sync by one process makes of the same records.
 */
import type { Definition } from "../model/Definition.ts"
import * as Moment from "../model/Moment.ts"
import * as RunRequests from "../plan/RunRequests.ts"
import type { Cut, Time } from "../model/Store.ts"
import type * as SeriesParams from "../model/SeriesParams.ts"

/** The parts of a load up to a time. Entities are named, in ascending order. */
export const partsOf = (
  subject: SeriesParams.SeriesParams,
  definition: Definition,
  cut: Cut,
  entities: ReadonlyArray<string>,
  end: Time
): ReadonlyArray<RunRequests.Part> => {
  const { loads } = RunRequests.make({
    subject,
    definition,
    cut,
    cursors: new Map(),
    entities,
    listed: new Set(entities),
    begins: new Map(),
    now: Moment.millisOf(end)
  })
  // A run at the end of a period would ask for the next one too, which a load does not reach.
  const within = loads.filter(({ from }) => from === undefined || from < end)
  return within.map((part) => ({
    ...part,
    to: part.to === undefined || part.to > end ? end : part.to,
    own: new Map()
  }))
}

/** Names a part by what it has. */
export const nameOf = ({ entities, from = "" }: RunRequests.Part): string => {
  const [first = "", ...others] = entities
  const more = others.length === 0 ? "" : ` and ${others.length} more`
  return `${first}${more} from ${from.replace(/T00:00:00\.0+Z$/, "").replace(/\.0+Z$/, "Z")}`
}
