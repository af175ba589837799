/**
 * The parts that a worker may read at once: whoever waits for a slot gets the next free one, the highest priority first, and
 * of one priority whoever came first.
 */
import * as Effect from "effect/Effect"

interface Waiting {
  readonly priority: number
  readonly wake: () => void
}

export const make = (count: number) => {
  let free = count
  const waiting: Array<Waiting> = []
  const take = (priority: number) =>
    Effect.callback<void>((resume) => {
      if (free > 0) {
        free -= 1
        resume(Effect.void)
        return
      }
      const entry: Waiting = { priority, wake: () => resume(Effect.void) }
      const behind = waiting.findLastIndex((other) => other.priority >= priority)
      waiting.splice(behind + 1, 0, entry)
      return Effect.sync(() => {
        const place = waiting.indexOf(entry)
        if (place >= 0) waiting.splice(place, 1)
      })
    })
  // The slot goes from hand to hand, so that nobody who comes meanwhile is faster.
  const release = Effect.sync(() => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next.wake()
  })
  return {
    /** Runs with a slot, for which it waits. */
    within:
      (priority: number): (<A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
      (self) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(take(priority)), () => Effect.ensuring(restore(self), release))
        ),
    /** Whether somebody waits who has a higher priority. */
    isOutranked: (priority: number): boolean => (waiting[0]?.priority ?? -Infinity) > priority
  }
}

export type Slots = ReturnType<typeof make>
