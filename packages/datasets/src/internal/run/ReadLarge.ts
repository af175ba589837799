/**
 * Reads a part that has more records than a page: they are kept while they are read, so that they are never in memory together.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { type StoreError, UnexpectedRecord } from "../model/DatasetError.ts"
import * as Keys from "../model/Keys.ts"
import type { Part } from "../plan/Part.ts"
import * as Advance from "../read/Advance.ts"
import type * as Tracker from "../read/Tracker.ts"
import * as RunState from "./RunState.ts"
import type { Time } from "../model/Store.ts"

type Batch = Arr.NonEmptyReadonlyArray<unknown>

/**
 * Reads a part, and keeps it: as one change, or where the store wants smaller ones, as one after so many records, of which each
 * leaves the rest to be read. Where it has no record of entities that are held, it is read again without them, and they stay as
 * they are.
 */
export const read = (state: RunState.RunState, part: Part): Effect.Effect<void, ApiError | StoreError, Client> =>
  Effect.suspend(() => {
    const tracker = RunState.trackerOf(state, part)
    let vanished: ReadonlyArray<string> = []
    const complete = Effect.suspend(() => {
      const seen = part.entities.filter((entity) => tracker.of(entity) !== undefined)
      RunState.noteAlive(state, part, seen)
      vanished = part.entities.filter(
        (entity) => tracker.of(entity) === undefined && RunState.wouldVanish(state, part, entity, part.from)
      )
      const [entity] = vanished
      if (entity === undefined) return Effect.void
      const { dataset } = state
      return Effect.fail(new UnexpectedRecord({ dataset, entity, time: part.from ?? "", reason: "is there no more" }))
    })
    const records = RunState.read(state, part, tracker, complete)
    const before = state.cursors.get(part.entities[0] ?? "")
    return Effect.catchTag(keep(state, part, records, tracker), "UnexpectedRecord", (error) => {
      if (vanished.length > 0) return readWithout(state, part, vanished)
      const isKept = state.cursors.get(part.entities[0] ?? "") !== before
      return Effect.andThen(isKept ? noteUnread(state, part) : Effect.void, Effect.fail(error))
    })
  })

/** Keeps the records of a part, change after change. */
const keep = Effect.fnUntraced(function* (
  state: RunState.RunState,
  part: Part,
  records: Stream.Stream<unknown, ApiError | UnexpectedRecord, Client>,
  tracker: Tracker.Tracker
) {
  const most = part.entities.length > 1 ? Infinity : (state.given.cut.rows ?? Infinity)
  // Type boundary: a store asks for no client, and these arrays are read where there is one. To provide it for each takes 1 % of a load.
  const pull = (yield* Channel.toPullScoped(Stream.toChannel(records), yield* Effect.scope)) as Pull.Pull<
    Batch,
    ApiError | UnexpectedRecord
  >
  let from = part.from
  /** The array that begins the next change, once it was read. */
  const rest: Array<Batch> = []
  do {
    let count = 0
    let before: Tracker.Seen | undefined
    const add = (batch: Batch) => {
      count += batch.length
      before = count < most ? undefined : seenOf(tracker, part)
      return batch
    }
    const next: Pull.Pull<Batch, ApiError | UnexpectedRecord> = Effect.suspend(() => {
      const begun = rest.shift()
      if (begun !== undefined) return Effect.succeed(add(begun))
      return Effect.flatMap(pull, (batch) => {
        // Records of one time stay together.
        if (before === undefined || Keys.timeOf(batch[0]) <= before.last) return Effect.succeed(add(batch))
        rest.push(batch)
        return Cause.done()
      })
    })
    const until = Effect.sync(() => restFrom(rest))
    const last = RunState.advance(state, { ...part, own: new Map() }, part.entities, tracker)
    yield* RunState.apply(state, {
      // What is asked for is replaced, also where an entity was wanted from a later time on.
      spans: part.entities.map((entity) => ({ entity, from, to: part.to })),
      until,
      records: Stream.fromPull(Effect.succeed(next)),
      cursors: Effect.flatMap(until, (to) => (to === undefined ? last : advanceTo(state, part, to, before))),
      forget: []
    })
    from = restFrom(rest)
  } while (rest.length > 0)
}, Effect.scoped)

/**
 * Marks a part as unread as a whole. Where the service has sent records in another order than theirs, changes that were kept may lack
 * some.
 */
const noteUnread = (state: RunState.RunState, part: Part) => {
  const { entities, from = null, to = null } = part
  const cursors = Effect.sync(() =>
    entities.map((entity) => {
      const cursor = RunState.cursorOf(state, entity)
      const next = { ...cursor, todo: [...(cursor.todo ?? []), { from, to }] }
      state.cursors.set(entity, next)
      return next
    })
  )
  return RunState.apply(state, { spans: [], records: Stream.empty, cursors, forget: [] })
}

const restFrom = ([first]: ReadonlyArray<Batch>): Time | undefined => first && Keys.timeOf(first[0])

/** What was seen of the only entity of a part up to now. */
const seenOf = (tracker: Tracker.Tracker, { entities: [entity = ""] }: Part): Tracker.Seen | undefined => {
  const seen = tracker.of(entity)
  return seen && { ...seen, gaps: [...seen.gaps] }
}

/** The cursor of the only entity of a part after it was read up to a time: the rest is still to be read. */
const advanceTo = (state: RunState.RunState, part: Part, to: Time, seen: Tracker.Seen | undefined) =>
  Effect.sync(() => {
    const [entity = ""] = part.entities
    const { from } = part
    const all = Advance.withRead(
      RunState.cursorOf(state, entity),
      { entity, from, to: part.to },
      { definition: state.definition, now: state.given.now }
    )
    const next = RunState.cursorAfter(state, part, { entity, from, to }, seen)
    const cursor = { ...next, todo: [...(all.todo ?? []), { from: to, to: part.to ?? null }] }
    state.cursors.set(entity, cursor)
    return [cursor]
  })

/** Reads a part without entities of which it has no record. */
const readWithout = Effect.fnUntraced(function* (
  state: RunState.RunState,
  part: Part,
  vanished: ReadonlyArray<string>
) {
  if (part.reason === "hole") yield* RunState.applyInVain(state, part, vanished, RunState.trackerOf(state, part))
  RunState.noteDoubtful(state, part, vanished)
  const entities = part.entities.filter((entity) => !vanished.includes(entity))
  if (entities.length > 0) yield* read(state, { ...part, entities })
})
