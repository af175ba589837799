/**
 * What was seen of entities that are far behind, where files are shared: it is kept apart from their records, which are
 * asked for again period by period.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as RunRequests from "./RunRequests.ts"
import type { Change, Cursor } from "../model/Store.ts"

/** By entity: from when its latest records were read, and a checksum of them. */
export type PendingCursors = Map<string, NonNullable<Cursor["seen"]>>

/** The change that keeps what was seen of entities that are as far behind as before, so that the same again is no news. */
export const changeOf = (
  run: Parameters<typeof RunRequests.tailOf>[0],
  cursors: Map<string, Cursor>,
  probed: PendingCursors
): Change => ({
  spans: [],
  records: Stream.empty,
  cursors: Effect.sync(() =>
    [...probed].flatMap(([entity, seen]): ReadonlyArray<Cursor> => {
      const cursor = cursors.get(entity)
      if (cursor === undefined || RunRequests.tailOf(run, cursor) !== seen.from) return []
      const next: Cursor = { ...cursor, seen }
      cursors.set(entity, next)
      return [next]
    })
  ),
  forget: []
})
