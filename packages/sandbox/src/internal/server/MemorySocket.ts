/**
 * Live streams without a socket: a `WebSocket` whose other end is the stand-in itself.
 *
 * Beside what every `WebSocket` has, it has what clients use of `ws`: `ping`, `terminate`, `pause`, `resume`, and with `on`
 * the events `ping`, `pong` and `unexpected-response`, the reply to a handshake that was refused. Where nobody listens for
 * that, the error of the event `error` has the `status`, the `headers` and the `body` of the reply.
 */
import * as Effect from "effect/Effect"
import type * as Socket from "effect/socket/Socket"
import { EventEmitter } from "node:events"
import { Readable } from "node:stream"
import { requestHeader } from "../faults/Grammar.ts"
import type { Peer } from "../live/Connection.ts"
import type { Reply } from "../reply/Reply.ts"
import type { App } from "./App.ts"

/** What a client may leave unread before it counts as slow, in bytes. */
const mostUnread = 64 * 1024

type Kind = "open" | "message" | "error" | "close"
type Listener = (event: Socket.WebSocketEvent) => void

type Unread =
  | { readonly _tag: "Frame"; readonly data: string | ArrayBuffer; readonly size: number }
  | { readonly _tag: "End"; readonly code: number; readonly reason: string }

const bytesOf = ({ content }: Reply): Uint8Array => (content._tag === "Whole" ? content.bytes : new Uint8Array())

const lowered = ({ headers }: Reply): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** The reply to a refused handshake, as `ws` gives it. */
const responseOf = (reply: Reply) =>
  Object.assign(Readable.from([bytesOf(reply)], { objectMode: false }), {
    statusCode: reply.status,
    headers: lowered(reply)
  })

/** The error of a refused handshake: the words of `ws`, and the reply. */
const errorOf = (reply: Reply): Error =>
  Object.assign(new Error(`Unexpected server response: ${reply.status}`), {
    _tag: "HandshakeRefused",
    status: reply.status,
    headers: lowered(reply),
    body: new TextDecoder().decode(bytesOf(reply))
  })

class MemorySocket extends EventEmitter implements Socket.WebSocketLike {
  readyState = 0
  isPaused = false
  binaryType = "arraybuffer"
  isMute = false
  readonly ends = new Set<() => void>()
  readonly drains = new Set<() => void>()
  private unread: Array<Unread> = []
  private size = 0
  private isFlowing = false
  private readonly later: (task: () => void) => void

  constructor(later: (task: () => void) => void) {
    super()
    this.later = later
  }

  addEventListener(type: Kind, listener: Listener, options?: { readonly once?: boolean }): void {
    if (options?.once === true) this.once(type, listener)
    else this.on(type, listener)
    if (type === "message") this.later(() => this.flow())
  }

  removeEventListener(type: Kind, listener: Listener): void {
    this.off(type, listener)
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    this.later(() => this.flow())
  }

  // No message is defined from client to service.
  send(): void {}

  ping(): void {
    this.later(() => {
      if (this.readyState === 1 && !this.isMute && !this.isPaused) this.emit("pong", new Uint8Array())
    })
  }

  close(code = 1005, reason = ""): void {
    if (this.readyState === 0) return this.terminate()
    if (this.readyState > 1) return
    this.readyState = 2
    this.later(() => this.end(code, reason))
  }

  terminate(): void {
    if (this.readyState === 3) return
    const wasOpening = this.readyState === 0
    this.readyState = 2
    this.later(() => {
      if (wasOpening) this.fail(new Error("WebSocket was closed before the connection was established"))
      else this.end(1006, "")
    })
  }

  opened(): void {
    if (this.readyState !== 0) return
    this.readyState = 1
    this.emit("open", { type: "open" })
  }

  refused(reply: Reply): void {
    if (this.readyState > 1) return
    const told = this.emit("unexpected-response", undefined, responseOf(reply))
    if (told) this.end(1006, "")
    else this.fail(errorOf(reply))
  }

  fail(error: Error): void {
    this.readyState = 2
    // As the event of `ws` has it; an emitter throws an error that nobody listens for.
    if (this.listenerCount("error") > 0) this.emit("error", { type: "error", message: error.message, error })
    this.end(1006, "")
  }

  end(code: number, reason: string): void {
    if (this.readyState === 3) return
    this.readyState = 3
    this.unread = []
    this.size = 0
    for (const resume of this.ends) resume()
    for (const resume of this.drains) resume()
    this.emit("close", { type: "close", code, reason })
  }

  get isSlow(): boolean {
    return this.size >= mostUnread
  }

  receive(unread: Unread): void {
    if (this.readyState > 1) return
    this.unread.push(unread)
    if (unread._tag === "Frame") this.size += unread.size
    this.flow()
  }

  private flow(): void {
    if (this.isFlowing || this.readyState !== 1) return
    this.isFlowing = true
    let n = 0
    while (n < this.unread.length && !this.isPaused && this.listenerCount("message") > 0) {
      const next = this.unread[n++]!
      if (next._tag === "End") {
        this.isFlowing = false
        return this.end(next.code, next.reason)
      }
      this.size -= next.size
      this.emit("message", { type: "message", data: next.data })
      // A listener may have ended the connection.
      if (this.readyState !== 1) break
    }
    this.unread = this.unread.slice(n)
    this.isFlowing = false
    if (!this.isSlow) for (const resume of this.drains) resume()
  }
}

const wait = (socket: MemorySocket, waiting: Set<() => void>, isDone: () => boolean): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const resolve = () => {
      waiting.delete(resolve)
      resume(Effect.void)
    }
    if (isDone() || socket.readyState === 3) return resolve()
    waiting.add(resolve)
    return Effect.sync(() => waiting.delete(resolve))
  })

const peerOf = (socket: MemorySocket): Peer => ({
  send: (frame) => {
    const data = typeof frame === "string" ? frame : frame.buffer
    socket.receive({ _tag: "Frame", data, size: frame.length })
    return !socket.isSlow
  },
  drained: wait(socket, socket.drains, () => !socket.isSlow),
  ping: () => {
    if (socket.readyState === 1 && !socket.isPaused) socket.emit("ping", new Uint8Array())
  },
  close: (code, reason) => socket.receive({ _tag: "End", code, reason }),
  destroy: () => {
    socket.receive({ _tag: "End", code: 1006, reason: "" })
    // The service has no more to do with it, whatever the client has not read.
    for (const resume of socket.ends) resume()
  },
  mute: () => {
    socket.isMute = true
  },
  ended: wait(socket, socket.ends, () => socket.readyState === 3)
})

/** Opens live streams of a stand-in at a host that nothing resolves. */
export const constructor = (
  app: App,
  host: string,
  run: (effect: Effect.Effect<void>) => void
): Socket.WebSocketConstructor["Service"] => {
  // Whoever makes a socket adds its listeners before anything happens to it.
  const later = (task: () => void) => run(Effect.andThen(Effect.yieldNow, Effect.sync(task)))
  return (url, options) => {
    const socket = new MemorySocket(later)
    const { host: asked, pathname, search } = new URL(url)
    if (asked !== host) {
      later(() => socket.fail(new Error(`getaddrinfo ENOTFOUND ${asked}`)))
      return socket
    }
    const headers = typeof options === "object" && !Array.isArray(options) ? options.headers : undefined
    const handshake = { url: `${pathname}${search}`, address: "memory", fault: headers?.[requestHeader] }
    const connect = Effect.scoped(
      Effect.gen(function* () {
        // Given up before it was sent: the stand-in does not count it.
        if (socket.readyState !== 0) return
        const upgraded = yield* app.upgrades.open(handshake)
        if (socket.readyState !== 0) return
        switch (upgraded._tag) {
          case "Refused":
            return socket.refused(upgraded.reply)
          case "Reset":
            return socket.fail(new Error("read ECONNRESET"))
          case "Accepted":
            socket.opened()
            return yield* upgraded.run(peerOf(socket))
        }
      })
    )
    const ended = wait(socket, socket.ends, () => false)
    run(Effect.andThen(Effect.yieldNow, Effect.raceFirst(connect, ended)))
    return socket
  }
}
