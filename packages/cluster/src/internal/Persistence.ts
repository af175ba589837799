/**
 * Asking a store again that does not answer: what a worker has read must not be lost with a restart of PostgreSQL.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { BackfillStoreFailed } from "../BackfillStore.ts"

/** Asks until the store answers. Dies where it never will: files and bookkeeping are kept, and a retry continues from them. */
export type Persistently = <A, R>(self: Effect.Effect<A, BackfillStoreFailed, R>) => Effect.Effect<A, never, R>

/** Milliseconds between two warnings. */
const warnEvery = 60_000

/** Builds what the requests of one worker share, so that it warns once and not for each of them. */
export const make: Effect.Effect<Persistently> = Effect.sync(() => {
  let warned = -Infinity
  const warn = (error: BackfillStoreFailed) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (!error.transient) {
        return Effect.logError(
          `${error.message}. This worker gives up; cancel and retry the backfill when it is mended`
        )
      }
      if (now - warned < warnEvery) return Effect.logDebug(error.message)
      warned = now
      return Effect.logWarning(`${error.message}. It is asked again until it answers`)
    })
  return (self) =>
    self.pipe(
      Effect.tapError(warn),
      Effect.retry({
        while: ({ transient }) => transient,
        schedule: Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])
      }),
      Effect.orDie
    )
})
