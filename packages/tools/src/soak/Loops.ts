/**
 * The work of a long-running service: several loops on one client, each with another way of reading.
 */
import type { ApiError } from "@sluice/core"
import { Effect, Fiber, Random, Stream } from "effect"
import * as Verdict from "./Verdict.ts"
import * as Window from "./Window.ts"

/** Waits for about so many milliseconds. */
export const pause = (millis: number) =>
  Effect.flatMap(Random.nextBetween(0.5 * millis, 1.5 * millis), (about) => Effect.sleep(about))

/** Does all the work at once, until it is interrupted. A failed call is counted; the loops go on. */
export const run = (windows: Window.Windows, counts: Verdict.Counts) => {
  const read = (window: Window.Window) => Window.checked(window, counts)

  const forGood = <R>(call: Effect.Effect<void, ApiError.ApiError, R>, every: number) =>
    Effect.catch(call, (error) => Effect.sync(() => Verdict.fail(counts, error))).pipe(
      Effect.andThen(pause(every)),
      Effect.forever
    )

  /** Asks for the newest values, as a ticker does. */
  const poll = Stream.runDrain(read(windows.latest))

  /** Reads a window in bulk. */
  const bulk = Stream.runDrain(read(windows.day))

  /** Reads pages, and often stops before the last. */
  const walk = Effect.gen(function* () {
    const count = yield* Random.nextIntBetween(1, 2 * windows.walk.records.length)
    yield* Stream.runDrain(Stream.take(read(windows.walk), count))
    if (count < windows.walk.records.length) counts.abandoned += 1
  })

  /** Reads a long window and pauses sometimes, like a reader whose own output is slow. */
  const slow = Stream.runForEachArray(read(windows.long), () =>
    Effect.flatMap(Random.next, (chance) => (chance < 0.02 ? pause(1_000) : Effect.void))
  )

  /** Is interrupted somewhere, and starts again. */
  const restless = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Stream.runDrain(read(windows.long)))
    yield* pause(400)
    if (fiber.pollUnsafe() !== undefined) return yield* Fiber.join(fiber)
    counts.abandoned += 1
    yield* Fiber.interrupt(fiber)
  })

  const loops = [
    [poll, 300],
    [bulk, 1_000],
    [bulk, 2_500],
    [walk, 500],
    [walk, 1_000],
    [slow, 1_000]
  ] as const
  return Effect.all([...loops.map(([call, every]) => forGood(call, every)), forGood(restless, 1_000)], {
    concurrency: "unbounded",
    discard: true
  })
}
