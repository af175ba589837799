/**
 * A program that fails with the exit code 9 while a thread waits for the other end of a named pipe, its first word.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { open } from "node:fs"
import { argv } from "node:process"
import * as Signals from "../src/program/Signals.ts"

class Failed extends Data.TaggedError("Failed")<{}> {
  override readonly [Runtime.errorExitCode] = 9
}

Effect.sync(() => open(argv[2] ?? "", "r", () => {})).pipe(Effect.andThen(Effect.fail(new Failed())), (program) =>
  Signals.runMain(program)
)
