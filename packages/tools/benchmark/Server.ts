/** A server in a process of its own, so that serving takes neither time nor memory from what is measured. */
import { Data, Effect, Option, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"

/** The server ended, or wrote something else, before it said where it listens. */
export class ServerUnavailable extends Data.TaggedError("ServerUnavailable") {
  override readonly message = "The server did not say where it listens."
}

/** A program of Node.js with its arguments. */
export type Program = ReadonlyArray<string>

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Values as real metrics have them, made before they are asked for, and sent after so many milliseconds. */
export const replies = (latency = 0): Program => [file("Replies.ts"), String(latency)]

/** Live frames that were made before. */
export const frames: Program = [file("LiveServer.ts")]

/** The stand-in service: its source, or the file of its built program. */
export const sandbox = (built = fileURLToPath(import.meta.resolve("@sluice/sandbox/main"))): Program => [
  built,
  "--port",
  "0"
]

/** Starts a server on a free port and gives its root; it ends with the scope. */
export const start = Effect.fnUntraced(function* (program: Program) {
  const server = yield* ChildProcess.make(process.execPath, program, {
    stdin: "ignore",
    stderr: "inherit",
    forceKillAfter: "3 seconds"
  })
  const root = yield* server.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.map((line) => /^paid\s+(http\S+)$/.exec(line)?.[1]),
    Stream.filter((root) => root !== undefined),
    Stream.runHead
  )
  return yield* Option.match(root, { onNone: () => new ServerUnavailable(), onSome: Effect.succeed })
})
