/**
 * The stand-in service in a process of its own, so that memory and handles are those of the client alone.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"

/** The stand-in ended before it said where it listens. */
export class ServerUnavailable extends Schema.TaggedError<ServerUnavailable>()("ServerUnavailable", {}) {
  override readonly message = "the stand-in service did not say where it listens"
}

const main = fileURLToPath(import.meta.resolve("@sluice/sandbox/main"))

/** Starts it on a free port and gives its root; it ends with the scope. */
export const start = Effect.gen(function* () {
  const sandbox = yield* ChildProcess.make(process.execPath, [main, "--port", "0"], {
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
