/**
 * Forgets what a cluster knows of backfills that ended long ago, with the rows of the engine behind them. What was written stays.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { BackfillStore } from "../BackfillStore.ts"
import type * as Persistence from "./Persistence.ts"

/** Looks at once and every hour, without end. Workers that look at the same time forget each backfill once. */
export const forgetting = Effect.fnUntraced(function* (
  persistently: Persistence.Persistently,
  keep: Duration.Duration
) {
  const store = yield* BackfillStore
  if (!Duration.isFinite(keep)) return
  const once = Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(keep)
    const ended = yield* persistently(store.endedBefore(before))
    yield* Effect.forEach(ended, ({ generation, id }) => persistently(store.forget(id, generation)), { discard: true })
  })
  yield* Effect.repeat(once, Schedule.spaced("1 hour"))
})
