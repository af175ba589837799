/**
 * A program that no interrupt ends, as one that writes to a disk which does not answer. Says when it runs, when it is
 * interrupted, and when a further signal is no longer taken for the first one. It ends by what `Signals` does; the first word
 * is the grace in milliseconds.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { argv } from "node:process"
import * as Signals from "../src/program/Signals.ts"

const said = (text: string) => Effect.sync(() => writeSync(1, text))

/** Longer than the time in which `Signals` counts several signals as one. */
const later = said(" ready for another").pipe(Effect.delay("400 millis"), Effect.andThen(Effect.never))

said("running").pipe(
  Effect.andThen(Effect.onInterrupt(Effect.never, () => Effect.andThen(said(" interrupted"), later))),
  (program) => Signals.runMain(program, Duration.millis(Number(argv[2])))
)
