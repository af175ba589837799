import type { QuotaStore } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/** A journal in memory, with what it holds; `delay` is the way to it and back. */
export const make = (delay: Effect.Effect<void> = Effect.void) => {
  const kept = { base: "", text: "", entries: new Array<QuotaStore.Entry>() }
  const latches = new Map<string, Latch.Latch>()
  const latchOf = (process: string) => {
    const latch = latches.get(process) ?? Latch.makeUnsafe(false)
    latches.set(process, latch)
    return latch
  }
  const travel = <A, E>(there: Effect.Effect<A, E>) => Effect.tap(Effect.andThen(delay, there), delay)
  const append = ({ base, entry, name, read }: QuotaStore.Next, now: number): QuotaStore.Found => {
    const last = kept.entries[read.count - 1]?.at ?? ""
    let isRead = read.base === kept.base && read.at === last
    if (kept.base === "" || (isRead && base !== undefined)) {
      const { count, text } = kept.base !== "" && base !== undefined ? base : { count: 0, text: "" }
      Object.assign(kept, { base: name, text })
      kept.entries.splice(0, count)
      isRead = false
    }
    kept.entries.push({ at: `${Math.max(0, Math.floor(now)) * 1_000}`, text: entry })
    return {
      base: kept.base,
      text: isRead ? undefined : kept.text,
      entries: kept.entries.slice(isRead ? read.count : 0)
    }
  }
  const journal: QuotaStore.Journal = {
    place: "memory",
    append: (next) => travel(Effect.map(Clock.currentTimeMillis, (now) => append(next, now))),
    wake: (processes) =>
      Effect.andThen(
        delay,
        Effect.sync(() => {
          for (const process of processes) latchOf(process).openUnsafe()
        })
      ),
    awaitWake: (process) => Effect.suspend(() => Effect.tap(latchOf(process).await, latchOf(process).close))
  }
  return { ...journal, kept }
}
