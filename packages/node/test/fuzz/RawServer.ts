/** A server that writes bytes, whatever was asked; what it writes follows from the first part of the path. */
import * as Effect from "effect/Effect"
import { type AddressInfo, createServer, type Socket } from "node:net"
import * as RawReply from "./RawReply.ts"

/** What one client is answered. */
export interface Script {
  readonly replies: ReadonlyArray<RawReply.RawReply>
  readonly body: Uint8Array
}

/** A server for many clients at once. */
export interface RawServer {
  /** Begins to answer a new client, at a root of its own, until the scope closes. */
  readonly client: (script: Script) => Effect.Effect<{ readonly root: string; readonly requests: () => number }>
  /** Connections open now. */
  readonly open: () => number
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const write = async (socket: Socket, reply: RawReply.RawReply, body: Uint8Array) => {
  for (const piece of RawReply.writesOf(reply, body)) {
    if (socket.destroyed) return
    socket.write(piece)
    // One write is seen as one chunk only when something comes between it and the next.
    await pause(1)
  }
  switch (RawReply.endingOf(reply)) {
    case "close":
      socket.destroySoon()
      return
    case "end":
      socket.end()
      return
    case "reset":
      socket.resetAndDestroy()
      return
    case "again":
      for (const piece of RawReply.writesOf(reply, body)) socket.write(piece)
      return
    case "keep":
  }
}

/** Listens on a free port of this machine until the scope closes. */
export const make = Effect.gen(function* () {
  const sockets = new Set<Socket>()
  const scripts: Array<Script> = []
  const asked: Array<number> = []
  const node = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => sockets.delete(socket))
    let text = ""
    socket.on("data", (data) => {
      text += data.toString("latin1")
      if (!text.includes("\r\n\r\n")) return
      const client = Number(/^GET \/(\d+)\//.exec(text)?.[1])
      text = ""
      const script = scripts[client]
      const turn = asked[client]
      if (script === undefined || turn === undefined) {
        socket.destroy()
      } else {
        asked[client] = turn + 1
        void write(socket, script.replies[turn % script.replies.length]!, script.body)
      }
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      node.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        node.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  )
  // Type boundary: a server that listens on a port has an address of this form.
  const { port } = node.address() as AddressInfo
  const server: RawServer = {
    open: () => sockets.size,
    client: (script) =>
      Effect.sync(() => {
        const client = scripts.push(script) - 1
        asked.push(0)
        return { root: `http://127.0.0.1:${port}/${client}/v4`, requests: () => asked[client]! }
      })
  }
  return server
})
