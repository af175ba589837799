/**
 * Brings the dataset of a list up to date: reads it as a whole, and puts it in the place of what was held.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Failure, SyncFailed, UnexpectedRecord } from "../model/DatasetError.ts"
import * as Moment from "../model/Moment.ts"
import type { Cursor } from "../model/Store.ts"
import * as Comparing from "../versions/Comparing.ts"
import type * as RunState from "./RunState.ts"
import type * as Sync from "./Sync.ts"

/** A run over an open store. */
interface Run extends Pick<RunState.Run, "dataset" | "subject" | "definition" | "store" | "isNew" | "emit"> {
  readonly cursors: ReadonlyMap<string, Cursor>
}

/** Reads the list. Where that fails, or it has no items at all, all stays as it is. */
export const run = Effect.fnUntraced(function* ({ cursors, dataset, definition, emit, isNew, store, subject }: Run) {
  const { endpoint, identity = [] } = subject
  const begun = Moment.ofMillis(yield* Clock.currentTimeMillis)
  yield* store.looks?.begin(begun) ?? Effect.void
  const nobody = { added: [], addedCount: 0, gone: [], goneCount: 0, dropped: [], droppedCount: 0 }
  yield* emit({ _tag: "Started", dataset, isNew, entities: 1, requests: 1, ...nobody })
  const failWith = Effect.fnUntraced(function* (error: Failure["error"]) {
    yield* emit({ _tag: "Failed", dataset, entities: [], error: error._tag, reason: error.message })
    const outcome: Sync.Outcome = {
      cursors: new Map(cursors),
      failed: new SyncFailed({ dataset, failed: [{ entities: [], error }] }),
      refused: new Map()
    }
    return outcome
  })
  const unexpected = (entity: string, reason: string) => new UnexpectedRecord({ dataset, entity, time: "", reason })
  // Type boundary: the parameters were checked when the definition was made; here they are data.
  const records: Stream.Stream<unknown, ApiError, Client> = endpoint(definition.params as never)
  const read = yield* Effect.result(Stream.runCollect(records))
  if (read._tag === "Failure") return yield* failWith(read.failure)
  /** A page may repeat an item of the one before, where the list has grown meanwhile. */
  const items = new Map<string, unknown>()
  for (const record of read.success) {
    const id = Comparing.idOf(identity, record)
    if (items.has(id) && JSON.stringify(items.get(id)) !== JSON.stringify(record)) {
      return yield* failWith(unexpected(id, "comes twice in one list, with different values"))
    }
    items.set(id, record)
  }
  if (items.size === 0) return yield* failWith(unexpected("", "came without items"))
  // In one order, whatever that of the service is: what was removed has its place among the others.
  const sorted = [...items].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record)
  const cursor: Cursor = { entity: "", from: null, last: "", columns: [] }
  const { deleted, replaced, revised, written } = yield* store.apply({
    spans: [{ entity: "", from: undefined, to: undefined }],
    records: Stream.fromIterable(sorted),
    cursors: Effect.succeed([cursor]),
    forget: []
  })
  yield* store.looks?.end(begun, true) ?? Effect.void
  const counts = { records: items.size, replaced }
  const more = revised === undefined ? {} : { revised }
  if (written.length > 0) yield* emit({ _tag: "Changed", dataset, entities: [], ...counts, ...more, written, deleted })
  yield* emit({ _tag: "Finished", dataset, entities: 1, ...counts, changes: written.length, newest: null })
  const outcome: Sync.Outcome = { cursors: new Map([["", cursor]]), failed: undefined, refused: new Map() }
  return outcome
})
