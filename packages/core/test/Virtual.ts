import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

/**
 * A clock that waits for the work it has woken, however long that takes. The usual one goes on after a second of real
 * time, which on a busy machine lets virtual time overtake work that is still being done.
 */
const patient = TestClock.layer({ warningDelay: "10 minutes" })

/**
 * Runs an effect while the test clock goes on, and tells how it ended and after how many milliseconds.
 *
 * Dies when it is still running after `limit`: a wait that never ends is a failing test, not a hanging one.
 */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>, limit: Duration.Input = "2 hours") =>
  Effect.gen(function* () {
    const start = (yield* Clock.currentTimeMillis) + 1
    let end = start
    // Begins by a sleep, for the clock waits only for the work of fibers it has woken itself.
    const watched = Effect.delay(effect, 1).pipe(
      Effect.ensuring(
        Effect.map(Clock.currentTimeMillis, (now) => {
          end = now
        })
      )
    )
    const fiber = yield* Effect.forkChild(watched, { startImmediately: true })
    yield* TestClock.adjust(limit)
    const exit = fiber.pollUnsafe()
    if (exit === undefined) {
      yield* Fiber.interrupt(fiber)
      return yield* Effect.die(new Error("still running when its time was up"))
    }
    return { exit, elapsed: end - start }
  }).pipe(Effect.provide(patient))

/** Runs an effect while the test clock goes on. */
export const run = <A, E, R>(effect: Effect.Effect<A, E, R>, limit?: Duration.Input) =>
  Effect.flatMap(timed(effect, limit), ({ exit }): Effect.Effect<A, E> =>
    Exit.isSuccess(exit) ? Effect.succeed(exit.value) : exit
  )

const isBusy = (resource: string) => resource === "Immediate" || resource.startsWith("FSReq")

/** Ends once all fibers wait, and no file is read or written. */
const idle = Effect.callback<void>((resume) => {
  const look = () => {
    if (process.getActiveResourcesInfo().some(isBusy)) next = setImmediate(look)
    else resume(Effect.void)
  }
  let next = setImmediate(look)
  return Effect.sync(() => clearImmediate(next))
})

/**
 * Moves the test clock on when all else is done. Work with files takes real time, and more on a busy machine: a clock that goes on
 * meanwhile lets that work pass its time limits.
 */
export const step = (duration: Duration.Input) => Effect.andThen(idle, TestClock.adjust(duration))

/** Runs an effect that works with files while the test clock goes on in steps. */
export const inSteps =
  (duration: Duration.Input) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.raceFirst(self, Effect.forever(step(duration)))
