/** `sluice mcp`: a server for assistants over the Model Context Protocol, on standard input and output. */
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { version } from "../../settings/Version.ts"
import * as McpHandlers from "./McpHandlers.ts"
import * as McpLines from "./McpLines.ts"
import * as McpPending from "./McpPending.ts"
import * as McpTools from "./McpTools.ts"

const instructions =
  "Reads market and on-chain data of the Coin Metrics API, read-only. Find an endpoint with `discover`, learn its parameters with " +
  "`describe` (with names of assets or markets also what there is of them), then `get` a few records. Times are UTC; `-30d`, " +
  "`yesterday` and `now` are understood. Numbers are texts that keep every digit."

/** The revisions of the protocol that are spoken, the newest first. */
const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

const server = McpServer.layerStdio({
  name: "sluice",
  version,
  instructions,
  protocols,
  registrations: Layer.provide(McpServer.toolkit(McpTools.toolkit), McpHandlers.layer)
})

/** Answers a message that is not read. Which one it was is not known. */
const refuse = (reason: string) =>
  Effect.gen(function* () {
    const { stdout } = yield* Stdio.Stdio
    const answer = { jsonrpc: "2.0", id: null, error: { code: -32_600, message: `Invalid Request: ${reason}` } }
    yield* Stream.run(Stream.make(`${JSON.stringify(answer)}\n`), stdout({ endOnDone: false }))
  })

/** Leaves out lines that are no message, at which the transport would stop reading, and answers those that are refused. */
const messagesOf = <E>(stdin: Stream.Stream<Uint8Array, E>, pending: ReturnType<typeof McpPending.make>) =>
  Stream.suspend(() => {
    const linesOf = McpLines.make()
    return stdin.pipe(
      Stream.flatMap((bytes) => Stream.fromIterable(linesOf(bytes))),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(linesOf())))
    )
  }).pipe(
    Stream.mapEffect((line) => {
      if (line._tag === "Refused") return Effect.as(refuse(line.reason), "")
      if (line.text.trim() === "") return Effect.succeed("")
      const message = McpPending.messageOf(line.text)
      if (Option.isNone(message))
        return Effect.as(Effect.logWarning("a line of the input is no message of the protocol, and is left out"), "")
      const twice = pending.begin(message.value)
      return twice === undefined
        ? Effect.succeed(line.text)
        : Effect.as(refuse(`the id ${JSON.stringify(twice)} is that of a request that has no answer yet`), "")
    }),
    Stream.map((line) => `${line}\n`),
    Stream.encodeText
  )

/** Serves until standard input ends. */
export const run = Effect.fnUntraced(function* () {
  const stdio = yield* Stdio.Stdio
  const pending = McpPending.make()
  const noted = <A extends string | Uint8Array>(output: A): A => {
    pending.end(output)
    return output
  }
  // The transport interrupts its fiber where the input ends.
  const serving = yield* Layer.launch(server).pipe(
    Effect.catchTag("IllegalArgumentError", Effect.die),
    Effect.provideService(Stdio.Stdio, {
      ...stdio,
      stdin: Stream.provideService(messagesOf(stdio.stdin, pending), Stdio.Stdio, stdio),
      stdout: (options) => Sink.mapInput(stdio.stdout(options), noted)
    }),
    Effect.forkChild
  )
  const exit = yield* Fiber.await(serving)
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
})
