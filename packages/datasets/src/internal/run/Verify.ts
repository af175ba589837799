/**
 * Proves that what is kept of a dataset is what was written.
 */
import * as Effect from "effect/Effect"
import { BadDefinition, DatasetDamaged, NoDataset } from "../model/DatasetError.ts"
import type { Verifying } from "../model/Event.ts"
import * as Prepare from "../plan/Prepare.ts"
import type { Cursor, Held, Store } from "../model/Store.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import * as Unread from "../plan/Unread.ts"

/** Has the store prove its records, and compares their times with those that syncs have seen. */
export const verify = Effect.fnUntraced(function* (store: Store, emit: (event: Verifying) => Effect.Effect<unknown>) {
  const dataset = store.name
  const kept = yield* store.look
  if (kept === undefined) return yield* new NoDataset({ dataset })
  const { endpoint: path, params } = kept.definition
  const endpoint = Prepare.endpointAt(path)
  if (endpoint === undefined) {
    return yield* new BadDefinition({ endpoint: path, setting: "endpoint", reason: "is none that this version knows" })
  }
  const unread = Unread.namesOf(kept).length
  const tell = (event: Verifying) => emit(unread === 0 ? event : { ...event, unread })
  let isEmpty = true
  yield* store.verify(yield* SeriesParams.makeAny(endpoint, params), (event) => {
    isEmpty = false
    return tell(event)
  })
  // Files that entities share would be read once more for this, and have checksums.
  // Values of a metric that is retired stay where the service has no record of the others any more.
  const held = store.cut.byEntity && kept.definition.retired === undefined ? yield* store.held : []
  // A sync may go on meanwhile: what it has changed is not of the same moment as what is held.
  const later = (yield* store.look)?.cursors
  const issues = held.flatMap((one) => {
    const cursor = kept.cursors.get(one.entity)
    return JSON.stringify(later?.get(one.entity)) === JSON.stringify(cursor) ? outside(cursor, one) : []
  })
  if (issues.length > 0) return yield* new DatasetDamaged({ dataset, issues: issues.slice(0, most) })
  if (isEmpty) yield* tell({ _tag: "Verifying", dataset, files: 0, verified: 0, records: 0 })
})

/** Issues that are told at most. */
const most = 100

/**
 * Records of times that no sync has seen. The first and the last that were seen may be gone, since the service takes
 * records back.
 */
const outside = (cursor: Cursor | undefined, { entity, first, last }: Held): ReadonlyArray<string> => {
  if (cursor === undefined) return []
  const { first: begin, last: end } = cursor
  return [
    ...(end === null || last > end
      ? [`${entity} has a record at ${last}, and the last that was read is at ${end ?? "no time"}`]
      : []),
    ...(begin !== undefined && first < begin
      ? [`${entity} has a record at ${first}, and the first that was read is at ${begin}`]
      : [])
  ]
}
