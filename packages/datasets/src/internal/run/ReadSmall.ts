/**
 * Reads a part that fits a page: all of it, before anything is kept, so that only what is news is written.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { StoreError } from "../model/DatasetError.ts"
import * as Advance from "../read/Advance.ts"
import * as PartSummary from "../read/PartSummary.ts"
import * as Keys from "../model/Keys.ts"
import * as Part from "../plan/Part.ts"
import * as RunRequests from "../plan/RunRequests.ts"
import * as RunState from "./RunState.ts"
import type * as Tracker from "../read/Tracker.ts"

/** What has to be asked for after a part was read. */
export interface Left {
  /** Entities whose latest records do not reach back to those that are held. */
  readonly behind: ReadonlyArray<string>
  /** Entities without records, each to be asked for alone: then one that is gone is refused, or comes under another name. */
  readonly alone: ReadonlyArray<string>
}

/** Reads a part, and then keeps what is news in it. */
export const read = Effect.fnUntraced(function* (
  state: RunState.RunState,
  part: Part.Part
): Effect.fn.Return<Left, ApiError | StoreError, Client> {
  const { definition, given, probed, subject } = state
  const records = RunState.read(state, part, RunState.trackerOf(state, part))
  const fields: Keys.Fields = { entity: subject.entity }
  const found = Map.groupBy(yield* Stream.runCollect(records), (record) => Keys.entityOf(fields, record))
  const behind: Array<string> = []
  const vanished: Array<string> = []
  const news = new Map<string, ReadonlyArray<unknown>>()
  for (const entity of part.entities) {
    const { from } = Part.spanOf(part, entity)
    const finding = PartSummary.classify({
      part,
      from,
      records: found.get(entity) ?? [],
      cursor: state.cursors.get(entity),
      wouldVanish: RunState.wouldVanish(state, part, entity, from),
      isShared: !given.cut.byEntity,
      mayTie: subject.every === undefined
    })
    if (finding._tag === "Vanished") vanished.push(entity)
    else if (finding._tag === "Behind") {
      behind.push(entity)
      if (finding.seen !== undefined) probed.set(entity, finding.seen)
    } else {
      const cursor = state.cursors.get(entity)
      if (finding._tag === "News") news.set(entity, finding.records)
      else if (cursor?.todo !== undefined) {
        state.cursors.set(
          entity,
          Advance.withRead(cursor, Part.reachedOf(part, cursor, given.now), { definition, now: given.now })
        )
      }
      if (finding.records.length > 0) RunState.noteAlive(state, part, [entity])
    }
  }
  const tracker = RunState.trackerOf(state, part)
  if (part.reason === "hole" && vanished.length > 0) yield* RunState.applyInVain(state, part, vanished, tracker)
  if (news.size > 0) yield* keep(state, part, news, tracker)
  const isAsked = part.reason !== "hole" && definition.onRemoved === "remove" && part.entities.length > 1
  if (!isAsked) RunState.noteDoubtful(state, part, vanished)
  return { behind, alone: isAsked ? vanished : [] }
})

/** Keeps the records of entities, and what the next run will read again of them. */
const keep = Effect.fnUntraced(function* (
  state: RunState.RunState,
  part: Part.Part,
  news: ReadonlyMap<string, ReadonlyArray<unknown>>,
  tracker: Tracker.Tracker
) {
  const seen = new Map<string, PartSummary.Seen>()
  for (const [entity, records] of news) {
    if (records.length === 0) continue
    tracker.see(records)
    const again = seenAgain(state, part, entity, records, tracker)
    if (again !== undefined) seen.set(entity, again)
  }
  const entities = [...news.keys()]
  const advanced = Effect.map(RunState.advance(state, part, entities, tracker), (cursors) =>
    cursors.map((cursor) => {
      const again = seen.get(cursor.entity)
      const next = again === undefined ? cursor : { ...cursor, seen: again }
      state.cursors.set(cursor.entity, next)
      return next
    })
  )
  yield* RunState.apply(state, {
    spans: entities.map((entity) => Part.spanOf(part, entity)),
    records: Stream.fromArray([...news.values()].flat()),
    cursors: advanced,
    forget: []
  })
})

/** What the next run will read again of records that were read; nothing where it will read others too. */
const seenAgain = (
  state: RunState.RunState,
  part: Part.Part,
  entity: string,
  records: ReadonlyArray<unknown>,
  tracker: Tracker.Tracker
): PartSummary.Seen | undefined => {
  if (!Part.isOpen(part, state.given.now)) return undefined
  const span = Part.spanOf(part, entity)
  const next = RunRequests.tailOf(state, RunState.cursorAfter(state, part, span, tracker.of(entity)))
  if (next === undefined || (span.from !== undefined && next < span.from)) return undefined
  return PartSummary.seenOf(PartSummary.since(records, next), next)
}
