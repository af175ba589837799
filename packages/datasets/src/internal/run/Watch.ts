/**
 * Goes on with a dataset that is current: keeps what a live stream sends, minute by minute, and syncs now and then.
 *
 * Live records are kept as they come: each takes the place of what is held of its entity and time. They do not move where the next
 * sync begins, so that it reads them again, with what the service sent late or revised, what a gap of the stream left out, and fields
 * that a record has over HTTP alone. What a sync could not see yet, because the HTTP side lags behind the stream, is kept once more.
 */
import * as Endpoints from "@sluice/core/Endpoints"
import type { LiveError } from "@sluice/core/LiveError"
import type { LiveClient } from "@sluice/core/LiveClient"
import type { LiveMessage } from "@sluice/core/LiveMessage"
import type * as LiveEndpoint from "@sluice/core/LiveEndpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { Definition } from "../model/Definition.ts"
import type { Event } from "../model/Event.ts"
import * as Calendar from "../model/Calendar.ts"
import * as Keys from "../model/Keys.ts"
import * as Moment from "../model/Moment.ts"
import * as Reading from "../read/Reading.ts"
import type { Change, Cursor, Cut, OpenStore, Span, Time } from "../model/Store.ts"
import * as SeriesParams from "../model/SeriesParams.ts"

/** The live operation of a series, with the parameters of a subscription to it. */
export interface Subscription {
  readonly endpoint: LiveEndpoint.Any
  readonly params: Schema.JsonObject
}

/** Finds the live operation that sends the records of a definition; nothing where none sends them all, or it sends others. */
export const subscriptionOf = (
  subject: SeriesParams.SeriesParams,
  definition: Definition
): Subscription | undefined => {
  const params = SeriesParams.askedOf(subject, definition)
  const endpoint = Endpoints.live.find(
    ({ history, overHttp }) => history === subject.endpoint.path && overHttp === "same"
  )
  if (endpoint === undefined) return undefined
  const asked: Record<string, Schema.Json> = Struct.omit(params, [subject.names.start])
  const frequency = Parameter.find(endpoint.parameters, "Frequency")
  if (frequency !== undefined) {
    const wanted = Parameter.frequencyOf(subject.endpoint, params) ?? ""
    if (!frequency.words.includes(wanted)) return undefined
    asked[frequency.name] = wanted
  }
  return Object.keys(asked).every((name) => endpoint.parameters.has(name)) ? { endpoint, params: asked } : undefined
}

/** How far the HTTP side may lag behind the live stream, in milliseconds: twice what a live client waits for it. */
const longestLag = 60_000

/**
 * Where the live stream begins after a sync: before what that could not see yet, and not before the dataset. A record may be published
 * at the end of its period. The clock of this machine may be ahead of the service, which then has no records from its present on, so the
 * last record of all counts where it is earlier. Where the clock is behind, that record tells better what the present is.
 */
export const sinceOf = (
  subject: SeriesParams.SeriesParams,
  definition: Definition,
  cursors: ReadonlyMap<string, Cursor>,
  started: number
): Time => {
  let latest: Time | null = null
  for (const { last } of cursors.values()) if (latest === null || (last !== null && last > latest)) latest = last
  const now = Moment.ofMillis(started)
  const present = Moment.earlier(latest !== null && latest > now ? latest : now, subject.every ?? 0)
  const since = Moment.earlier(latest !== null && latest < present ? latest : present, longestLag)
  const start = SeriesParams.startOf(subject, definition)
  return start !== undefined && start > since ? start : since
}

/** Records of a live stream until they are kept, and a few minutes longer, since parts of one may come later. */
export interface Collected {
  readonly add: (message: LiveMessage<unknown>) => void
  /** The changes that keep what came since the last ones, in this order; none where nothing came. */
  readonly flush: (cursors: Map<string, Cursor>, now: number) => ReadonlyArray<Change>
  /** Drops what the last flush gave: it could not be kept. */
  readonly refuse: () => void
  /**
   * After a sync, has the next flush keep once more what does not come before the last record of its entity: others of that time may
   * have been published later. Where the stream left records out, those of that time may be among them, and the sync knows better.
   */
  readonly recall: (cursors: ReadonlyMap<string, Cursor>, isIncomplete: boolean) => void
  /** Whether the stream left records out since the last time that this was asked. */
  readonly isIncomplete: () => boolean
}

interface Held {
  record: Readonly<Record<string, unknown>>
  readonly entity: string
  readonly time: Time
  /** Whether the next flush keeps it. */
  isDue: boolean
  /** Whether a sync has read what is held of its entity and time. */
  isRead: boolean
  /** When it was first kept, in milliseconds since 1970; nothing before. */
  kept: number | undefined
}

/** Milliseconds for which a record is remembered after it was kept. */
const remembered = 600_000

/** Begins to collect. */
export const collect = (
  { entity: field, identity }: SeriesParams.SeriesParams,
  cut: Cut,
  tailOf: (cursor: Cursor) => Time | undefined
): Collected => {
  const fields: Keys.Fields = { entity: field }
  const held = new Map<string, Held>()
  let latest: ReadonlyArray<Held> = []
  let isIncomplete = false
  const idOf = (entity: string, time: Time, record: Readonly<Record<string, unknown>>) =>
    JSON.stringify([entity, time, identity?.length === 0 ? record : identity?.map((name) => record[name])])
  const add = (message: LiveMessage<unknown>) => {
    if (message._tag === "Gap" || message._tag === "Dropped") isIncomplete = true
    if (message._tag !== "Data" || !Predicate.isObject(message.record)) return
    const record: Readonly<Record<string, unknown>> = Struct.omit({ ...message.record }, ["cm_sequence_id"])
    const entity = Keys.entityOf(fields, record)
    const time = Keys.timeOf(record)
    const id = idOf(entity, time, record)
    // Metrics of one time may come in several messages.
    held.set(id, {
      record: { ...held.get(id)?.record, ...record },
      entity,
      time,
      isDue: true,
      isRead: false,
      kept: undefined
    })
  }
  const strangers = new Set<string>()
  /** Where entities share files, a change has one period alone. */
  const inPeriods = (kept: ReadonlyArray<Held>): ReadonlyArray<ReadonlyArray<Held>> => {
    const { byEntity, period } = cut
    if (kept.length === 0) return []
    if (byEntity || period === undefined) return [kept]
    const all = Map.groupBy(kept, ({ time }) => Calendar.periodOf(period, time))
    return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, own]) => own)
  }
  const changeOf = (kept: ReadonlyArray<Held>, cursors: Map<string, Cursor>): Change => {
    const spans = kept.flatMap(({ entity, time }, index): ReadonlyArray<Span> => {
      const before = kept[index - 1]
      const isSame = before?.entity === entity && before.time === time
      return isSame ? [] : [{ entity, from: time, to: Moment.next(time) }]
    })
    return {
      spans,
      records: Stream.fromIterable(kept.map(({ record }) => record)),
      cursors: Effect.sync(() =>
        [...new Set(kept.map(({ entity }) => entity))].flatMap((entity) => {
          const cursor = cursors.get(entity)
          const own = kept.filter((one) => one.entity === entity)
          const [first = "", last = ""] = [own[0]?.time, own.at(-1)?.time]
          if (cursor === undefined) return []
          const tail = tailOf(cursor)
          // The next sync begins at the beginning, which no time can say.
          const todo = cursor.todo ?? [{ from: null, to: first }]
          const next: Cursor = {
            // What the last run read again is held no more as it was read.
            ...Struct.omit(cursor, ["seen"]),
            last: cursor.last !== null && cursor.last > last ? cursor.last : last,
            ...(tail === undefined && { todo }),
            open: tail !== undefined && tail < first ? tail : first
          }
          cursors.set(entity, next)
          return [next]
        })
      ),
      forget: []
    }
  }
  const flush: Collected["flush"] = (cursors, now) => {
    // A sync finds an entity that was added. Where the catalog does not have it yet, one sync is enough until the next is due.
    for (const { entity, isDue } of held.values()) {
      if (!isDue || cursors.has(entity) || strangers.has(entity)) continue
      strangers.add(entity)
      isIncomplete = true
    }
    const fresh = [...held.values()].filter((one) => one.isDue && cursors.has(one.entity))
    const places = new Set(fresh.map(({ entity, time }) => JSON.stringify([entity, time])))
    // All records of a time are kept together, since they take the place of what is held of it.
    const kept = [...held.values()]
      .filter(({ entity, time }) => places.has(JSON.stringify([entity, time])))
      .toSorted((a, b) => Keys.compare(a, b))
    for (const [id, one] of held) {
      one.isDue = false
      one.kept ??= now
      if (one.kept < now - remembered) held.delete(id)
    }
    latest = fresh
    return inPeriods(kept).map((kept) => changeOf(kept, cursors))
  }
  return {
    add,
    flush,
    refuse: () => {
      const refused = new Set(latest)
      for (const [id, one] of held) if (refused.has(one)) held.delete(id)
      // The sync that reads their times may come before the HTTP side has them, so there is another one.
      isIncomplete = true
    },
    recall: (cursors, isIncomplete) => {
      for (const one of held.values()) {
        const last = cursors.get(one.entity)?.last
        if (last === undefined) continue
        if (isIncomplete && last !== null && one.time <= last) one.isRead = true
        if (!one.isRead && (last === null || one.time >= last)) one.isDue = true
      }
    },
    isIncomplete: () => {
      const was = isIncomplete
      isIncomplete = false
      return was
    }
  }
}

/** What keeps live records. */
export interface Keeping {
  readonly dataset: string
  readonly subject: SeriesParams.SeriesParams
  readonly opened: Pick<OpenStore, "apply">
  readonly collected: Collected
  readonly emit: (event: Event) => Effect.Effect<unknown>
}

/** Entities that an event names. */
const mostNamed = 100

/**
 * Keeps what came since the last time. False where a record has a time that does not exist, or a value that cannot be written: then nothing
 * of it is kept, and its time has to be read over HTTP.
 */
export const keep = Effect.fnUntraced(function* (
  { collected, dataset, emit, opened, subject }: Keeping,
  cursors: Map<string, Cursor>
) {
  const before = new Map(cursors)
  const changes = collected.flush(cursors, yield* Clock.currentTimeMillis)
  const one = Effect.fnUntraced(function* (change: Change) {
    const entities = entitiesOf(change)
    const records = Reading.inOrder(dataset, subject, change.records)
    const { deleted, records: count, replaced, written } = yield* opened.apply({ ...change, records })
    yield* emit({ _tag: "Changed", dataset, entities, records: count, replaced, written, deleted })
  })
  const all = Effect.forEach(changes, one, { discard: true })
  return yield* all.pipe(
    Effect.as(true),
    Effect.catchIf(isOfRecord, (error) => {
      for (const [entity, cursor] of before) cursors.set(entity, cursor)
      collected.refuse()
      const named = error._tag === "UnexpectedRecord" ? [error.entity] : changes.flatMap(entitiesOf).slice(0, mostNamed)
      const reason = `${error.message}; this time is read over HTTP in place of the live stream`
      return Effect.as(emit({ _tag: "Failed", dataset, entities: named, error: error._tag, reason }), false)
    })
  )
})

const entitiesOf = ({ spans }: Change) => [...new Set(spans.map(({ entity }) => entity))].slice(0, mostNamed)

const isOfRecord = Predicate.or(Predicate.isTagged("UnexpectedRecord"), Predicate.isTagged("Unwritable"))

/** Follows a subscription from a time on, tells when it is lost and there again, and never ends by itself. */
export const follow = (
  { endpoint, params }: Subscription,
  since: Time,
  { collected, dataset, emit }: Pick<Keeping, "collected" | "dataset" | "emit">
): Effect.Effect<void, LiveError, LiveClient> =>
  // Type boundary: the parameters are those of a definition, and are checked when the stream runs.
  Stream.runForEachArray(endpoint(params as never, { since }), (messages) => {
    messages.forEach(collected.add)
    return Effect.forEach(
      messages.flatMap((message) => connectionOf(dataset, message)),
      emit,
      { discard: true }
    )
  })

const connectionOf = (dataset: string, message: LiveMessage<unknown>): ReadonlyArray<Event> => {
  if (message._tag === "Connected") return [{ _tag: "Connected", dataset, connection: message.connection }]
  if (message._tag !== "Disconnected") return []
  const { _tag: error, message: reason } = message.error
  return [{ _tag: "Disconnected", dataset, error, reason }]
}
