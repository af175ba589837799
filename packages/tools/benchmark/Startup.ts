/**
 * How long a command takes from its start to its end, beside Node doing nothing.
 */
import { Duration, Effect } from "effect"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"
import * as Report from "./Report.ts"

const commands = {
  idle: ["-e", "0"],
  version: [fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url)), "--version"]
}

/** Runs a command to its end, in seconds. */
const once = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const child = ChildProcess.make(process.execPath, args, { stdin: "ignore", stdout: "ignore" })
  const [took] = yield* Effect.timed(Effect.flatMap(child, ({ exitCode }) => exitCode))
  return Duration.toSeconds(took)
}, Effect.scoped)

/** The medians of alternating rounds, in seconds, after one that is not counted. */
export const measure = Effect.fnUntraced(function* (rounds: number) {
  const seen = { idle: new Array<number>(), version: new Array<number>() }
  for (let round = 0; round <= rounds; round++) {
    for (const name of ["idle", "version"] as const) {
      const seconds = yield* once(commands[name])
      if (round > 0) seen[name].push(seconds)
    }
  }
  return { idle: Report.median(seen.idle), version: Report.median(seen.version) }
})
