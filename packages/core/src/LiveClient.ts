/**
 * The client of live streams: opens WebSocket connections for the account of an HTTP client, and uses that client to fill
 * holes.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Socket from "effect/socket/Socket"
import { Misconfigured } from "./ApiError.ts"
import { Client } from "./Client.ts"
import type { WhenFull } from "./internal/live/Buffer.ts"
import type { Order } from "./internal/live/State.ts"
import * as Engine from "./internal/live/Engine.ts"
import * as Wait from "./internal/observe/Wait.ts"
import { TooManyConnections } from "./LiveError.ts"
import { quoted } from "./PlainText.ts"
import * as Retry from "./Retry.ts"
import * as Root from "./Root.ts"

/** Follows live data. Every operation of `Live` needs this and nothing else. */
export class LiveClient extends Context.Service<
  LiveClient,
  {
    /** The HTTP client that reads history and fills holes. Its account gives the key. */
    readonly client: Client["Service"]
    /** The root of the live streams, such as `wss://api.coinmetrics.io/v4`. */
    readonly root: string
    /** The connections in use, among them those that are being opened again. */
    readonly connections: Effect.Effect<number>
  }
>()("@sluice/core/LiveClient") {}

export type { WhenFull } from "./internal/live/Buffer.ts"
export type { Order } from "./internal/live/State.ts"

/** Settings of {@link layer}. */
export interface Options {
  /**
   * The root of the live streams, which begins with `ws:` or `wss:`. Default: the root of the account, with `wss:` for
   * `https:` and `ws:` for `http:`.
   */
  readonly root?: Root.Input | undefined
  /**
   * When to connect again. Restarts when a connection brought a message. Default: a stream that has not worked yet gives up as
   * requests of the HTTP client do; one that has goes on without a limit (`Retry.unlimited`), after at most 24 seconds each, until the
   * service is there again or refuses it. Frames that cannot be read count as requests that failed in either case.
   */
  readonly retry?: Retry.Policy | undefined
  /** The longest wait for a handshake. Default 10 seconds. */
  readonly openWithin?: Duration.Input | undefined
  /**
   * A connection that brings neither a frame nor a pong for so long counts as broken, and is replaced. Noticed up to a quarter
   * later. Where the platform shows pings and pongs, as on Node.js, a ping is sent after half of it; elsewhere only frames
   * count, so set it longer than the series is quiet. Time in which the reader holds the socket back does not count. Default
   * 60 seconds; Infinity for never.
   */
  readonly silence?: Duration.Input | undefined
  /**
   * The longest wait for the HTTP side to show the first record of a new connection, or of an entity after a skipped number, when
   * a hole before it is filled, from when that record came. After it a `Gap` is delivered. Default 30 seconds.
   */
  readonly overlap?: Duration.Input | undefined
  /** The most connections at once. Default 200, the limit of the service for a key. */
  readonly maxConnections?: number | undefined
  /** What a call does when all connections are in use: wait for one, or fail with `TooManyConnections`. Default `"wait"`. */
  readonly whenNoConnection?: "wait" | "fail" | undefined
  /** The messages that a stream holds for its reader. Default 10,000. A batch that comes at once may exceed it. */
  readonly capacity?: number | undefined
  /**
   * The bytes of frames that a stream holds for its reader, and as many that came over its connection and were not read yet; of
   * text the characters are counted. Default 64 MiB. A batch that comes at once may exceed it. Records in memory take several
   * times the bytes of their frames.
   */
  readonly maxBufferedBytes?: number | undefined
  /** What happens when a stream holds that many. Default `"suspend"`. */
  readonly whenFull?: WhenFull | undefined
  /** When records are delivered after a broken connection. Default `"series"`. */
  readonly order?: Order | undefined
  /**
   * The bytes of a frame. A longer one fails with `Decode`. Default 8 MiB: a whole book (`depth_limit` `full_book`) comes in
   * one frame, and has no largest number of levels.
   */
  readonly maxFrameBytes?: number | undefined
}

type Make = (
  options?: Options
) => Effect.Effect<LiveClient["Service"], Misconfigured, Client | Socket.WebSocketConstructor>

/**
 * Builds a live client. Fails with `Misconfigured` when the root is no WebSocket URL or when a number in `options` is out of
 * range.
 */
export const make: Make = Effect.fnUntraced(function* (options: Options = {}) {
  const client = yield* Client
  const construct = yield* Socket.WebSocketConstructor
  const root = yield* rootOf(options.root ?? client.account.root)
  if (
    root.startsWith("ws:") &&
    options.root !== undefined &&
    client.account.apiKey !== undefined &&
    !Root.isLocal({ url: root, key: "optional" })
  ) {
    const { host } = new URL(root)
    yield* Effect.logWarning(`The API key goes to ${host} over ws:, where everybody on the way can read it; use wss:`)
  }
  const limit = yield* atLeastOne("maxConnections", options.maxConnections ?? 200)
  const capacity = yield* atLeastOne("capacity", options.capacity ?? 10_000)
  const maxBufferedBytes = yield* atLeastOne("maxBufferedBytes", options.maxBufferedBytes ?? 67_108_864)
  const maxFrameBytes = yield* atLeastOne("maxFrameBytes", options.maxFrameBytes ?? 8_388_608)
  const openWithin = yield* positive("openWithin", options.openWithin ?? "10 seconds")
  const silence = yield* positive("silence", options.silence ?? "60 seconds")
  const permits = Semaphore.makeUnsafe(limit)
  let inUse = 0
  const count = Effect.acquireRelease(
    Effect.sync(() => {
      inUse += 1
    }),
    () =>
      Effect.sync(() => {
        inUse -= 1
      })
  )
  const acquire = Effect.fnUntraced(function* (
    endpoint: string
  ): Effect.fn.Return<void, TooManyConnections, Scope.Scope> {
    if (options.whenNoConnection === "fail" && inUse >= limit) {
      return yield* new TooManyConnections({ endpoint, limit })
    }
    const taken = Semaphore.takeScoped(permits, 1)
    yield* inUse >= limit ? Wait.during("connection", taken) : taken
    yield* count
  })
  return Engine.attach(LiveClient.of({ client, root, connections: Effect.sync(() => inUse) }), {
    connection: {
      construct,
      account: client.account,
      root,
      openWithin,
      silence,
      capacity,
      maxBufferedBytes,
      longestWait: Duration.fromInputUnsafe(client.quota.longestWait)
    },
    retry: options.retry ?? client.retry,
    reconnect: options.retry ?? Retry.unlimited,
    overlap: Duration.fromInputUnsafe(options.overlap ?? "30 seconds"),
    capacity,
    maxBufferedBytes,
    whenFull: options.whenFull ?? "suspend",
    order: options.order ?? "series",
    maxFrameBytes,
    acquire
  })
})

/** Provides a {@link LiveClient} over an HTTP client and the WebSocket of the platform. */
export const layer = (
  options: Options = {}
): Layer.Layer<LiveClient, Misconfigured, Client | Socket.WebSocketConstructor> =>
  Layer.effect(LiveClient, make(options))

/** Provides the WebSocket that every platform has. It shows neither pings nor the status of a refused handshake. */
export const layerWebSocket: Layer.Layer<Socket.WebSocketConstructor> = Socket.layerWebSocketConstructorGlobal

const atLeastOne = (setting: string, value: number) =>
  Number.isInteger(value) && value >= 1
    ? Effect.succeed(value)
    : new Misconfigured({ setting, reason: "expected a whole number, at least one" })

const positive = (setting: string, value: Duration.Input) => {
  const duration = Duration.fromInputUnsafe(value)
  return Duration.toMillis(duration) > 0
    ? Effect.succeed(duration)
    : new Misconfigured({ setting, reason: "expected more than zero" })
}

const rootOf = (input: Root.Input) => {
  const text = Predicate.isString(input) ? input : input instanceof URL ? input.href : input.url
  const url = URL.parse(text.replace(/^http/i, "ws"))
  const isPlain = url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === "")
  return isPlain && /^wss?:$/.test(url.protocol)
    ? Effect.succeed(url.href.replace(/\/+$/, ""))
    : new Misconfigured({
        setting: "root",
        reason: `the root of live streams is a ws: or wss: URL without credentials, query or fragment, not ${quoted(text)}`
      })
}
