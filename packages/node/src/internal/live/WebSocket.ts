/**
 * The WebSocket of the `ws` package. It shows pings and pongs, holds the service back while nobody reads, and tells why a
 * handshake was refused, which the WebSocket of the platform does not.
 */
import type { IncomingMessage } from "node:http"
import type { createConnection } from "node:net"
import { WebSocket } from "@effect/platform-node/NodeWS"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Socket from "effect/socket/Socket"
import * as Tunnel from "./Tunnel.ts"

/** A reply that refused the handshake. Core reads it from the cause of the socket's error. */
class HandshakeRefused extends Data.TaggedError("HandshakeRefused")<{
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}> {}

export interface Options {
  /** The bytes of a message; a longer one breaks the connection. */
  readonly maxMessageBytes: number
  /** Whether to ask for compressed messages. */
  readonly deflate: boolean
  readonly userAgent: string
  /** Finds the proxy for a URL. */
  readonly proxyFor: (url: URL) => URL | undefined
  /** The certificates that are accepted; absent for those of Node.js. */
  readonly ca: Array<string> | undefined
}

/** Milliseconds in which the service has to answer the end of a connection. The types of `ws` do not have it. */
const closing = { closeTimeout: 2_000 }

/** The characters of a refusal that are read. */
const maxBody = 65_536

/** How long they are read. A body that does not end must not hide the status. */
const bodyWithin = Duration.seconds(1)

/** Provides the constructor of WebSockets over the `ws` package. */
export const layer = (options: Options): Layer.Layer<Socket.WebSocketConstructor> =>
  Layer.effect(
    Socket.WebSocketConstructor,
    Effect.map(Effect.context(), (context) => (url) => {
      const target = new URL(url)
      const proxy = options.proxyFor(target)
      let giveUp: (() => void) | undefined
      const through = (tunnel: Tunnel.Options) => ({
        // Type boundary: Node.js waits for the callback where no socket is returned, which these types do not say.
        createConnection: ((_: unknown, opened: Tunnel.Opened) => {
          giveUp = Tunnel.open(tunnel, target, opened)
        }) as unknown as typeof createConnection
      })
      const socket = new WebSocket(url, {
        ...(options.ca === undefined ? {} : { ca: options.ca }),
        ...(proxy === undefined ? {} : through({ proxy, ca: options.ca })),
        ...closing,
        perMessageDeflate: options.deflate,
        maxPayload: options.maxMessageBytes,
        // Core decodes strictly.
        skipUTF8Validation: true,
        headers: { "user-agent": options.userAgent }
      })
      socket.on("close", () => giveUp?.())
      socket.on("unexpected-response", (request, response) => {
        const told = Effect.map(startOf(response), (body) => {
          const status = response.statusCode ?? 0
          request.destroy()
          socket.emit("error", new HandshakeRefused({ status, headers: textsOf(response), body }))
        })
        Effect.runForkWith(context)(told)
      })
      return Object.assign(socket, { onFrames: framesOf(socket) })
    })
  )

/**
 * Gives the frames of one read of the socket together, as the bytes that came, before anything else happens. The events of a
 * WebSocket would make a text of each frame, and an object for it.
 *
 * The frame at the end of a read ends with the memory of the read, and is given within its event, with those before it.
 * That is 2 µs earlier than the end of the event, of the 40 µs between the read and the code of the reader. Where that
 * is not so, such as where the rest of a frame is still to come, frames are given at the end of the event. A frame that
 * is in memory of its own, such as one that was compressed, is given alone.
 */
const framesOf = (socket: WebSocket) => (listener: (frames: ReadonlyArray<Uint8Array>) => void) => {
  let frames: Array<Uint8Array> = []
  let isStopped = false
  const give = () => {
    if (frames.length === 0 || isStopped) return
    const given = frames
    frames = []
    listener(given)
  }
  const add = (data: Buffer) => {
    const count = frames.push(data)
    if (data.byteOffset + data.length === data.buffer.byteLength) give()
    else if (count === 1) queueMicrotask(give)
  }
  socket.on("message", add)
  // What came before the end is given before it.
  socket.on("error", give)
  socket.on("close", give)
  return () => {
    isStopped = true
    socket.off("message", add)
  }
}

/** Reads the start of a body, however it ends, or does not. */
const startOf = (response: IncomingMessage): Effect.Effect<string> =>
  Effect.suspend(() => {
    let body = ""
    const received = Effect.callback<void>((resume) => {
      const finish = () => resume(Effect.void)
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => {
        body += chunk
        if (body.length > maxBody) finish()
      })
      response.on("end", finish)
      response.on("error", finish)
      response.on("close", finish)
    })
    return Effect.map(Effect.timeoutOption(received, bodyWithin), () => body)
  })

const textsOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )
