/**
 * What a WebSocket can do on the platforms: all show their events, and that of the `ws` package shows pings, can be held back,
 * and can be given up.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Socket from "effect/socket/Socket"
import type { Cause } from "./Handshake.ts"
import type { Frame, Options } from "./Inbox.ts"

/** A WebSocket that shows pings and pongs, such as that of the `ws` package. */
interface Pingable {
  readonly ping: () => void
  readonly on: (event: "ping" | "pong", listener: () => void) => unknown
}

const isPingable = (socket: object): socket is Pingable =>
  Predicate.hasProperty(socket, "ping") &&
  Predicate.isFunction(socket.ping) &&
  Predicate.hasProperty(socket, "on") &&
  Predicate.isFunction(socket.on)

/** A WebSocket that can be held back. */
interface Pausable {
  readonly pause: () => void
  readonly resume: () => void
}

const isPausable = (socket: object): socket is Pausable =>
  Predicate.hasProperty(socket, "pause") &&
  Predicate.isFunction(socket.pause) &&
  Predicate.hasProperty(socket, "resume") &&
  Predicate.isFunction(socket.resume)

/**
 * A WebSocket that gives all frames that came at once, as bytes and without an event for each; that of `@sluice/node` does.
 * Returns what ends that.
 */
interface FrameSource {
  readonly onFrames: (listener: (frames: ReadonlyArray<Uint8Array>) => void) => () => void
}

const isFrameSource = (socket: object): socket is FrameSource =>
  Predicate.hasProperty(socket, "onFrames") && Predicate.isFunction(socket.onFrames)

/** A WebSocket that can be given up without the closing handshake. */
export const terminate = (socket: object) => {
  if (Predicate.hasProperty(socket, "terminate") && Predicate.isFunction(socket.terminate)) socket.terminate()
}

/** Sends a ping, where the platform has pings. */
export const ping = (socket: Socket.WebSocketLike) => {
  if (socket.readyState === 1 && isPingable(socket)) socket.ping()
}

/** What holds a socket back, where it can be. `released` is told before it goes on. */
export const flowOf = (socket: Socket.WebSocketLike, released: () => void): Options["flow"] =>
  isPausable(socket)
    ? {
        hold: () => socket.pause(),
        release: () => {
          released()
          socket.resume()
        }
      }
    : undefined

/** What {@link listen} tells. */
export interface Heard {
  readonly open: () => void
  readonly receive: (frames: ReadonlyArray<Frame>) => void
  /** The other side is there. */
  readonly sign: () => void
  readonly fail: (cause: Cause) => void
}

/** Listens to a socket. Returns what ends that. */
export const listen = (socket: Socket.WebSocketLike, { fail, open, receive, sign }: Heard): (() => void) => {
  let isOpen = socket.readyState === 1
  const onOpen = () => {
    isOpen = true
    open()
  }
  const onMessage = ({ data }: Socket.WebSocketEvent) => {
    if (Predicate.isString(data) || data instanceof Uint8Array) receive([data])
    else if (data instanceof ArrayBuffer) receive([new Uint8Array(data)])
  }
  const onError = (event: Socket.WebSocketEvent) => fail({ _tag: isOpen ? "Broken" : "NotOpened", event })
  const onClose = ({ code = 1006, reason }: Socket.WebSocketEvent) => fail({ _tag: "Closed", code, reason })
  let stopFrames: (() => void) | undefined
  if (isFrameSource(socket)) stopFrames = socket.onFrames(receive)
  else {
    // A `Blob` could only be read later, so in another order.
    if ("binaryType" in socket) socket.binaryType = "arraybuffer"
    socket.addEventListener("message", onMessage)
  }
  if (isPingable(socket)) {
    socket.on("ping", sign)
    socket.on("pong", sign)
  }
  socket.addEventListener("open", onOpen)
  socket.addEventListener("error", onError)
  socket.addEventListener("close", onClose)
  if (isOpen) open()
  else if (socket.readyState > 1) fail({ _tag: "Closed", code: 1006, reason: undefined })
  return () => {
    stopFrames?.()
    socket.removeEventListener("message", onMessage)
    socket.removeEventListener("open", onOpen)
    socket.removeEventListener("close", onClose)
    // A handshake that is given up tells of it by an error, which Node.js would throw if nobody listened.
    socket.addEventListener("error", () => {})
    socket.removeEventListener("error", onError)
    // A socket that is held back would not see the closing handshake. That of `ws` throws where it was never open.
    if (isPausable(socket)) Result.try(() => socket.resume())
  }
}
