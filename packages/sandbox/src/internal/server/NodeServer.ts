import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import type { App } from "./App.ts"
import type { Cut } from "../reply/Body.ts"
import { requestHeader } from "../faults/Grammar.ts"
import * as NodeUpgrade from "./NodeUpgrade.ts"
import type { Settings } from "./Options.ts"
import { wantsGzip } from "../reply/Reply.ts"
import { toResponse } from "./Response.ts"
import * as Schema from "effect/Schema"

// The server reports a connection that has ended by interrupting the request, so there is nothing to go on with.
const end = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  { how, last = Stream.empty }: Cut
): Effect.fn.Return<never> {
  const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
  yield* Stream.runForEach(last, (bytes) =>
    Effect.callback<void>((resume) => {
      socket.write(bytes, () => resume(Effect.void))
    })
  )
  if (how === "reset") socket.resetAndDestroy()
  else socket.destroySoon()
  return yield* Effect.never
})

const respond = (
  app: App,
  isForFile: boolean
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest | Scope.Scope> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const reply = yield* app
      .handle({
        method: request.method,
        url: request.url,
        origin: `http://${request.headers["host"] ?? "localhost"}`,
        address: Option.getOrElse(request.remoteAddress, () => "unknown"),
        fault: request.headers[requestHeader],
        wantsGzip: wantsGzip(request.headers["accept-encoding"]),
        // A client that leaves before its form is there has not asked for anything.
        body: Effect.catch(request.text, () => Effect.interrupt),
        isForFile
      })
      .pipe(
        Effect.catch((cut) => end(request, cut)),
        // The server runs its handlers uninterruptible, and a client that hangs up must not hold its place.
        Effect.interruptible
      )
    const response = NodeHttpServerRequest.toServerResponse(request)
    // Without chunks and without a length, the end of the connection is the end of the body.
    const isUnframed = reply.content._tag === "Streamed" && reply.content.framing === "none"
    if (isUnframed) response.removeHeader("Transfer-Encoding")
    const sent = isUnframed ? { ...reply, headers: { ...reply.headers, Connection: "close" } } : reply
    return toResponse(sent, (stream) =>
      Stream.suspend(() => {
        // Headers leave at once, so that a body may stall or break off before its first byte.
        if ("flushHeaders" in response) response.flushHeaders()
        return Stream.catch(stream, (cut) => Stream.fromEffect(end(request, cut)))
      })
    )
  })

/** The stand-in could not listen: the port is taken, or the address is not one of this machine. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message(): string {
    return `The sandbox cannot listen on ${this.host}:${this.port}: ${this.reason}.`
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is already in use",
  EADDRNOTAVAIL: "the address does not belong to this machine",
  ENOTFOUND: "the host is unknown",
  EAI_AGAIN: "the host is unknown",
  EACCES: "the port needs more rights",
  ERR_SOCKET_BAD_PORT: "the port is out of range"
}

const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown"
  return reasons[code] ?? `the system refused it (${code})`
}

/** Listens and answers until the scope closes; tells the origin it listens at. Files of jobs have a port of their own. */
export const serve = Effect.fnUntraced(function* (app: App, { host, port }: Settings) {
  const origin = yield* listen(app, host, port, false)
  app.serveFilesAt(yield* listen(app, host, 0, true))
  return origin
})

const listen = Effect.fnUntraced(function* (app: App, host: string, port: number, isForFile: boolean) {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return yield* new SandboxUnavailable({ host, port: Math.trunc(port), reason: "the port is out of range" })
  }
  // A URI of more than 10,000 characters must arrive to be refused with 414; Node.js itself would answer 431.
  const node = Http.createServer({ maxHeaderSize: 8 * 1024 * 1024, requestTimeout: 0, keepAliveTimeout: 60_000 })
  const server = yield* NodeHttpServer.make(() => node, { host, port, disablePreemptiveShutdown: true }).pipe(
    Effect.mapError((error) => new SandboxUnavailable({ host, port, reason: reasonOf(error.cause) }))
  )
  // Closing waits for open connections, and a stalled reply would keep its own open for ever.
  yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
  yield* server.serve(respond(app, isForFile))
  if (!isForFile) yield* NodeUpgrade.listen(node, app)
  const address = node.address()
  const bound = typeof address === "object" && address !== null ? address.port : port
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`
})
