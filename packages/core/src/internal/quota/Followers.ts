/**
 * Those who follow the state of a quota.
 *
 * Effect's `PubSub` would do the same, but a program carries 16 KB of it, also where nobody follows anything.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { State } from "../../Quota.ts"

/** Tells every follower what changes. */
export interface Followers {
  /** Whether there is any. */
  readonly isAny: () => boolean
  /** Tells them the state. One who does not read loses the oldest of sixteen states. */
  readonly tell: (state: State) => void
  /** The state now and after every change. */
  readonly changes: Stream.Stream<State>
}

/** Builds the followers of this state. */
export const make = (state: Effect.Effect<State>): Followers => {
  const queues = new Set<Queue.Queue<State>>()
  const follow = Effect.gen(function* () {
    const queue = yield* Queue.sliding<State>(16)
    yield* Effect.acquireRelease(
      Effect.sync(() => queues.add(queue)),
      () => Effect.sync(() => queues.delete(queue))
    )
    Queue.offerUnsafe(queue, yield* state)
    return Stream.fromQueue(queue)
  })
  return {
    isAny: () => queues.size > 0,
    tell: (now) => {
      for (const queue of queues) Queue.offerUnsafe(queue, now)
    },
    changes: Stream.unwrap(follow)
  }
}
