/**
 * How long a command takes from its start to its end, beside Node doing nothing.
 */
import { Clock, Effect } from "effect"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"
import * as Report from "./Report.ts"

const sluice = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url))

const commands = {
  "node -e 0": ["-e", "0"],
  "sluice --version": [sluice, "--version"]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

/** Runs a command to its end, in seconds. */
const once = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const before = yield* Clock.currentTimeNanos
  const child = yield* ChildProcess.make(process.execPath, args, { stdin: "ignore", stdout: "ignore" })
  yield* child.exitCode
  return Number((yield* Clock.currentTimeNanos) - before) / 1e9
}, Effect.scoped)

/** The medians of alternating rounds, in seconds, after one that is not counted. */
export const measure = Effect.fnUntraced(function* (rounds: number) {
  const seen: Record<keyof typeof commands, Array<number>> = { "node -e 0": [], "sluice --version": [] }
  for (let round = 0; round <= rounds; round++) {
    for (const name of ["node -e 0", "sluice --version"] as const) {
      const seconds = yield* once(commands[name])
      if (round > 0) seen[name].push(seconds)
    }
  }
  return { idle: Report.median(seen["node -e 0"]), version: Report.median(seen["sluice --version"]) }
})
