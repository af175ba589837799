/**
 * Brings a dataset up to date: reads all that the plan wants, step by step.
 */
import type { ApiError } from "@sluice/core/ApiError"
import * as Effect from "effect/Effect"
import type { OtherName, SyncFailed } from "../model/DatasetError.ts"
import * as Moment from "../model/Moment.ts"
import * as Advance from "../read/Advance.ts"
import * as RemovedEntities from "../plan/RemovedEntities.ts"
import * as Grouping from "../plan/Grouping.ts"
import * as Part from "../plan/Part.ts"
import * as PendingCursors from "../plan/PendingCursors.ts"
import * as Refusals from "./Refusals.ts"
import * as RunRequests from "../plan/RunRequests.ts"
import * as RunState from "./RunState.ts"
import type { Cursor } from "../model/Store.ts"

export type { Emit, Run } from "./RunState.ts"

/** How a run ended. */
export interface Outcome {
  readonly cursors: Map<string, Cursor>
  /** What could not be read; all else was done. */
  readonly failed: SyncFailed | OtherName | undefined
  /** Metrics that the service refuses, with the refusal: then not all was done. */
  readonly refused: ReadonlyMap<string, ApiError>
}

/** Reads all that the plan wants. */
export const run = Effect.fnUntraced(function* (run: RunState.Run) {
  const state = yield* RunState.make(run)
  const { cursors, dataset, emit, plan, refused, store } = state
  const looking = Moment.ofMillis(state.given.now)
  yield* store.looks?.begin(looking) ?? Effect.void
  const reports = Effect.forever(Effect.delay(RunState.report(state), "250 millis"))
  yield* Effect.raceAllFirst([steps(state), reports, store.lost])
  undoBegun(state)
  const outcome: Outcome = { cursors, failed: RunState.failureOf(state), refused }
  const isWhole = outcome.failed === undefined && refused.size === 0
  yield* store.looks?.end(looking, isWhole) ?? Effect.void
  if (!isWhole) return outcome
  const { changes, records, replaced } = state.counts
  let newest: string | null = null
  for (const { last } of cursors.values()) if (last !== null && (newest === null || last > newest)) newest = last
  yield* emit({ _tag: "Finished", dataset, entities: plan.entities.length, records, replaced, changes, newest })
  return outcome
})

/** Takes the steps of the plan, one after the other. */
const steps = Effect.fnUntraced(function* (state: RunState.RunState) {
  const { counts, cursors, definition, given, plan, probed } = state
  yield* tellStart(state)
  // Where they would be removed, they are asked for by name: a catalog may be incomplete.
  const unread = definition.onRemoved === "keep" ? [...plan.dropped, ...plan.gone] : plan.dropped
  yield* dismiss(state, unread, "keep")
  for (const [entity, cursor] of plan.begun) cursors.set(entity, cursor)
  yield* readAll(state, plan.loads)
  const behind = yield* readAll(state, plan.probes)
  const further = RunRequests.tailsOf({ ...given, cursors }, behind)
  counts.found += further.length
  const tails = [...plan.tails, ...further]
  const isOpen = (part: Part.Part) => Part.isOpen(part, given.now)
  const ended = tails.filter((part) => !isOpen(part))
  noteUnread(state, ended)
  yield* readAll(state, ended)
  yield* readAll(state, tails.filter(isOpen))
  yield* readAll(state, settleDoubtful(state))
  // What was seen of one is known only when its records were kept.
  for (const { entities } of state.failed) for (const entity of entities) probed.delete(entity)
  if (probed.size > 0) yield* RunState.applyAlone(state, PendingCursors.changeOf(state, cursors, probed))
  yield* readAll(state, plan.holes)
  yield* settle(state)
  yield* RunState.keepRead(state)
})

/**
 * Marks ended periods as unread until they are read. If one fails and a later one is kept, the next run would otherwise look back from
 * the later one, and not as far as to the one that failed.
 */
const noteUnread = ({ cursors }: RunState.RunState, parts: ReadonlyArray<Part.Part>) => {
  for (const { entities, from = null, to = null } of parts) {
    for (const entity of entities) {
      const cursor = cursors.get(entity)
      if (cursor !== undefined) cursors.set(entity, { ...cursor, todo: [...(cursor.todo ?? []), { from, to }] })
    }
  }
}

/**
 * Parts that are read again, where an empty reply is taken as it is: of entities that have records in other parts of the run. An entity
 * that came in no part keeps what it has, as replies without it may be a fault of the service. The next run looks back from its last
 * record again, so nothing of it stays marked as unread by this one; what was to be loaded does.
 */
const settleDoubtful = ({ alive, counts, cursors, definition, doubtful, given }: RunState.RunState) => {
  const again = doubtful.flatMap((part) => {
    // A cache has looked there: a later call does so again, where it is still provisional.
    const isNoted = given.window !== undefined || (part.reason === "new" && !Part.isOpen(part, given.now))
    for (const entity of isNoted ? part.entities : []) {
      const cursor = cursors.get(entity)
      if (cursor !== undefined && !alive.has(entity)) {
        cursors.set(
          entity,
          Advance.withRead(cursor, Part.reachedOf(part, cursor, given.now), { definition, now: given.now })
        )
      }
    }
    const entities = part.entities.filter((entity) => alive.has(entity))
    return entities.length === 0 ? [] : [{ ...part, entities }]
  })
  counts.found += again.length
  return again
}

const tellStart = ({ dataset, emit, isNew, plan }: RunState.RunState) =>
  emit({
    _tag: "Started",
    dataset,
    isNew,
    entities: plan.entities.length,
    requests: RunState.requestsOf(plan),
    added: plan.added.slice(0, RunState.mostNamed),
    addedCount: plan.added.length,
    gone: plan.gone.slice(0, RunState.mostNamed),
    goneCount: plan.gone.length,
    dropped: plan.dropped.slice(0, RunState.mostNamed),
    droppedCount: plan.dropped.length
  })

/** Reads parts, several at a time. Gives the entities of which more has to be asked for. */
const readAll = Effect.fnUntraced(function* (state: RunState.RunState, parts: ReadonlyArray<Part.Part>) {
  const { concurrency, counts, given } = state
  const one = Effect.fnUntraced(function* (part: Part.Part) {
    counts.running += 1
    return yield* Effect.ensuring(
      Refusals.attempt(state, part),
      Effect.sync(() => {
        counts.running -= 1
        counts.done += 1
      })
    )
  })
  const turns = [...Map.groupBy(parts, ({ turn = 0 }) => turn).values()]
  const all = yield* Effect.forEach(turns, (parts) =>
    Effect.forEach(Grouping.inTurns(given, parts), Effect.forEach(one), { concurrency })
  )
  return all.flat(3)
})

/** Gives up the entities that the service refused, unless it refused all: then something else is wrong. */
const settle = Effect.fnUntraced(function* (state: RunState.RunState) {
  const { dismissed, kept } = RemovedEntities.settle(state.cursors, state.unknown, state.definition.onRemoved)
  yield* Effect.forEach(kept, ([entity, error]) => RunState.noteFailure(state, [entity], error), { discard: true })
  yield* dismiss(state, dismissed, state.definition.onRemoved)
})

/** Removes or keeps entities that are not read any more. */
const dismiss = Effect.fnUntraced(function* (
  state: RunState.RunState,
  entities: ReadonlyArray<string>,
  as: "keep" | "remove"
) {
  if (entities.length === 0) return
  yield* RunState.applyAlone(state, RemovedEntities.changeOf(state, state.cursors, entities, as))
})

/** Gives entities that were not loaded the cursors that they had, so that the next run asks for them. */
const undoBegun = ({ cursors, given, plan }: RunState.RunState) => {
  for (const [entity, cursor] of plan.begun) {
    const before = given.cursors.get(entity)
    if (cursors.get(entity) !== cursor) continue
    if (before === undefined) cursors.delete(entity)
    else cursors.set(entity, before)
  }
}
