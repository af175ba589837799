/**
 * Reads records from a dataset, and brings it up to date before where it lacks some of them.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Timestamp from "@sluice/core/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Asked from "../held/Asked.ts"
import * as Coverage from "../held/Coverage.ts"
import { BadDefinition, type DatasetError, NotHeld } from "../model/DatasetError.ts"
import * as Moment from "../model/Moment.ts"
import type { Store, Time } from "../model/Store.ts"
import * as Open from "./Open.ts"

/** What is read. */
export interface Request {
  readonly endpoint: Endpoint.Any
  readonly params: Readonly<Record<string, unknown>>
  readonly from: string | Store
  /** For how long a run counts as the present, in milliseconds; see {@link Coverage.Age}. */
  readonly maxAge?: number | undefined
  /** The moment at which the records were known, as it was given; absent for what is held now. */
  readonly asOf?: string | undefined
}

/** The moment that a program gave; nothing where it is none. */
const momentOf = (given: string): Time | undefined =>
  Result.match(Timestamp.toEpochNanos(given), { onFailure: () => undefined, onSuccess: Timestamp.fromEpochNanos })

/** What a store has of a request, and what it lacks. */
export const lookAt = Effect.fnUntraced(function* ({ asOf: given, endpoint, from, maxAge, params }: Request) {
  if (Number.isNaN(maxAge)) {
    return yield* new BadDefinition({ endpoint: endpoint.path, setting: "maxAge", reason: "is no length of time" })
  }
  const asOf = given === undefined ? undefined : momentOf(given)
  if (given !== undefined && asOf === undefined) {
    const reason = "is no time, such as 2026-01-01T00:00:00Z"
    return yield* new BadDefinition({ endpoint: endpoint.path, setting: "asOf", reason })
  }
  const { name, reader } = yield* Open.storeOf({ to: from })
  if (reader === undefined) {
    const reason = "is a table, which its database reads"
    return yield* new BadDefinition({ endpoint: endpoint.path, setting: "from", reason })
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
    return yield* new BadDefinition({ endpoint: endpoint.path, setting: "asOf", reason: "is in the future" })
  }
  // A run may still find what was known by then, however young the last one is.
  const isAhead = asOf !== undefined && looked !== undefined && !isPast
  const age = { now, maxAge: isAhead && maxAge !== undefined ? -1 : maxAge }
  const unknown = isAhead && maxAge === undefined ? asked.range.entities : []
  const missing = [
    ...Coverage.missing(asked, isPast ? found?.past?.kept : found?.kept, age),
    ...unknown.map((entity): Coverage.Missing => ({ entity, from: looked, isLatest: true }))
  ].filter(({ isLatest }) => !(isPast && isLatest === true))
  return { name, found, asked, missing, asOf }
})

const noVersions = ({ path }: Endpoint.Any, setting: string) => {
  const reason = 'needs a dataset that keeps versions: sync it with versions: "keep"'
  return new BadDefinition({ endpoint: path, setting, reason })
}

type Looked = Effect.Success<ReturnType<typeof lookAt>>

const recordsOf = ({ asOf, asked: { range, subject }, found }: Looked) =>
  (asOf === undefined ? found?.read(subject, range) : found?.past?.read(subject, range, asOf)) ?? Stream.empty

/** Reads what changed of what is held. Fails where that is not all. */
export const revisions = (request: Request) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { asked, found, missing, name } = yield* lookAt(request)
      const ranges = missing.filter(({ isLatest }) => isLatest !== true)
      if (found === undefined || ranges.length > 0) return yield* new NotHeld({ dataset: name, ranges })
      if (found.past === undefined) return yield* noVersions(request.endpoint, "from")
      return found.past.revisions(asked.subject, asked.range)
    })
  )

/** Reads what is held. Fails where that is not all. */
export const offline = (request: Request) =>
  Stream.unwrap(
    Effect.flatMap(lookAt(request), (looked) =>
      looked.missing.length === 0
        ? Effect.succeed(recordsOf(looked))
        : Effect.fail(new NotHeld({ dataset: looked.name, ranges: looked.missing }))
    )
  )

/** For how long a read waits for another that fills the dataset. */
const patience = Schedule.spaced("250 millis").pipe(Schedule.upTo({ times: 240 }))

/**
 * Reads what is held, after a sync where that is not all. Reads that lack something wait for each other, a minute at most. Where another
 * process keeps the dataset up to date and only the latest times are missing, what is held is all that there is to read.
 */
export const filling = <R>(request: Request, sync: (job: Filling) => Effect.Effect<void, DatasetError, R>) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { asOf, endpoint } = request
      const looked = yield* lookAt(request)
      const { asked, missing } = looked
      if (missing.length === 0) return recordsOf(looked)
      const isCurrent = missing.every(({ isLatest }) => isLatest === true)
      yield* Effect.catchIf(
        sync({
          endpoint,
          params: asked.params,
          ...(asOf !== undefined && looked.found === undefined && { versions: "keep" })
        }),
        (error) => isInUse(error) && isCurrent,
        () => Effect.void
      )
      const after = yield* lookAt(request)
      // Such as a metric that the service refuses.
      const left = after.missing.filter((range) => range.isLatest !== true)
      if (left.length > 0) return yield* new NotHeld({ dataset: after.name, ranges: left })
      return recordsOf(after)
    }).pipe(Effect.retry({ while: isInUse, schedule: patience }))
  )

/** What a sync has to bring. */
export interface Filling {
  readonly endpoint: Endpoint.Any
  readonly params: Asked.Asked["params"]
  /** Of a dataset that begins with a read as of a moment. */
  readonly versions?: "keep"
}

const isInUse = Predicate.or(Predicate.isTagged("FolderInUse"), Predicate.isTagged("StoreInUse"))
