/** Asking a store again that does not answer: what a worker has read must not be lost with a restart of PostgreSQL. */
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { BackfillStoreFailed } from "../BackfillStore.ts"

/** Asks until the store answers: soon where that may pass by itself, rarely where it refuses, until somebody has mended it. */
export type Persistently = <A, R>(self: Effect.Effect<A, BackfillStoreFailed, R>) => Effect.Effect<A, never, R>

/** How the requests of one worker ask. */
export interface Persistence {
  readonly persistently: Persistently
  /** Fails when the store has refused one of them, and never ends otherwise. */
  readonly refused: Effect.Effect<never, BackfillStoreFailed>
}

/** Milliseconds between two messages of the same kind. */
const warnEvery = 60_000

const soon = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

/** Builds what the requests of one worker share, so that it warns once and not for each of them. */
export const make: Effect.Effect<Persistence> = Effect.gen(function* () {
  const refused = yield* Deferred.make<never, BackfillStoreFailed>()
  const told = { passing: -Infinity, lasting: -Infinity }
  const warn = Effect.fnUntraced(function* (error: BackfillStoreFailed) {
    const now = yield* Monotonic.now
    const kind = error.transient ? "passing" : "lasting"
    const isNew = now - told[kind] >= warnEvery
    if (isNew) told[kind] = now
    if (!isNew) return yield* Effect.logDebug(error.message)
    if (error.transient) return yield* Effect.logWarning(`${error.message}. It is asked again until it answers`)
    const what = error.backfill === undefined ? "Nothing more is noted" : "It waits"
    yield* Effect.logError(`${error.message}. ${what} until that is mended`)
  })
  const persistently: Persistently = (self) =>
    self.pipe(
      Effect.tapError(warn),
      Effect.retry({ while: ({ transient }) => transient, schedule: soon }),
      // One backfill that cannot be read keeps nobody from the others.
      Effect.tapError((error) => (error.backfill === undefined ? Deferred.fail(refused, error) : Effect.void)),
      Effect.retry(Schedule.spaced("30 seconds")),
      // It is asked until it answers.
      Effect.orDie
    )
  return { persistently, refused: Deferred.await(refused) }
})
