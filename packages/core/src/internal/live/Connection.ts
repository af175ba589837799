/**
 * One WebSocket connection: opens it, buffers its frames, and notices when it is broken.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import type { Account } from "../../Account.ts"
import * as ApiError from "../../ApiError.ts"
import * as Call from "../call/Call.ts"
import * as Uri from "../http/Uri.ts"
import * as Monotonic from "../retry/Monotonic.ts"
import * as Buffer from "./Buffer.ts"
import * as Handshake from "./Handshake.ts"

/** What all connections of a client share. */
export interface Settings {
  readonly construct: Socket.WebSocketConstructor["Service"]
  readonly account: Account["Service"]
  /** The root of the live streams, with `ws:` or `wss:`. */
  readonly root: string
  /** The longest wait for the handshake. */
  readonly openWithin: Duration.Duration
  /** The longest wait that a service may ask for. */
  readonly longestWait: Duration.Duration
  /** A connection without a frame or a pong for so long counts as broken. */
  readonly silence: Duration.Duration
  /** Frames to hold while the reader does something else. */
  readonly capacity: number
  /** The bytes of those frames. */
  readonly maxBufferedBytes: number
}

/** A frame as it came. */
export type Frame = string | Uint8Array

/** The bytes of frames; of text its characters, which may be up to three bytes each. */
export const sizeOf = (frames: ReadonlyArray<Frame>): number => frames.reduce((sum, { length }) => sum + length, 0)

/** An open connection. Its scope closes it. */
export interface Connection {
  /** The frames that have come. Fails once those before the end of the connection were taken. */
  readonly take: Effect.Effect<Arr.NonEmptyReadonlyArray<Frame>, ApiError.ApiError>
}

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

/** A WebSocket that can be given up without the closing handshake. */
const terminate = (socket: object) => {
  if (Predicate.hasProperty(socket, "terminate") && Predicate.isFunction(socket.terminate)) socket.terminate()
}

/** Opens a connection for a call. */
export const open = Effect.fnUntraced(function* (
  settings: Settings,
  call: Call.Call
): Effect.fn.Return<Connection, ApiError.ApiError, Scope.Scope> {
  const { account, construct, longestWait, openWithin, root, silence } = settings
  const { path: endpoint } = call.endpoint
  const clock = yield* Clock.Clock
  const context = (): Handshake.Context => ({
    endpoint,
    account,
    root,
    openWithin,
    longestWait,
    now: clock.currentTimeMillisUnsafe()
  })
  const query = [...Call.toQuery(call), ...keyOf(account)]
  yield* check(endpoint, root, query)
  let lastSign = Monotonic.nowUnsafe(clock)
  let isPulling = false
  let isBroken = false
  let socket: Socket.WebSocketLike | undefined
  const sign = () => {
    lastSign = Monotonic.nowUnsafe(clock)
  }
  const acquire = Effect.acquireRelease(
    Effect.suspend(() => {
      // The URL holds the key. It goes nowhere else.
      const made = Effect.try({
        try: () => construct(`${root}${Uri.target(Call.toPath(call), query)}`),
        catch: () =>
          new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause: undefined }) })
      })
      return Effect.tap(made, (opened) =>
        Effect.sync(() => {
          socket = opened
          if (isPingable(opened)) {
            opened.on("ping", sign)
            opened.on("pong", sign)
          }
        })
      )
    }),
    (opened) =>
      Effect.sync(() => {
        opened.close(1000)
        if (isBroken) terminate(opened)
      })
  )
  const toApiError = (error: Socket.SocketError) => Handshake.toApiError(error, context())
  const { reader } = yield* Socket.fromWebSocket(acquire, { openTimeout: openWithin })
  const { pull } = yield* Effect.mapError(reader, toApiError)
  sign()
  const inbox = Buffer.make<Frame, ApiError.ApiError>({
    capacity: settings.capacity,
    whenFull: "suspend",
    maxBytes: settings.maxBufferedBytes,
    overflow: () => Handshake.unavailable({ endpoint }, "body", "the buffer is full"),
    discard: () => {}
  })
  const reading = Effect.suspend(() => {
    isPulling = true
    // A wait for room does not count as silence: the socket was held back.
    sign()
    return pull
  }).pipe(
    Effect.flatMap((frames) => {
      isPulling = false
      return inbox.offer(frames, sizeOf(frames))
    }),
    // A yield after each array, so that the frames of one read of the socket come together: with one frame at a time the fibers
    // take four times as long as parsing.
    Effect.forever(),
    Effect.catch((error) => Effect.sync(() => inbox.end(Cause.fail(isSocketError(error) ? toApiError(error) : error))))
  )
  yield* Effect.forkScoped(reading)
  if (Duration.isFinite(silence)) {
    const most = Duration.toMillis(silence)
    const watch = Effect.sync(() => {
      const idle = isPulling ? Monotonic.nowUnsafe(clock) - lastSign : 0
      if (idle >= most) {
        isBroken = true
        const reason = `no frame and no pong within ${Duration.format(silence)}`
        inbox.end(Cause.fail(Handshake.unavailable({ endpoint }, "body", reason)))
      } else if (idle >= most / 2 && socket !== undefined && socket.readyState === 1 && isPingable(socket)) {
        socket.ping()
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.delay(watch, most / 4)))
  }
  return { take: inbox.take }
})

const isSocketError = (error: Socket.SocketError | ApiError.ApiError): error is Socket.SocketError =>
  error._tag === "SocketError"

const keyOf = ({ apiKey }: Account["Service"]): ReadonlyArray<readonly [string, string]> =>
  apiKey === undefined ? [] : [["api_key", Redacted.value(apiKey)]]

/** Refuses a handshake that no service would read. */
const check = (endpoint: string, root: string, query: ReadonlyArray<readonly [string, string]>) => {
  const refuse = (kind: "malformed" | "tooLong", parameter: string | undefined, reason: string) =>
    new ApiError.InvalidRequest({ endpoint, kind, parameter, reason })
  const broken = query.find((pair) => pair.some((text) => !text.isWellFormed()))
  if (broken !== undefined) {
    return refuse("malformed", broken[0].toWellFormed(), "holds half a character, which no URL can carry")
  }
  const { length } = Uri.target(`${new URL(root).pathname.replace(/\/$/, "")}${endpoint}`, query)
  if (length <= Uri.longest) return Effect.void
  const longest = query.toSorted(([, a], [, b]) => b.length - a.length).find(([name]) => name !== "api_key")
  const reason = `the request of ${length} characters is longer than the ${Uri.longest} that the service reads; split this list over several subscriptions`
  return refuse("tooLong", longest?.[0], reason)
}
