/**
 * What `pnpm demo` does: the demo on a stand-in service in this process, or, with `SLUICE_BASE_URL` set, on that service.
 */
import { Sandbox } from "@sluice/sandbox"
import { Config, Console, Effect, Option, Runtime, Schema } from "effect"
import * as Demo from "./Demo.ts"
import * as Screen from "./Screen.ts"

const demo = Effect.gen(function* () {
  const service = yield* Config.option(Config.NonEmptyString("SLUICE_BASE_URL"))
  if (Option.isSome(service)) return yield* Demo.onService(Demo.standard.directory)
  return yield* Demo.onSandbox(Demo.standard, Demo.standardFaults).pipe(Effect.provide(Sandbox.layer()))
})

/** Ends the process with a code of its own and says nothing more. */
export class Told extends Schema.TaggedError<Told>()("Told", {}) {
  override readonly [Runtime.errorReported] = false
}

const sentence = (error: Effect.Error<typeof demo>): string =>
  `${reason(error).replaceAll(/\s+/g, " ").replace(/\.$/, "")}.`

const reason = (error: Effect.Error<typeof demo>): string => {
  if (error._tag === "ConfigError") return `The environment cannot be read: ${error.message}`
  if (error._tag === "PlatformError") return `The files cannot be written or read: ${error.message}`
  if (error._tag !== "Misconfigured") return error.message
  return error.setting === "root" ? `SLUICE_BASE_URL: ${error.reason}` : error.reason
}

/** Runs the demo, and tells a failure in one sentence on standard error. */
export const command = demo.pipe(
  Effect.provide(Screen.layer),
  Effect.catch((error) => Effect.andThen(Console.error(sentence(error)), new Told()))
)
