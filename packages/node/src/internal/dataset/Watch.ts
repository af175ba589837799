/**
 * Goes on with a dataset that is current: keeps what a live stream sends, minute by minute, and syncs now and then.
 *
 * Live records are kept as they come: each takes the place of what is held of its entity and time. The syncs in between read them
 * again, since over HTTP a record may have other fields, with what the service sent late or revised.
 */
import * as Endpoints from "@sluice/core/Endpoints"
import type { LiveError } from "@sluice/core/LiveError"
import type { LiveClient } from "@sluice/core/LiveClient"
import type { LiveMessage } from "@sluice/core/LiveMessage"
import type * as LiveEndpoint from "@sluice/core/LiveEndpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { Definition } from "./Definition.ts"
import type { Event } from "./Event.ts"
import * as Keys from "./Keys.ts"
import * as Moment from "./Moment.ts"
import * as Reading from "./Reading.ts"
import type { Change, Cursor, OpenStore, Span, Time } from "./Store.ts"
import * as Subject from "./Subject.ts"

/** The live operation of a series, with the parameters of a subscription to it. */
export interface Subscription {
  readonly endpoint: LiveEndpoint.Any
  readonly params: Schema.JsonObject
}

/** Finds the live operation that sends the records of a definition; nothing where none sends them all. */
export const subscriptionOf = (subject: Subject.Subject, { params }: Definition): Subscription | undefined => {
  const endpoint = Endpoints.live.find(({ history }) => history === subject.endpoint.path)
  if (endpoint === undefined) return undefined
  const asked: Record<string, Schema.Json> = Struct.omit(params, [subject.names.start])
  const frequency = Parameter.find(endpoint.parameters, "Frequency")
  if (frequency !== undefined) {
    const wanted = Subject.frequencyOf(subject.endpoint, params) ?? ""
    if (!frequency.words.includes(wanted)) return undefined
    asked[frequency.name] = wanted
  }
  return Object.keys(asked).every((name) => endpoint.parameters.has(name)) ? { endpoint, params: asked } : undefined
}

/** Records of a live stream until they are kept, and a few flushes longer, since parts of one may come later. */
export interface Collected {
  readonly add: (message: LiveMessage<unknown>) => void
  /** The change that keeps what came since the last one; nothing where nothing came. */
  readonly flush: (cursors: Map<string, Cursor>) => Change | undefined
}

interface Held {
  record: Readonly<Record<string, unknown>>
  readonly entity: string
  readonly time: Time
  /** Number of the flush that it waits for, or was kept by. */
  flush: number
}

/** Flushes for which a record is remembered after it was kept. */
const remembered = 10

/** Begins to collect. */
export const collect = ({ entity: field, identity }: Subject.Subject): Collected => {
  const fields: Keys.Fields = { entity: field }
  const held = new Map<string, Held>()
  let count = 0
  const idOf = (entity: string, time: Time, record: Readonly<Record<string, unknown>>) =>
    JSON.stringify([entity, time, identity?.length === 0 ? record : identity?.map((name) => record[name])])
  const add = (message: LiveMessage<unknown>) => {
    if (message._tag !== "Data" || !Predicate.isObject(message.record)) return
    const record: Readonly<Record<string, unknown>> = Struct.omit({ ...message.record }, ["cm_sequence_id"])
    const entity = Keys.entityOf(fields, record)
    const time = Keys.timeOf(record)
    const id = idOf(entity, time, record)
    // Metrics of one time may come in several messages.
    held.set(id, { record: { ...held.get(id)?.record, ...record }, entity, time, flush: count })
  }
  const flush = (cursors: Map<string, Cursor>) => {
    const fresh = [...held.values()].filter((one) => one.flush === count && cursors.has(one.entity))
    const places = new Set(fresh.map(({ entity, time }) => JSON.stringify([entity, time])))
    // All records of a time are kept together, since they take the place of what is held of it.
    const kept = [...held.values()]
      .filter(({ entity, time }) => places.has(JSON.stringify([entity, time])))
      .toSorted((a, b) => Keys.compare(a, b))
    for (const [id, { flush }] of held) if (flush < count - remembered) held.delete(id)
    count += 1
    if (kept.length === 0) return undefined
    const spans = kept.flatMap(({ entity, time }, index): ReadonlyArray<Span> => {
      const before = kept[index - 1]
      const isSame = before?.entity === entity && before.time === time
      return isSame ? [] : [{ entity, from: time, to: Moment.next(time) }]
    })
    const change: Change = {
      spans,
      records: Stream.fromIterable(kept.map(({ record }) => record)),
      cursors: Effect.sync(() =>
        [...new Set(kept.map(({ entity }) => entity))].flatMap((entity) => {
          const cursor = cursors.get(entity)
          const own = kept.filter((one) => one.entity === entity)
          const [first = "", last = ""] = [own[0]?.time, own.at(-1)?.time]
          if (cursor === undefined) return []
          const next: Cursor = {
            // What the last run read again is held no more as it was read.
            ...Struct.omit(cursor, ["seen"]),
            last: cursor.last !== null && cursor.last > last ? cursor.last : last,
            // The next sync reads them again: over HTTP a record may have fields that it has not here.
            open: cursor.open !== undefined && cursor.open < first ? cursor.open : first
          }
          cursors.set(entity, next)
          return [next]
        })
      ),
      forget: []
    }
    return change
  }
  return { add, flush }
}

/** What keeps live records. */
export interface Keeping {
  readonly dataset: string
  readonly subject: Subject.Subject
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
  const change = collected.flush(cursors)
  if (change === undefined) return true
  const entities = [...new Set(change.spans.map(({ entity }) => entity))].slice(0, mostNamed)
  const records = Reading.inOrder(dataset, subject, change.records)
  return yield* opened.apply({ ...change, records }).pipe(
    Effect.flatMap(({ deleted, records, replaced, written }) =>
      Effect.as(emit({ _tag: "Changed", dataset, entities, records, replaced, written, deleted }), true)
    ),
    Effect.catchIf(isOfRecord, (error) => {
      for (const [entity, cursor] of before) cursors.set(entity, cursor)
      const named = error._tag === "UnexpectedRecord" ? [error.entity] : entities
      const reason = `${error.message}; this time is read over HTTP in place of the live stream`
      return Effect.as(emit({ _tag: "Failed", dataset, entities: named, error: error._tag, reason }), false)
    })
  )
})

const isOfRecord = Predicate.or(Predicate.isTagged("UnexpectedRecord"), Predicate.isTagged("Unwritable"))

/** Follows a subscription from a time on, and never ends by itself. */
export const follow = (
  { endpoint, params }: Subscription,
  since: Time,
  add: Collected["add"]
): Effect.Effect<void, LiveError, LiveClient> =>
  // Type boundary: the parameters are those of a definition, and are checked when the stream runs.
  Stream.runForEachArray(endpoint(params as never, { since }), (messages) => Effect.sync(() => messages.forEach(add)))
