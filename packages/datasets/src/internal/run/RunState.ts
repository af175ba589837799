/**
 * What a run over a dataset has done so far: how far each entity is, what was found of it, and what failed.
 */
import { ApiError } from "@sluice/core/ApiError"
import * as Client from "@sluice/core/Client"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as QuotaState from "@sluice/files/internal/progress/QuotaState"
import * as Bounds from "../model/Bounds.ts"
import * as Advance from "../read/Advance.ts"
import { type Failure, OtherName, SyncFailed, type UnexpectedRecord } from "../model/DatasetError.ts"
import type { Definition } from "../model/Definition.ts"
import type { Event } from "../model/Event.ts"
import * as RemovedEntities from "../plan/RemovedEntities.ts"
import * as Part from "../plan/Part.ts"
import type * as PendingCursors from "../plan/PendingCursors.ts"
import * as Reading from "../read/Reading.ts"
import type * as RunRequests from "../plan/RunRequests.ts"
import type { Change, Cursor, OpenStore, Span, Time } from "../model/Store.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import * as Tracker from "../read/Tracker.ts"

/** Emits an event of the run. */
export type Emit = (event: Event) => Effect.Effect<unknown>

/** A run over an open store. */
export interface Run {
  readonly dataset: string
  readonly subject: SeriesParams.SeriesParams
  readonly definition: Definition
  readonly given: RunRequests.Given
  readonly plan: RunRequests.RunRequests
  readonly store: OpenStore
  readonly isNew: boolean
  readonly concurrency: number
  /** Metrics that the service refused, and gives when they are asked for by themselves. */
  readonly doubted: ReadonlySet<string>
  readonly emit: Emit
}

/** Entities that an event names. */
export const mostNamed = 100

const isApiError = Schema.is(ApiError)

/** A run, and what it has done. Its parts change this while they are read, several at a time. */
export interface RunState extends Run {
  readonly client: Client.Client["Service"]
  readonly cursors: Map<string, Cursor>
  /** The cursors as the store has them. */
  readonly stored: Map<string, Cursor>
  /** Entities of which records came. */
  readonly alive: Set<string>
  /** Parts without records of entities that may hold some there, and of which none came before. */
  readonly doubtful: Array<Part.Part>
  readonly probed: PendingCursors.PendingCursors
  /** Entities that the service refused by name, with the refusal. */
  readonly unknown: Map<string, Failure["error"]>
  /** Entities whose records come under a name that the definition does not have. */
  readonly otherNames: Map<string, OtherName["names"][number]>
  /** Metrics that the service refuses, with the refusal. Nothing more is read then. */
  readonly refused: Map<string, ApiError>
  readonly failed: Array<Failure>
  readonly counts: Counts
  /** When the run began, by the monotonic clock. */
  readonly begin: number
}

/** What a run has counted. */
export interface Counts {
  records: number
  replaced: number
  changes: number
  done: number
  failed: number
  running: number
  /** Requests that probes found to be needed, beside those of the plan. */
  found: number
}

/** Begins a run. */
export const make = Effect.fnUntraced(function* (run: Run) {
  const state: RunState = {
    ...run,
    client: yield* Client.Client,
    cursors: new Map(run.given.cursors),
    stored: new Map(run.given.cursors),
    alive: new Set(),
    doubtful: [],
    probed: new Map(),
    unknown: new Map(),
    otherNames: new Map(),
    refused: new Map(),
    failed: [],
    counts: { records: 0, replaced: 0, changes: 0, done: 0, failed: 0, running: 0, found: 0 },
    begin: yield* Monotonic.now
  }
  return state
})

/** Requests that are planned. */
export const requestsOf = ({ holes, loads, probes, tails }: RunRequests.RunRequests): number =>
  loads.length + probes.length + tails.length + holes.length

/** Applies a change, and tells of it. */
export const apply = Effect.fnUntraced(function* ({ counts, dataset, emit, store, stored }: RunState, change: Change) {
  const cursors = Effect.tap(change.cursors, (all) =>
    Effect.sync(() => {
      for (const cursor of all) stored.set(cursor.entity, cursor)
    })
  )
  const applied = yield* store.apply({ ...change, cursors })
  counts.changes += 1
  counts.replaced += applied.replaced
  const entities = [...new Set(change.spans.map(({ entity }) => entity))].slice(0, mostNamed)
  const { deleted, records, replaced, revised, written } = applied
  const more = revised === undefined ? {} : { revised }
  yield* emit({ _tag: "Changed", dataset, entities, records, replaced, ...more, written, deleted })
})

/** Applies a change that reads nothing. */
export const applyAlone = (state: RunState, change: Change) =>
  Effect.catchIf(apply(state, change), isApiError, Effect.die)

const boundsOf = ({ provisional, todo }: Cursor): string => JSON.stringify([todo, provisional])

/**
 * Keeps the cursors of entities that have less left to read than the store knows: where a part has the records that are held, no change
 * tells that it was read.
 */
export const keepRead = (state: RunState) => {
  const { cursors, given, plan, stored } = state
  const read = [...stored.values()].flatMap((before) => {
    const { entity, todo } = before
    const cursor = cursors.get(entity)
    const isRead =
      cursor !== undefined &&
      (todo !== undefined || given.window !== undefined) &&
      boundsOf(cursor) !== boundsOf(before)
    return isRead && cursor !== plan.begun.get(entity) ? [cursor] : []
  })
  const change: Change = { spans: [], records: Stream.empty, cursors: Effect.succeed(read), forget: [] }
  return read.length === 0 ? Effect.void : applyAlone(state, change)
}

/** Applies a change without records: it notes that these entities were asked for in vain. */
export const applyInVain = (
  state: RunState,
  part: Part.Part,
  entities: ReadonlyArray<string>,
  tracker: Tracker.Tracker
) => apply(state, { spans: [], records: Stream.empty, cursors: advance(state, part, entities, tracker), forget: [] })

/** What sees the records of a part. */
export const trackerOf = ({ subject }: RunState, { entities, from, limit, to }: Part.Part): Tracker.Tracker =>
  Tracker.make({ entity: subject.entity }, subject.every, {
    entities: new Set(entities),
    from: limit === undefined ? from : undefined,
    to
  })

/** Reads a part, and counts its records. Fails at its end as `complete` does. */
export const read = (
  { counts, dataset, definition, subject }: RunState,
  part: Part.Part,
  tracker: Tracker.Tracker,
  complete?: Effect.Effect<void, UnexpectedRecord>
) => {
  const see: Tracker.Tracker["see"] = (records) => {
    counts.records += records.length
    return tracker.see(records)
  }
  return Reading.of({ dataset, subject, definition, part, see, complete })
}

/** The cursor of an entity; of one that has none, that of a series from which nothing was read. */
export const cursorOf = ({ cursors, definition, subject }: RunState, entity: string): Cursor =>
  cursors.get(entity) ?? {
    entity,
    from: SeriesParams.startOf(subject, definition) ?? null,
    last: null,
    columns: SeriesParams.columnsOf(subject, definition)
  }

/** The cursor of an entity after a span of it was read. */
export const cursorAfter = (
  state: RunState,
  { reason }: Part.Part,
  span: Span,
  seen: Tracker.Seen | undefined
): Cursor => {
  const { definition, given, subject } = state
  return Advance.advance(cursorOf(state, span.entity), { subject, definition, span, reason, seen, now: given.now })
}

/** The cursors of entities after a part was read; counts in those of others that were asked for before. */
export const advance = (
  state: RunState,
  part: Part.Part,
  entities: ReadonlyArray<string>,
  tracker: Tracker.Tracker
): Effect.Effect<ReadonlyArray<Cursor>> =>
  Effect.sync(() =>
    entities.map((entity) => {
      const next = cursorAfter(
        state,
        part,
        Part.reachedOf(part, cursorOf(state, entity), state.given.now),
        tracker.of(entity)
      )
      state.cursors.set(entity, next)
      return next
    })
  )

/** Whether a part without records of an entity, from a time on, would take back records that are held. */
export const wouldVanish = (
  { alive, cursors, given }: RunState,
  part: Part.Part,
  entity: string,
  from: Time | undefined
): boolean => {
  // Of a cache a part has what was not read, and what was provisional.
  const { provisional } = (given.window && part.reason === "earlier" && given.cursors.get(entity)) || {}
  const times = { from: part.from ?? null, to: part.to ?? null }
  const mayHold = provisional?.some((one) => Bounds.both(one, times).length > 0) ?? true
  return mayHold && !alive.has(entity) && RemovedEntities.wouldVanish(part, cursors.get(entity), from)
}

/** Whether a part has all of its time. A hole is only what is missing in one, and a probe has the latest records. */
const isOfTime = ({ reason }: Part.Part) => reason !== "hole" && reason !== "probe"

/** Notes entities of which a part has records. */
export const noteAlive = ({ alive }: RunState, part: Part.Part, entities: Iterable<string>) => {
  if (isOfTime(part)) for (const entity of entities) alive.add(entity)
}

/** Notes that a part leaves what is held of entities as it is, since it has no record of them. */
export const noteDoubtful = ({ doubtful }: RunState, part: Part.Part, entities: ReadonlyArray<string>) => {
  if (isOfTime(part) && entities.length > 0) doubtful.push({ ...part, entities })
}

/** Notes that entities could not be read, and tells of it. */
export const noteFailure = Effect.fnUntraced(function* (
  { counts, dataset, emit, failed }: RunState,
  entities: ReadonlyArray<string>,
  error: Failure["error"]
) {
  counts.failed += 1
  failed.push({ entities, error })
  const named = entities.slice(0, mostNamed)
  yield* emit({ _tag: "Failed", dataset, entities: named, error: error._tag, reason: error.message })
})

/** What could not be read. */
export const failureOf = ({ dataset, failed, otherNames }: RunState): SyncFailed | OtherName | undefined => {
  if (failed.length > 0) return new SyncFailed({ dataset, failed })
  return otherNames.size > 0 ? new OtherName({ dataset, names: [...otherNames.values()] }) : undefined
}

/** Tells how far the run is. */
export const report = Effect.fnUntraced(function* ({ begin, client, counts, emit, plan }: RunState) {
  const elapsed = (yield* Monotonic.now) - begin
  const { done, failed, found, records, running } = counts
  const requests = requestsOf(plan) + found
  const quota = QuotaState.plain(yield* client.quota.state)
  yield* emit({ _tag: "Progress", requests, done, failed, running, records, elapsed, quota })
})
