/**
 * Reads records from a dataset, and brings it up to date before where it lacks some of them.
 */
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Timestamp from "@sluice/core/Timestamp"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { differing } from "@sluice/files/internal/folder/Differing"
import * as Asked from "../held/Asked.ts"
import * as Coverage from "../held/Coverage.ts"
import {
  BadDefinition,
  type DatasetError,
  type HeldError,
  NoDataset,
  NotHeld,
  OtherDefinition,
  type StoreError
} from "../model/DatasetError.ts"
import type { Existing } from "../model/Job.ts"
import * as Moment from "../model/Moment.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Window } from "../model/Bounds.ts"
import type { Store, Time } from "../model/Store.ts"
import * as Comparing from "../versions/Comparing.ts"
import * as Open from "./Open.ts"

/** Where records are read from. */
export interface ReadOptions {
  /** The folder of a dataset, or the store of its table, such as `DatasetDuckdb.make` gives; it is begun where there is none. */
  readonly from: string | Store
  /** Whether nothing is asked of the service: where the dataset lacks something, the read fails with {@link NotHeld}. Default false. */
  readonly offline?: boolean | undefined
  /**
   * For how long after a sync the dataset counts as current, a minute by default. After it, a read asks once more for times that the
   * service may still revise or add to: those from the look-back before that sync on. With 0, each read does.
   */
  readonly maxAge?: Duration.Input | undefined
  /**
   * The records as a program would have got them then, of a dataset that keeps versions (`versions: "keep"`): a time as the service writes it,
   * or a date, which is its first moment in UTC. Where the read begins the dataset, that keeps versions. What is later than the last sync
   * (`synced` of the status) is asked for first, and unknown to an offline read.
   */
  readonly asOf?: string | undefined
}

/** An endpoint. Only its call signature: from more, the type parameters could not be inferred. */
export type Callable<P, A> = (params: P, options?: Endpoint.CallOptions) => Endpoint.Records<A>

/** Reads from a dataset in one of the ways. What it lacks is read from the service first, unless the read is offline. */
export const from = <P, A, B>(
  endpoint: Callable<P, A>,
  params: P,
  { asOf, from, maxAge = "1 minute", offline: isOffline }: ReadOptions,
  giving: Giving<B>,
  isBounded = false
) => {
  // Type boundary: a function that gives the records of an endpoint is that endpoint, and its parameters are checked as data.
  const request = {
    endpoint,
    params,
    from,
    asOf,
    maxAge: isOffline === true ? undefined : Open.millisOf(maxAge),
    isBounded
  } as unknown as Request
  const fill = (job: Filling) => Effect.scoped(Open.runOnce({ ...job, to: from, grows: true }, () => Effect.void))
  return isOffline === true ? offline(request, giving) : filling(request, giving, fill)
}

/** What is read. */
export interface Request {
  readonly endpoint: Endpoint.Any
  readonly params: Readonly<Record<string, unknown>>
  readonly from: string | Store
  /** For how long a run counts as the present, in milliseconds; see {@link Coverage.Age}. */
  readonly maxAge?: number | undefined
  /** The moment at which the records were known, as it was given; absent for what is held now. */
  readonly asOf?: string | undefined
  /** Whether the times that are asked for are read alone. */
  readonly isBounded?: boolean | undefined
}

/** The moment that a program gave; nothing where it is none. */
const momentOf = (given: string): Time | undefined =>
  Result.match(Timestamp.toEpochNanos(given), { onFailure: () => undefined, onSuccess: Timestamp.fromEpochNanos })

/** What a store has of a request, and what it lacks. */
export const lookAt = Effect.fnUntraced(function* ({ asOf: given, endpoint, from, maxAge, params }: Request) {
  if (Number.isNaN(maxAge)) {
    return yield* refusal(endpoint, "maxAge", "is no length of time")
  }
  const asOf = given === undefined ? undefined : momentOf(given)
  if (given !== undefined && asOf === undefined) {
    const reason = "is no time, such as 2026-01-01T00:00:00Z"
    return yield* refusal(endpoint, "asOf", reason)
  }
  const { name, reader } = yield* Open.storeOf({ to: from })
  if (reader === undefined) {
    const reason = "is a place from which no records are read"
    return yield* refusal(endpoint, "from", reason)
  }
  const found = yield* reader
  const asked = yield* Asked.of(name, endpoint, params, found?.kept)
  const now = yield* Clock.currentTimeMillis
  if (asOf !== undefined && found !== undefined && found.past === undefined) {
    return yield* noVersions(endpoint, "asOf")
  }
  // Nothing that comes now was known before the last run had looked.
  const looked = found?.past?.looked
  const isPast = asOf !== undefined && looked !== undefined && asOf <= looked
  if (asOf !== undefined && asOf > Moment.ofMillis(now)) {
    return yield* refusal(endpoint, "asOf", "is in the future")
  }
  // A run may still find what was known by then, however young the last one is.
  const isAhead = asOf !== undefined && looked !== undefined && !isPast
  const age = { now, maxAge: isAhead && maxAge !== undefined ? -1 : maxAge }
  const missing = Coverage.missing(asked, isPast ? found?.past?.kept : found?.kept, age).filter(
    ({ isLatest, known }) => !(isPast && (isLatest === true || (known !== undefined && asOf <= known)))
  )
  return { name, found, asked, missing, age, asOf, synced: isAhead ? looked : undefined }
})

/** What is missing, as an error tells it. */
const rangesOf = (missing: ReadonlyArray<Coverage.Missing>): NotHeld["ranges"] =>
  missing.map((one) => Struct.omit(one, ["isLatest", "known"]))

/** Fails where not all that is needed is held. */
const expectHeld = Effect.fnUntraced(function* (
  { asked, found, name, synced }: Looked,
  { from, isBounded }: Request,
  missing: ReadonlyArray<Coverage.Missing>
) {
  // An empty cache is no missing dataset: its ranges are not held.
  if (found === undefined && missing.length > 0 && isBounded !== true)
    return yield* Open.withFound(from)(new NoDataset({ dataset: name, kind: "reading" }))
  if (synced !== undefined) {
    const ranges = rangesOf(asked.range.entities.map((entity) => ({ entity, from: synced })))
    return yield* new NotHeld({ dataset: name, ranges, synced })
  }
  if (missing.length > 0) return yield* new NotHeld({ dataset: name, ranges: rangesOf(missing), isCache: isBounded })
  return found
})

const noVersions = (endpoint: Endpoint.Any, setting: string) =>
  refusal(endpoint, setting, 'needs a dataset that keeps versions: sync it with versions: "keep" (--versions keep)')

const refusal = ({ path }: Endpoint.Any, setting: string, reason: string) =>
  new BadDefinition({ endpoint: path, kind: "reading", setting, reason })

/** What was found of a request. */
export type Looked = Effect.Success<ReturnType<typeof lookAt>>

/** How what is held is given. */
export interface Giving<A> {
  /** Done before what lacks is read from the service. */
  readonly check: (looked: Looked) => Effect.Effect<void, StoreError>
  readonly read: (looked: Looked) => Stream.Stream<A, StoreError>
}

/** The format of a dataset that a read begins: the next read gives every digit too. */
const begun = { as: "parquet", numbers: "text" } as const

/** The same of a cache, which gives nulls and the review status of metrics too. */
const asSent = { as: "ndjson", compression: "zstd" } as const

/** Gives what is held as records. */
export const records: Giving<unknown> = {
  check: () => Effect.void,
  read: ({ asOf, asked: { range, subject }, found }) => {
    const held =
      (asOf === undefined ? found?.read(subject, range) : found?.past?.read(subject, range, asOf)) ?? Stream.empty
    return subject.isList && asOf !== undefined ? orRefused(held, subject.endpoint, asOf) : held
  }
}

/** Fails where there is nothing: no list is without items, so this is a moment before the first run. */
const orRefused = <A>(held: Stream.Stream<A, StoreError>, endpoint: Endpoint.Any, asOf: Time) =>
  Stream.orElseIfEmpty(held, () => Stream.fail(refusal(endpoint, "asOf", `is before the first sync: ${asOf}`)))

/** Reads what changed of what is held. Fails where that is not all. */
export const revisions = (request: Request) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const looked = yield* lookAt(request)
      const { asked, missing } = looked
      const lacking = missing.filter(({ isLatest }) => isLatest !== true)
      const past = (yield* expectHeld(looked, request, lacking))?.past
      if (past === undefined) return yield* noVersions(request.endpoint, "from")
      const { identity = [], isList } = asked.subject
      const revised = past.revisions(asked.subject, asked.range)
      if (!isList) return revised
      return Stream.map(revised, (one) => ({ ...one, entity: Comparing.idOf(identity, one.after ?? one.before) }))
    })
  )

/** Reads what is held. Fails where that is not all. */
export const offline = <A>(
  request: Request,
  { check, read }: Giving<A>
): Stream.Stream<A, HeldError, FileSystem.FileSystem | Path.Path> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const looked = yield* lookAt(request)
      yield* expectHeld(looked, request, looked.missing)
      yield* check(looked)
      return read(looked)
    })
  )

/** Completes a change in the middle of which a run was killed, as the next run does. */
const complete = Effect.fnUntraced(function* ({ endpoint, from }: Request) {
  const { look, open } = yield* Open.storeOf({ to: from })
  const kept = yield* look
  if (kept?.definition.endpoint !== endpoint.path) return
  const series = yield* SeriesParams.makeAny(endpoint, kept.definition.params)
  yield* open({ definition: kept.definition, series })
}, Effect.scoped)

/** For how long a read waits for another that fills the dataset. */
const patience = Schedule.spaced("250 millis").pipe(Schedule.upTo({ times: 240 }))

/**
 * Reads what is held, after a sync where that is not all. Reads that lack something wait for each other, a minute at most. Where another
 * process keeps the dataset up to date and only the latest times are missing, what is held is all that there is to read; no process does so
 * of a cache.
 */
export const filling = <A, R>(
  request: Request,
  { check, read }: Giving<A>,
  sync: (job: Filling) => Effect.Effect<void, DatasetError, R>
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { asOf, endpoint } = request
      const looked = yield* Effect.catchTag(lookAt(request), "RunInterrupted", () =>
        Effect.andThen(complete(request), lookAt(request))
      )
      const { asked, found, missing, name } = looked
      const { account } = yield* Client.Client
      const root = found?.kept.definition.root ?? account.root.url
      if (request.isBounded && root !== account.root.url) {
        const values = [differing("root", root, account.root.url)]
        return yield* new OtherDefinition({ dataset: name, differs: ["root"], values })
      }
      yield* check(looked)
      if (missing.length === 0) return read(looked)
      const isCurrent = missing.every(({ isLatest }) => isLatest === true)
      yield* Effect.catchIf(
        sync({
          endpoint,
          params: neededOf(looked),
          ...(request.isBounded && { window: windowOf(looked) }),
          ...((asOf !== undefined || asked.subject.isList) && found === undefined && { versions: "keep" }),
          ...(found === undefined && { format: request.isBounded ? asSent : begun })
        }),
        (error) => isInUse(error) && isCurrent && request.isBounded !== true,
        () => Effect.void
      )
      const after = yield* lookAt(request)
      const left = after.missing.filter((range) => range.isLatest !== true)
      if (left.length > 0) return yield* new NotHeld({ dataset: after.name, ranges: rangesOf(left), isAsked: true })
      return read(after)
    }).pipe(Effect.retry({ while: isInUse, schedule: patience }))
  )

/**
 * The times that a read asks for, and when it looked at what is held of them: the clock may be set since. What another process has read in
 * between is read again.
 */
const windowOf = ({ age: { maxAge = 0, now }, asked: { range } }: Looked): Window => {
  const { from = null, to = null } = range
  return { from, to: to === null || to > Moment.ofMillis(now) ? null : to, age: { now, maxAge } }
}

/** The parameters of what a read needs of the service: without retired metrics of which it has all. */
const neededOf = ({ asked: { params, range, subject }, found, missing }: Looked): Asked.Asked["params"] => {
  const { columns = "" } = subject.names
  const { retired = [] } = found?.kept.definition ?? {}
  const isNeeded = (name: string) => !retired.includes(name) || missing.some(({ metric }) => metric === name)
  const needed = range.metrics.filter(isNeeded)
  return needed.length === 0 ? params : { ...params, [columns]: needed }
}

/** What a sync has to bring. */
export interface Filling {
  readonly endpoint: Endpoint.Any
  readonly params: Asked.Asked["params"]
  readonly window?: Window
  /** Of a dataset that begins with a read as of a moment. */
  readonly versions?: "keep"
  /** Of a dataset that begins with the read. */
  readonly format?: Existing["format"]
}

const isInUse = Predicate.or(Predicate.isTagged("FolderInUse"), Predicate.isTagged("StoreInUse"))
