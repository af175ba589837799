/**
 * A server in a process of its own, so that serving takes neither time nor memory from what is measured.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ChildProcess } from "effect/process"
import * as Stream from "effect/Stream"
import { fileURLToPath } from "node:url"

/** The server ended, or wrote something else, before it said where it listens. */
export class ServerUnavailable extends Data.TaggedError("ServerUnavailable") {
  override readonly message = "The server did not say where it listens."
}

/** How the sandbox is to serve. */
export interface Options {
  /** Time before every reply, such as `100ms`. */
  readonly latency?: `${number}ms`
  /** Whether replies are made before they are asked for. Default true. */
  readonly isPrepared?: boolean
  /** Whether `Replies.ts` serves instead of the sandbox: values as real metrics have them. */
  readonly isRealistic?: boolean
  /** Whether `LiveServer.ts` serves instead of the sandbox: prepared live frames. */
  readonly isLive?: boolean
  /** The file of the sandbox's program, where it is not to be its source. */
  readonly program?: string | undefined
}

const main = () => fileURLToPath(import.meta.resolve("@sluice/sandbox/main"))

const replies = fileURLToPath(new URL("Replies.ts", import.meta.url))

const frames = fileURLToPath(new URL("LiveServer.ts", import.meta.url))

/** Starts a server on a free port and gives its root; it ends with the scope. */
export const start = Effect.fnUntraced(function* (options: Options) {
  const { isLive = false, isPrepared = true, isRealistic = false, latency, program } = options
  const prepared = isPrepared ? ["--prepared"] : []
  const delay = latency === undefined ? [] : ["--latency", latency]
  const sandbox = yield* ChildProcess.make(
    process.execPath,
    isLive
      ? [frames]
      : isRealistic
        ? [replies, ...(latency === undefined ? [] : [String(Number.parseInt(latency))])]
        : [program ?? main(), "--port", "0", ...prepared, ...delay],
    {
      stdin: "ignore",
      stderr: "inherit",
      forceKillAfter: "3 seconds"
    }
  )
  const root = yield* sandbox.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.map((line) => /^paid\s+(http\S+)$/.exec(line)?.[1]),
    Stream.filter((root) => root !== undefined),
    Stream.runHead
  )
  return yield* Option.match(root, { onNone: () => new ServerUnavailable(), onSome: Effect.succeed })
})
