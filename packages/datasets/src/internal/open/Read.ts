/**
 * Reads records from a dataset, and brings it up to date before where it lacks some of them.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Asked from "../held/Asked.ts"
import * as Coverage from "../held/Coverage.ts"
import { BadDefinition, type DatasetError, NotHeld } from "../model/DatasetError.ts"
import type { Store } from "../model/Store.ts"
import * as Open from "./Open.ts"

/** What is read. */
export interface Request {
  readonly endpoint: Endpoint.Any
  readonly params: Readonly<Record<string, unknown>>
  readonly from: string | Store
  /** For how long a run counts as the present, in milliseconds; see {@link Coverage.Age}. */
  readonly maxAge?: number | undefined
}

/** What a store has of a request, and what it lacks. */
const lookAt = Effect.fnUntraced(function* ({ endpoint, from, maxAge, params }: Request) {
  if (Number.isNaN(maxAge)) {
    return yield* new BadDefinition({ endpoint: endpoint.path, setting: "maxAge", reason: "is no length of time" })
  }
  const { name, reader } = yield* Open.storeOf({ to: from })
  if (reader === undefined) {
    const reason = "is a table, which its database reads"
    return yield* new BadDefinition({ endpoint: endpoint.path, setting: "from", reason })
  }
  const found = yield* reader
  const asked = yield* Asked.of(name, endpoint, params, found?.kept)
  const now = yield* Clock.currentTimeMillis
  return { name, found, asked, missing: Coverage.missing(asked, found?.kept, { now, maxAge }) }
})

type Looked = Effect.Success<ReturnType<typeof lookAt>>

const recordsOf = ({ asked, found }: Looked) => found?.read(asked.subject, asked.range) ?? Stream.empty

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
      const { endpoint } = request
      const looked = yield* lookAt(request)
      const { asked, missing } = looked
      if (missing.length === 0) return recordsOf(looked)
      const isCurrent = missing.every(({ isLatest }) => isLatest === true)
      yield* Effect.catchIf(
        sync({ endpoint, params: asked.params }),
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
}

const isInUse = Predicate.or(Predicate.isTagged("FolderInUse"), Predicate.isTagged("StoreInUse"))
