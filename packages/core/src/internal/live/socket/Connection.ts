/** One WebSocket connection: opens it, buffers its frames, and notices when it is broken. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"
import type { Account } from "../../../Account.ts"
import * as ApiError from "../../../ApiError.ts"
import * as Call from "../../call/Call.ts"
import * as Uri from "../../http/Uri.ts"
import * as Moment from "../../retry/Moment.ts"
import * as Monotonic from "../../retry/Monotonic.ts"
import * as Handshake from "./Handshake.ts"
import * as Inbox from "./Inbox.ts"
import * as WebSocket from "./WebSocket.ts"

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

/** An open connection. Its scope closes it. */
export interface Connection {
  /** Takes the frames that come, until the end of the connection. */
  readonly run: Inbox.Inbox["run"]
}

export const open = Effect.fnUntraced(function* (
  settings: Settings,
  call: Call.Call
): Effect.fn.Return<Connection, ApiError.ApiError, Scope.Scope> {
  const { account, longestWait, openWithin, root, silence } = settings
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
  const opened = Deferred.makeUnsafe<void, ApiError.ApiError>()
  let isBroken = false
  let lastSign = Monotonic.nowUnsafe(clock)
  const sign = () => {
    lastSign = Monotonic.nowUnsafe(clock)
  }
  const follow = (socket: Socket.WebSocketLike) => {
    const inbox = Inbox.make({
      capacity: settings.capacity,
      maxBytes: settings.maxBufferedBytes,
      // The time in which the socket was held back does not count as silence.
      flow: WebSocket.flowOf(socket, sign),
      now: () => Moment.nowUnsafe(clock),
      overflow: () =>
        Handshake.unavailable(
          { endpoint },
          "body",
          `${settings.maxBufferedBytes} bytes wait for the reader (maxBufferedBytes), and this WebSocket cannot be held back`
        )
    })
    const stop = WebSocket.listen(socket, {
      open: () => Deferred.doneUnsafe(opened, Effect.void),
      receive: inbox.push,
      sign,
      fail: (cause) => {
        const error = Handshake.toApiError(cause, context())
        Deferred.doneUnsafe(opened, Effect.fail(error))
        inbox.end(error)
      }
    })
    return { inbox, socket, stop }
  }
  const { inbox, socket } = yield* Effect.acquireRelease(
    // In one step: what the socket tells before somebody listens is lost.
    Effect.suspend(() =>
      // The URL holds the key. It goes nowhere else.
      Result.match(
        Result.try(() => settings.construct(`${root}${Uri.target(Call.toPath(call), query)}`)),
        {
          onSuccess: (made) => Effect.succeed(follow(made)),
          onFailure: () => Effect.fail(Handshake.toApiError({ _tag: "NotOpened", event: undefined }, context()))
        }
      )
    ),
    ({ socket, stop }) =>
      Effect.sync(() => {
        stop()
        socket.close(1000)
        if (isBroken) WebSocket.terminate(socket)
      })
  )
  yield* Effect.timeoutOrElse(Deferred.await(opened), {
    duration: openWithin,
    orElse: () => Effect.fail(Handshake.toApiError({ _tag: "Timeout" }, context()))
  })
  sign()
  if (Duration.isFinite(silence)) {
    const most = Duration.toMillis(silence)
    const watch = Effect.sync(() => {
      if (inbox.isHeard()) sign()
      const idle = inbox.isHeld() ? 0 : Monotonic.nowUnsafe(clock) - lastSign
      if (idle >= most) {
        isBroken = true
        const reason = `no frame and no pong within ${Duration.format(silence)}`
        inbox.end(Handshake.unavailable({ endpoint }, "body", reason))
      } else if (idle >= most / 2) {
        WebSocket.ping(socket)
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.delay(watch, most / 4)))
  }
  return { run: inbox.run }
})

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
