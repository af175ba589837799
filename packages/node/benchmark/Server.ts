/**
 * The sandbox in a process of its own, so that serving takes nothing from the case.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ChildProcess } from "effect/process"
import * as Stream from "effect/Stream"
import { fileURLToPath } from "node:url"

/** The sandbox ended, or wrote something else, before it said where it listens. */
export class ServerUnavailable extends Data.TaggedError("ServerUnavailable") {
  override readonly message = "The sandbox did not say where it listens."
}

/** How the sandbox is to serve. */
export interface Options {
  /** Time before every reply, such as `100ms`. */
  readonly latency?: string
}

const main = fileURLToPath(import.meta.resolve("@sluice/sandbox/main"))

/** Starts the sandbox on a free port with prepared replies and gives its root; it ends with the scope. */
export const start = Effect.fnUntraced(function* ({ latency }: Options) {
  const delay = latency === undefined ? [] : ["--latency", latency]
  const sandbox = yield* ChildProcess.make(process.execPath, [main, "--port", "0", "--prepared", ...delay], {
    stdin: "ignore",
    stderr: "inherit",
    forceKillAfter: "3 seconds"
  })
  const root = yield* sandbox.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.map((line) => /^paid\s+(http\S+)$/.exec(line)?.[1]),
    Stream.filter((root) => root !== undefined),
    Stream.runHead
  )
  return yield* Option.match(root, { onNone: () => new ServerUnavailable(), onSome: Effect.succeed })
})
