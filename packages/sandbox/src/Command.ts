/**
 * What the process `sluice-sandbox` does with its arguments.
 */
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Program from "./Program.ts"

export const run = Program.command.pipe(
  Command.run({ version: "0.1.0" }),
  Effect.tapErrorTag("SandboxUnavailable", (error) => Console.error(error.message)),
  Effect.provide(Program.presenter)
)
