/**
 * A program that gets two signals at once, and says when it has closed everything, which takes a moment.
 */
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import process from "node:process"
import * as Signals from "../src/program/Signals.ts"

const raise = Effect.sync(() => {
  process.kill(process.pid, "SIGINT")
  process.kill(process.pid, "SIGTERM")
})

const close = Effect.andThen(
  Effect.sleep("20 millis"),
  Effect.sync(() => writeSync(1, "closed"))
)

Effect.andThen(raise, Effect.never).pipe(
  Effect.onInterrupt(() => close),
  (program) => Signals.runMain(program)
)
