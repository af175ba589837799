/**
 * Brings a dataset up to date: plans what to ask for, reads it, and hands the store one change after the other.
 */
import { ApiError } from "@sluice/core/ApiError"
import * as Client from "@sluice/core/Client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Checksum from "../folder/Checksum.ts"
import * as QuotaState from "../progress/QuotaState.ts"
import * as Advance from "./Advance.ts"
import { type Failure, SyncFailed, OtherName, type StoreError, UnexpectedRecord } from "./DatasetError.ts"
import type { Definition } from "./Definition.ts"
import type { Event } from "./Event.ts"
import * as Gone from "./Gone.ts"
import * as Grouping from "./Grouping.ts"
import * as Keys from "./Keys.ts"
import * as Moment from "./Moment.ts"
import * as Probed from "./Probed.ts"
import * as Reading from "./Reading.ts"
import * as RunPlan from "./RunPlan.ts"
import type { Subject } from "./Subject.ts"
import type { Change, Cursor, OpenStore, Span, Time } from "./Store.ts"
import * as Subjects from "./Subject.ts"
import * as Tracker from "./Tracker.ts"

/** Emits an event of the run. */
export type Emit = (event: Event) => Effect.Effect<unknown>

/** A run over an open store. */
export interface Run {
  readonly dataset: string
  readonly subject: Subject
  readonly definition: Definition
  readonly given: RunPlan.Given
  readonly plan: RunPlan.RunPlan
  readonly store: OpenStore
  readonly isNew: boolean
  readonly concurrency: number
  readonly emit: Emit
}

/** Entities that an event names. */
const mostNamed = 100

const isApiError = Schema.is(ApiError)

/** How a run ended. */
export interface Outcome {
  readonly cursors: Map<string, Cursor>
  /** What could not be read; all else was done. */
  readonly failed: SyncFailed | OtherName | undefined
}

/** Reads all that the plan wants. */
export const run = Effect.fnUntraced(function* (it: Run) {
  const { concurrency, dataset, definition, emit, given, plan, store, subject } = it
  const client = yield* Client.Client
  const cursors = new Map(given.cursors)
  const failed: Array<Failure> = []
  const otherNames: Array<OtherName["names"][number]> = []
  const wanted = new Set(plan.entities)
  /** Entities that the service refused by name, with the refusal. */
  const unknown = new Map<string, Failure["error"]>()
  /** Entities of which new records, or those of the look-back, came. */
  const alive = new Set<string>()
  const probed: Probed.Probed = new Map()
  const counts = { records: 0, replaced: 0, changes: 0, done: 0, failed: 0, running: 0, requests: 0 }
  const begin = yield* Clock.currentTimeMillis
  counts.requests = plan.loads.length + plan.probes.length + plan.tails.length + plan.holes.length

  const apply = Effect.fnUntraced(function* (change: Change) {
    const applied = yield* store.apply(change)
    counts.changes += 1
    counts.replaced += applied.replaced
    const entities = [...new Set(change.spans.map(({ entity }) => entity))].slice(0, mostNamed)
    const { deleted, records, replaced, written } = applied
    yield* emit({ _tag: "Changed", dataset, entities, records, replaced, written, deleted })
  })

  /** Applies a change that reads nothing. */
  const applyAlone = (change: Change) => Effect.catchIf(apply(change), isApiError, Effect.die)

  const cursorOf = (entity: string): Cursor =>
    cursors.get(entity) ?? {
      entity,
      from: Subjects.startOf(subject, definition) ?? null,
      last: null,
      columns: Subjects.columnsOf(subject, definition)
    }

  /** The cursors of entities after a part was read; counts in those of others that were asked for before. */
  const advanced = (part: RunPlan.Part, entities: ReadonlyArray<string>, tracker: Tracker.Tracker) =>
    Effect.sync(() =>
      entities.map((entity): Cursor => {
        const from = part.own?.get(entity) ?? part.from
        const span: Span = { entity, from, to: isOpen(part) ? undefined : part.to }
        const read = { subject, definition, span, reason: part.reason, seen: tracker.of(entity), now: given.now }
        const next = Advance.advance(cursorOf(entity), read)
        cursors.set(entity, next)
        return next
      })
    )

  const readingOf = (part: RunPlan.Part, tracker: Tracker.Tracker) => {
    const { records, repeats } = Reading.of({ dataset, subject, definition, part, tracker })
    const counted = Stream.mapArray(records, (some) => {
      counts.records += some.length
      return some
    })
    return { records: Stream.provideService(counted, Client.Client, client), repeats }
  }

  const trackerOf = ({ entities, from, limit, to }: RunPlan.Part) =>
    Tracker.make({ entity: subject.entity }, subject.every, {
      entities: new Set(entities),
      from: limit === undefined ? from : undefined,
      to
    })

  const wouldVanish = (part: RunPlan.Part, entity: string, from: Time | undefined) =>
    !alive.has(entity) && Gone.wouldVanish(part, cursors.get(entity), from, given.now)

  /** Whether a part has all that there is from its first time on. A hole has records behind it, whatever this machine takes for now. */
  const isOpen = ({ reason, to }: RunPlan.Part) =>
    to === undefined || (reason !== "hole" && to > Moment.ofMillis(given.now))

  /** Notes that holes were asked for in vain. */
  const inVain = (part: RunPlan.Part, entities: ReadonlyArray<string>, tracker: Tracker.Tracker) =>
    apply({ spans: [], records: Stream.empty, cursors: advanced(part, entities, tracker), forget: [] })

  /** Reads a part as it is kept. Where it has no record of some entities, it is read again without them, and they stay as they are. */
  const readLarge = (part: RunPlan.Part): Effect.Effect<void, ApiError | StoreError> =>
    Effect.suspend(() => {
      const tracker = trackerOf(part)
      let vanished: ReadonlyArray<string> = []
      const complete = Stream.suspend(() => {
        for (const entity of part.reason === "new" ? part.entities : [])
          if (tracker.of(entity) !== undefined) alive.add(entity)
        vanished = part.entities.filter(
          (entity) => tracker.of(entity) === undefined && wouldVanish(part, entity, part.from)
        )
        const [entity] = vanished
        if (entity === undefined) return Stream.empty
        return Stream.fail(new UnexpectedRecord({ dataset, entity, time: part.from ?? "", reason: "is there no more" }))
      })
      const change = apply({
        // What is asked for is replaced, also where an entity was wanted from a later time on.
        spans: part.entities.map((entity) => ({ entity, from: part.from, to: part.to })),
        records: Stream.concat(readingOf(part, tracker).records, complete),
        cursors: advanced({ ...part, own: new Map() }, part.entities, tracker),
        forget: []
      })
      return Effect.catchTag(change, "UnexpectedRecord", (error) => {
        if (vanished.length === 0) return Effect.fail(error)
        const entities = part.entities.filter((entity) => !vanished.includes(entity))
        const noted = part.reason === "hole" ? inVain(part, vanished, trackerOf(part)) : Effect.void
        return Effect.andThen(noted, entities.length === 0 ? Effect.void : readLarge({ ...part, entities }))
      })
    })

  /** Reads a part, and then keeps what is news in it. Gives the entities of which more has to be asked for. */
  const readSmall = Effect.fnUntraced(function* (
    part: RunPlan.Part
  ): Effect.fn.Return<ReadonlyArray<string>, ApiError | StoreError> {
    const tracker = trackerOf(part)
    const found = new Map<string, Array<unknown>>()
    const { records, repeats } = readingOf(part, tracker)
    yield* Stream.runForEachArray(records, (batch) =>
      Effect.sync(() => {
        for (const record of batch) {
          const entity = Keys.entityOf({ entity: subject.entity }, record)
          const others = found.get(entity)
          if (others === undefined) found.set(entity, [record])
          else others.push(record)
        }
      })
    )
    const more: Array<string> = []
    const vanished: Array<string> = []
    const news: Array<string> = []
    const vain: Array<string> = []
    const kept: Array<unknown> = []
    const digests = new Map<string, NonNullable<Cursor["seen"]>>()
    const own = trackerOf({ ...part, entities: part.entities })
    for (const entity of part.entities) {
      const all = found.get(entity) ?? []
      const from = part.own?.get(entity) ?? part.from
      const cursor = cursors.get(entity)
      const [first] = all
      if (part.limit !== undefined && cursor?.last === null) {
        // All of its time is asked for where it has any record.
        if (all.length > 0 || cursor.gone !== undefined) more.push(entity)
        continue
      }
      const sent = all.length + (repeats.get(entity) ?? 0)
      if (part.limit !== undefined && sent >= part.limit && from !== undefined && Keys.timeOf(first) > from) {
        more.push(entity)
        continue
      }
      const records = from === undefined ? all : all.filter((record) => Keys.timeOf(record) >= from)
      if (records.length > 0 && part.reason === "new") alive.add(entity)
      if (records.length === 0 && wouldVanish(part, entity, from)) {
        if (part.reason === "hole") vain.push(entity)
        // Asked for alone, it is refused or comes under another name where it is gone as a whole.
        else if (definition.gone === "remove" && part.entities.length > 1) vanished.push(entity)
        continue
      }
      const seen = from === undefined ? undefined : { from, digest: digestOf(records) }
      const before = cursor?.seen
      if (seen !== undefined && before?.from === from && before?.digest === seen.digest) continue
      if (part.limit !== undefined && !given.cut.byEntity) {
        // A change of files that entities share has one period, so the time since is asked for as that of others is.
        more.push(entity)
        if (seen !== undefined) probed.set(entity, seen)
        continue
      }
      news.push(entity)
      for (const record of records) kept.push(record)
      if (records.length > 0) own.see(records)
      const last = records.at(-1)
      if (last === undefined || !isOpen(part)) continue
      const next = RunPlan.tailOf(it, Advance.advance(cursorOf(entity), readOf(part, entity, own)))
      if (next === undefined || (from !== undefined && next < from)) continue
      digests.set(entity, { from: next, digest: digestOf(records.filter((record) => Keys.timeOf(record) >= next)) })
    }
    if (vain.length > 0) yield* inVain(part, vain, own)
    if (news.length > 0) {
      yield* apply({
        spans: spansOf(part, news),
        records: Stream.fromArray(kept),
        cursors: Effect.map(advanced(part, news, own), (all) =>
          all.map((cursor) => {
            const seen = digests.get(cursor.entity)
            const next = seen === undefined ? cursor : { ...cursor, seen }
            cursors.set(cursor.entity, next)
            return next
          })
        ),
        forget: []
      })
    }
    for (const entity of vanished) more.push(...(yield* attempt({ ...part, entities: [entity] })))
    return more
  })

  const readOf = (part: RunPlan.Part, entity: string, tracker: Tracker.Tracker): Advance.Read => ({
    subject,
    definition,
    span: { entity, from: part.own?.get(entity) ?? part.from, to: part.to },
    reason: part.reason,
    seen: tracker.of(entity),
    now: given.now
  })

  const read = (part: RunPlan.Part): Effect.Effect<ReadonlyArray<string>, ApiError | StoreError> =>
    part.isLarge ? Effect.as(readLarge(part), []) : readSmall(part)

  /** Reads a part, or its halves where the service refuses it or a value cannot be kept, down to the entity of which that is. */
  const attempt = (part: RunPlan.Part): Effect.Effect<ReadonlyArray<string>, StoreError> =>
    read(part).pipe(
      Effect.catchIf(isApiError, (error) => refused(part, error)),
      Effect.catchTag("UnexpectedRecord", (error) => renamed(part, error)),
      Effect.catchTag("Unwritable", (error) =>
        part.entities.length > 1 ? inHalves(part) : Effect.as(note(part.entities, error), [])
      )
    )

  const inHalves = Effect.fnUntraced(function* (part: RunPlan.Part) {
    const middle = Math.ceil(part.entities.length / 2)
    const halves = [part.entities.slice(0, middle), part.entities.slice(middle)]
    const more = yield* Effect.forEach(halves, (entities) => attempt({ ...part, entities }))
    return more.flat()
  })

  /** Looks for the entity whose records come under another name. Under that of another one they may come twice. */
  const renamed = Effect.fnUntraced(function* (
    part: RunPlan.Part,
    error: UnexpectedRecord
  ): Effect.fn.Return<ReadonlyArray<string>, StoreError> {
    if (part.entities.length > 1) return yield* inHalves(part)
    const [entity = ""] = part.entities
    if (error.entity === entity || error.entity === "") yield* note([entity], error)
    else if (wanted.has(error.entity)) {
      if (given.cursors.has(entity)) unknown.set(entity, error)
    } else otherNames.push({ entity, now: error.entity })
    return []
  })

  const refused = Effect.fnUntraced(function* (
    part: RunPlan.Part,
    error: ApiError
  ): Effect.fn.Return<ReadonlyArray<string>, StoreError> {
    const isOfOne =
      error._tag === "Forbidden" || (error._tag === "InvalidRequest" && Gone.namesOne(error, part.entities))
    if (isOfOne && part.entities.length > 1) return yield* inHalves(part)
    const [entity = ""] = part.entities
    // Any other refusal is about the request, and tells nothing of the entity.
    const isUnknown =
      isOfOne &&
      error._tag === "InvalidRequest" &&
      error.parameter === subject.names.entities &&
      given.cursors.has(entity)
    if (isUnknown) unknown.set(entity, error)
    else yield* note(part.entities, error)
    return []
  })

  const note = Effect.fnUntraced(function* (entities: ReadonlyArray<string>, error: Failure["error"]) {
    counts.failed += 1
    failed.push({ entities, error })
    const named = entities.slice(0, mostNamed)
    yield* emit({ _tag: "Failed", dataset, entities: named, error: error._tag, reason: error.message })
  })

  /** Gives up the entities that the service refused, unless it refused all: then something else is wrong. */
  const settle = Effect.fnUntraced(function* () {
    const { dismissed, kept } = Gone.settle(cursors, unknown, definition.gone)
    yield* Effect.forEach(kept, ([entity, error]) => note([entity], error), { discard: true })
    yield* dismiss(dismissed)
  })

  /** Does with entities that the service no longer has what the definition says. */
  const dismiss = Effect.fnUntraced(function* (entities: ReadonlyArray<string>) {
    if (entities.length > 0) yield* applyAlone(Gone.changeOf(it, cursors, entities))
  })

  const all = Effect.fnUntraced(function* (parts: ReadonlyArray<RunPlan.Part>) {
    const one = Effect.fnUntraced(function* (part: RunPlan.Part) {
      counts.running += 1
      return yield* Effect.ensuring(
        attempt(part),
        Effect.sync(() => {
          counts.running -= 1
          counts.done += 1
        })
      )
    })
    return (yield* Effect.forEach(Grouping.inTurns(given, parts), Effect.forEach(one), { concurrency })).flat(2)
  })

  const report = Effect.gen(function* () {
    const elapsed = (yield* Clock.currentTimeMillis) - begin
    const { done, failed, records, requests, running } = counts
    const quota = QuotaState.plain(yield* client.quota.state)
    yield* emit({ _tag: "Progress", requests, done, failed, running, records, elapsed, quota })
  })

  const work = Effect.gen(function* () {
    yield* emit({
      _tag: "Started",
      dataset,
      isNew: it.isNew,
      entities: plan.entities.length,
      requests: counts.requests,
      added: plan.added.slice(0, mostNamed),
      addedCount: plan.added.length,
      gone: plan.gone.slice(0, mostNamed),
      goneCount: plan.gone.length
    })
    // Where they would be removed, they are asked for by name: a catalog may be incomplete.
    if (definition.gone === "keep") yield* dismiss(plan.gone)
    for (const [entity, cursor] of plan.begun) cursors.set(entity, cursor)
    yield* all(plan.loads)
    const behind = yield* all(plan.probes)
    const tails = [...plan.tails, ...RunPlan.tailsOf({ ...given, cursors }, behind)]
    // Of several periods the last comes last: whether an entity has records in the others tells what it means that it has none there.
    yield* all(tails.filter((part) => !isOpen(part)))
    yield* all(tails.filter(isOpen))
    if (probed.size > 0) yield* applyAlone(Probed.changeOf(it, cursors, probed))
    yield* all(plan.holes)
    yield* settle()
  })
  yield* Effect.raceAllFirst([work, Effect.forever(Effect.delay(report, "250 millis")), store.lost])
  // What was not loaded is asked for by the next run.
  for (const [entity, cursor] of plan.begun) {
    const before = given.cursors.get(entity)
    if (cursors.get(entity) !== cursor) continue
    if (before === undefined) cursors.delete(entity)
    else cursors.set(entity, before)
  }
  const names = new Map(otherNames.map((one) => [one.entity, one]))
  const failure =
    failed.length > 0
      ? new SyncFailed({ dataset, failed })
      : names.size > 0
        ? new OtherName({ dataset, names: [...names.values()] })
        : undefined
  const outcome: Outcome = { cursors, failed: failure }
  if (failure !== undefined) return outcome
  const { changes, records, replaced } = counts
  yield* emit({ _tag: "Finished", dataset, entities: plan.entities.length, records, replaced, changes })
  return outcome
})

const spansOf = (part: RunPlan.Part, entities: ReadonlyArray<string>): ReadonlyArray<Span> =>
  entities.map((entity) => ({ entity, from: part.own?.get(entity) ?? part.from, to: part.to }))

const digestOf = (records: ReadonlyArray<unknown>): string => Checksum.ofText(JSON.stringify(records))
