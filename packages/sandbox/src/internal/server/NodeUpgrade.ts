/**
 * Live streams over sockets, on the port of the HTTP server.
 *
 * The upgrade of Effect's server gives a `Socket`, which can neither ping, nor tell what waits to be written, nor be
 * dropped. The stand-in needs all three, so it speaks to `ws` itself.
 */
import * as NodeWS from "@effect/platform-node/NodeWS"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { type IncomingMessage, type Server, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { Socket } from "node:net"
import type { App } from "./App.ts"
import type { Peer } from "../live/Connection.ts"
import { requestHeader } from "../faults/Grammar.ts"
import type { Reply } from "../reply/Reply.ts"

/** What may wait to be written before the reader counts as slow, in bytes. */
const mostBuffered = 256 * 1024

/** The longest reason that a close frame has room for, in bytes. */
const longestReason = 123

const peerOf = (ws: NodeWS.WebSocket): Peer => {
  const waiting = new Set<() => void>()
  let isMute = false
  const isDrained = () => ws.bufferedAmount < mostBuffered || ws.readyState !== ws.OPEN
  const written = () => {
    if (!isDrained()) return
    for (const resume of waiting) resume()
    waiting.clear()
  }
  ws.on("ping", (data) => {
    if (!isMute && ws.readyState === ws.OPEN) ws.pong(data)
  })
  // A connection that breaks is told by its end.
  ws.on("error", () => undefined)
  ws.on("close", written)
  return {
    send: (frame) => {
      if (ws.readyState === ws.OPEN) ws.send(frame, written)
      return isDrained()
    },
    drained: Effect.callback<void>((resume) => {
      const resolve = () => resume(Effect.void)
      if (isDrained()) return resolve()
      waiting.add(resolve)
      return Effect.sync(() => waiting.delete(resolve))
    }),
    ping: () => {
      if (ws.readyState === ws.OPEN) ws.ping()
    },
    close: (code, reason) => ws.close(code, reason.slice(0, longestReason)),
    destroy: () => ws.terminate(),
    mute: () => {
      isMute = true
    },
    ended: Effect.callback<void>((resume) => {
      if (ws.readyState === ws.CLOSED) return resume(Effect.void)
      ws.once("close", () => resume(Effect.void))
    })
  }
}

const refuse = (socket: Duplex, { content, headers, status }: Reply): void => {
  const bytes = content._tag === "Whole" ? content.bytes : new Uint8Array()
  const all = { ...headers, "Content-Length": String(bytes.length), Connection: "close" }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n${lines.join("")}\r\n`, "latin1")
  socket.end(bytes)
}

const header = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === "string" ? value : undefined
}

const gone = (socket: Duplex): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const onClose = () => resume(Effect.void)
    if (socket.destroyed) return onClose()
    socket.once("close", onClose)
    return Effect.sync(() => socket.off("close", onClose))
  })

/** Answers the handshakes that come to a server, until the scope closes, and with it every connection. */
export const listen = Effect.fnUntraced(function* (node: Server, app: App) {
  // Pongs are sent by hand, so that a fault can keep them back.
  const server = new NodeWS.WebSocketServer({
    noServer: true,
    autoPong: false,
    perMessageDeflate: false,
    maxPayload: 1 << 20
  })
  const sockets = new Set<Duplex>()
  // Runs after the connections have been told that the service goes away.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const socket of sockets) {
        if (socket instanceof Socket) socket.destroySoon()
        else socket.destroy()
      }
    })
  )
  const run = yield* FiberSet.makeRuntime<never>()

  const handle = (request: IncomingMessage, socket: Duplex, head: Buffer<ArrayBuffer>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const upgraded = yield* app.upgrades.open({
          url: request.url ?? "/",
          address: request.socket.remoteAddress ?? "unknown",
          fault: header(request, requestHeader)
        })
        switch (upgraded._tag) {
          case "Refused":
            return refuse(socket, upgraded.reply)
          case "Reset":
            if (socket instanceof Socket) socket.resetAndDestroy()
            else socket.destroy()
            return
          case "Accepted": {
            const peer = yield* Effect.callback<Peer>((resume) => {
              server.handleUpgrade(request, socket, head, (ws) => resume(Effect.succeed(peerOf(ws))))
            })
            return yield* upgraded.run(peer)
          }
        }
      })
    )

  // Effect's server listens for upgrades too, and would answer each of them a second time.
  node.removeAllListeners("upgrade")
  node.on("upgrade", (request, socket, head) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.once("close", () => sockets.delete(socket))
    run(Effect.raceFirst(handle(request, socket, head), gone(socket)))
  })
})
