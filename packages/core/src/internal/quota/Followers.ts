/**
 * Those who follow the state of a quota.
 *
 * Effect's `PubSub` would do the same, but a program carries 16 KB of it, also where nobody follows anything.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { State } from "../../Quota.ts"

export const make = (state: Effect.Effect<State>) => {
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
    /** Whether there is any. */
    isAny: (): boolean => queues.size > 0,
    /** Tells them the state. One who does not read loses the oldest of sixteen states. */
    tell: (now: State) => {
      for (const queue of queues) Queue.offerUnsafe(queue, now)
    },
    /** The state now and after every change. */
    changes: Stream.unwrap(follow)
  }
}

export type Followers = ReturnType<typeof make>
