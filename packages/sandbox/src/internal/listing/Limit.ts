/**
 * Reads `limit_per_<entity>`: how many records of each entity, and from which end (docs/interface.md 4.6.1).
 *
 * **Details**
 *
 * Replies that were captured have the first records of the range with `paging_from=start`, and the last with `end`, the
 * default. A json_stream knows no `paging_from` and begins at the start, so it is taken to have the first.
 */
import type { Caller } from "../request/Caller.ts"
import type { From } from "./Paging.ts"
import * as Query from "../request/Query.ts"

export interface Limit {
  readonly count: number
  readonly from: From
}

export const read = (query: Query.Query, { dialect }: Caller, name: string): Limit | undefined => {
  const isFromStart = query.get("format") === "json_stream" || query.get("paging_from") === "start"
  const from = isFromStart && dialect.limit === "paging_from" ? "start" : "end"
  const count = Query.integer(query, name)
  return count === undefined ? undefined : { count, from }
}
