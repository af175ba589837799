import type { QuotaStore } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/** A text in memory; `delay` is the way to it and back. */
export const make = (delay: Effect.Effect<void> = Effect.void) => {
  let kept = { version: "", text: "" }
  const latches = new Map<string, Latch.Latch>()
  const latchOf = (process: string) => {
    const latch = latches.get(process) ?? Latch.makeUnsafe(false)
    latches.set(process, latch)
    return latch
  }
  const travel = <A, E>(there: Effect.Effect<A, E>) => Effect.tap(Effect.andThen(delay, there), delay)
  const cell: QuotaStore.Cell = {
    place: "memory",
    exchange: (next) =>
      travel(
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (next?.before === kept.version) {
            kept = { version: next.version, text: next.text }
            for (const process of next.wake) latchOf(process).openUnsafe()
          }
          return { ...kept, now }
        })
      ),
    awaitWake: (process) => Effect.suspend(() => Effect.tap(latchOf(process).await, latchOf(process).close))
  }
  return cell
}
