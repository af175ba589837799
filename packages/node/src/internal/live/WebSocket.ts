/**
 * The WebSocket of the `ws` package. It shows pings and pongs, holds the service back while nobody reads, and tells why a
 * handshake was refused, which the WebSocket of the platform does not.
 */
import type { IncomingMessage } from "node:http"
import { WebSocket } from "@effect/platform-node/NodeWS"
import * as Data from "effect/Data"
import * as Layer from "effect/Layer"
import * as Socket from "effect/socket/Socket"

/** A reply that refused the handshake. Core reads it from the cause of the socket's error. */
class HandshakeRefused extends Data.TaggedError("HandshakeRefused")<{
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}> {}

/** Settings of {@link layer}. */
export interface Options {
  /** The bytes of a message; a longer one breaks the connection. */
  readonly maxMessageBytes: number
  /** Whether to ask for compressed messages. */
  readonly deflate: boolean
  readonly userAgent: string
}

/** The characters of a refusal that are read. */
const maxBody = 65_536

/** The milliseconds for which they are read. A body that does not end must not hide the status. */
const bodyWithin = 1_000

/** Provides the constructor of WebSockets over the `ws` package. */
export const layer = (options: Options): Layer.Layer<Socket.WebSocketConstructor> =>
  Layer.succeed(Socket.WebSocketConstructor, (url) => {
    const socket = new WebSocket(url, {
      perMessageDeflate: options.deflate,
      maxPayload: options.maxMessageBytes,
      headers: { "user-agent": options.userAgent }
    })
    socket.on("unexpected-response", (request, response) => {
      readBody(response, (body) => {
        const refused = new HandshakeRefused({
          status: response.statusCode ?? 0,
          headers: textsOf(response),
          body
        })
        request.destroy()
        socket.emit("error", refused)
      })
    })
    return socket
  })

/** Reads the start of a body, and calls back once, however the body ends, or does not. */
const readBody = (response: IncomingMessage, done: (body: string) => void) => {
  let body = ""
  let isDone = false
  const finish = () => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    done(body)
  }
  const timer = setTimeout(finish, bodyWithin)
  response.setEncoding("utf8")
  response.on("data", (chunk: string) => {
    body += chunk
    if (body.length > maxBody) finish()
  })
  response.on("end", finish)
  response.on("error", finish)
  response.on("close", finish)
}

const textsOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )
