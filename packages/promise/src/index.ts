/**
 * Sluice for programs without Effect: promises, `for await`, and errors that are thrown. The same endpoints, under the same
 * quota and with the same guarantees.
 *
 * **Example** (Reading closing prices)
 *
 * ```ts
 * import { RateLimited, retryAfterMillis, Sluice } from "@sluice/promise"
 *
 * // The key comes from SLUICE_API_KEY. Before Node.js 24, write `const`, and `await sluice.close()` at the end.
 * await using sluice = await Sluice.open()
 * const days = sluice.timeseries.assetMetrics({
 *   assets: ["btc", "eth"],
 *   metrics: ["PriceUSD"],
 *   start_time: new Date("2026-01-01")
 * })
 * try {
 *   for await (const { asset, time, PriceUSD } of days) console.log(asset, time, Number(PriceUSD))
 * } catch (error) {
 *   if (error instanceof RateLimited) console.error(`try again in ${retryAfterMillis(error) ?? 60_000} ms`)
 *   else throw error
 * }
 * ```
 */
import "@sluice/node/internal/runtime/NodeVersion"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Misconfigured } from "@sluice/core/ApiError"
import * as Client from "@sluice/core/Client"
import * as Discover from "@sluice/core/Discover"
import * as ReferenceData from "@sluice/core/endpoints/ReferenceData"
import * as FastReader from "@sluice/core/FastReader"
import * as SystemErrors from "@sluice/core/SystemErrors"
import * as LiveClient from "@sluice/core/LiveClient"
import type * as Quota from "@sluice/core/Quota"
import type * as Retry from "@sluice/core/Retry"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { FileSystem } from "effect/FileSystem"
import { format } from "effect/Formatter"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { LogLevel } from "effect/LogLevel"
import type { Path } from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { WebSocketConstructor } from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as ClientOptions from "@sluice/node/internal/options/ClientOptions"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as LiveOptions from "@sluice/node/internal/options/LiveOptions"
import * as Settings from "@sluice/node/internal/options/Settings"
import * as Shape from "@sluice/node/internal/options/Shape"
import type { Sections, Source, Stoppable } from "./internal/Call.ts"
import * as CallShape from "./internal/CallShape.ts"
import * as Endpoints from "./internal/Endpoints.ts"
import * as Names from "./internal/Names.ts"
import * as Session from "./internal/Session.ts"
import * as NodeClient from "@sluice/node/NodeClient"
import * as NodeLive from "@sluice/node/NodeLive"

export {
  Decode,
  Deprecated,
  Forbidden,
  InvalidRequest,
  isApiError,
  Misconfigured,
  NotFound,
  RateLimited,
  Unauthorized,
  Unavailable
} from "@sluice/core/ApiError"
export { BadSplit, PartFailed, PlanExceeded } from "@sluice/core/Bulk"
export {
  isJobError,
  JobExpired,
  JobFailed,
  JobResultGone,
  JobResultRefused,
  JobUnconfirmed,
  JobUnfinished,
  JobUnknown,
  JobUnread
} from "@sluice/core/JobError"
export { TooManyConnections, TooSlow } from "@sluice/core/LiveError"
export {
  BookkeepingDamaged,
  CheckFailed,
  FileChanged,
  FileFailed,
  FolderInUse,
  FolderLost,
  FolderOccupied,
  NotFinished,
  NothingToResume,
  OtherJob,
  PartsFailed,
  PlanFailed,
  UnexpectedEntry
} from "@sluice/files/Download"
export { BadFormat, Unwritable } from "@sluice/files/Format"
export type * from "./internal/Call.ts"
export { Closed } from "./internal/Session.ts"

/** Settings of {@link Sluice.open}: those of `NodeLive.layer`, in terms of plain JavaScript. */
export interface Options extends Omit<NodeLive.LayerOptions, "apiKey" | "retry" | "quotaStore"> {
  /** The API key. Default: the variable `SLUICE_API_KEY`. */
  readonly apiKey?: string | Redacted.Redacted | undefined
  /**
   * Where several processes share the quota: `redis://host:6379`, or `local` for those of this machine. Default: the variable
   * `SLUICE_QUOTA_STORE`; without it, each process has a quota of its own.
   */
  readonly quotaStore?: string | Redacted.Redacted | undefined
  /** When to retry a request: limits such as `{ times: 2 }`, or a policy. Default `Retry.standard`. */
  readonly retry?: Retry.Options | Retry.Policy | undefined
  /** The HTTP client in place of undici, such as Effect's `FetchHttpClient.layer`, or the stand-in service in memory. */
  readonly http?: Layer.Layer<HttpClient> | undefined
  /** The WebSocket of live streams in place of `ws`, such as that of the stand-in service in memory. */
  readonly webSocket?: Layer.Layer<WebSocketConstructor> | undefined
  /** The object storage of folders such as `s3://bucket/closes`, such as `ObjectStorage.layerConfig()` of `@sluice/files`. Default: none. */
  readonly storage?: Layer.Layer<never, unknown> | undefined
  /** What to do with a line of the log. Default: print it on stderr. */
  readonly log?: ((line: LogLine) => void) | undefined
}

/** A line of the log: a warning of the service, a long wait, records out of order. Never holds the key. */
export interface LogLine {
  /** How much it matters. */
  readonly level: LogLevel
  /** What happened. */
  readonly message: string
}

/** What there is to read, as this key may read it; see `Discover`. Answers are kept for an hour. */
export interface Discovery {
  /** Lists the metrics of an asset: each at each of its frequencies, with the times covered. */
  readonly metrics: (asset: string, options?: Stoppable) => Promise<ReadonlyArray<Discover.AvailableMetric>>
  /** Lists the markets that a filter leaves, with the times of their trades. */
  readonly markets: (
    filter?: Discover.MarketFilter,
    options?: Stoppable
  ) => Promise<ReadonlyArray<Discover.AvailableMarket>>
}

/** How long the service asked to wait before it is asked again, in milliseconds; nothing where an error names no wait. */
export const retryAfterMillis = (error: unknown): number | undefined => {
  const wait = Predicate.hasProperty(error, "retryAfter") ? error.retryAfter : undefined
  return Duration.isDuration(wait) ? Duration.toMillis(wait) : undefined
}

/** What the client knows about its quota at one moment: `Quota.State` with durations as numbers. */
export interface QuotaState extends Omit<Quota.State, "reset" | "window"> {
  /** Length of the sliding window, in milliseconds. */
  readonly window: number
  /** How long until the next request may start, in milliseconds; 0 when one may start now. */
  readonly reset: number
}

/** The services that {@link Sluice.run} and {@link Sluice.read} provide. */
export type Services = NodeLive.Services | Discover.Discover | FileSystem | Path

/**
 * A client whose endpoints give promises and async iterables: `sluice.timeseries.assetMetrics({…})`.
 *
 * **Details**
 *
 * An endpoint of many records gives {@link Source}s of them, and sends nothing before a loop asks for the first. An endpoint
 * of one record gives a promise. An operation that starts jobs gives the records of its results, and has the two halves of
 * that, `submit` and `results`. Errors are thrown as instances of the classes of this module.
 */
export interface Sluice extends Sections, AsyncDisposable {
  /** What there is to read: metrics, markets, and the times covered. */
  readonly discover: Discovery
  /** What is known of the quota now: plan, limit, remaining and reset. */
  readonly quota: () => Promise<QuotaState>
  /**
   * Reads a stream of Sluice with this client: a live stream, `sluice.read(Live.marketTrades({ markets }))` with `Live` of
   * `@sluice/core`, or one of a part of the program that uses Effect.
   */
  readonly read: <A, E>(stream: Stream.Stream<A, E, Services>, options?: Stoppable) => Source<A>
  /** Runs an effect with this client. For parts of a program that use Effect. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>, options?: Stoppable) => Promise<A>
  /**
   * Ends everything that runs, which throws `Closed`, and closes all sockets and files. `await using` does this at the end of
   * a block.
   */
  readonly close: () => Promise<void>
}

/**
 * Opens a client.
 *
 * **Details**
 *
 * Settings that are not given come from the environment, as with `NodeClient.layerConfig`. Rejects with `Misconfigured` when
 * the key is missing, or a setting is unknown or wrong. Sends nothing.
 */
const open = (options: Options = {}): Promise<Sluice> =>
  Session.open(Layer.unwrap(Effect.map(check(options), () => layer(options)))).then(over)

const check = Settings.checker(
  Shape.of<Options>()({
    ...ClientOptions.fields,
    apiKey: Schema.optional(Kinds.secret),
    quotaStore: Schema.optional(Kinds.secret),
    retry: CallShape.retry,
    http: Schema.optional(
      Schema.declare((value): value is Layer.Layer<HttpClient> => Layer.isLayer(value), {
        expected: "a layer of an HttpClient"
      })
    ),
    webSocket: Schema.optional(
      Schema.declare((value): value is Layer.Layer<WebSocketConstructor> => Layer.isLayer(value), {
        expected: "a layer of a WebSocketConstructor"
      })
    ),
    storage: Schema.optional(
      Schema.declare((value): value is Layer.Layer<never, unknown> => Layer.isLayer(value), {
        expected: "a layer such as ObjectStorage.layerConfig()"
      })
    ),
    live: Schema.optional(Shape.of<NodeLive.Options>()(LiveOptions.fields)),
    log: Schema.optional(Kinds.callback<(line: LogLine) => void>())
  })
)

const layer = ({ apiKey, http, live, log, quotaStore, retry, storage, webSocket, ...rest }: Options) => {
  const settings: NodeClient.Options = {
    ...rest,
    apiKey: Predicate.isString(apiKey) ? Redacted.make(apiKey) : apiKey,
    quotaStore: Predicate.isString(quotaStore) ? Redacted.make(quotaStore) : quotaStore,
    retry: Endpoints.policyOf(retry)
  }
  const client =
    http === undefined
      ? NodeClient.layerConfig(settings)
      : Layer.provide(NodeClient.layerConfigNoHttp(settings), [http, FastReader.layer, SystemErrors.layer])
  const streams =
    webSocket === undefined
      ? NodeLive.layerConfigNoDeps({ caFile: rest.caFile, proxy: rest.proxy, ...live })
      : Layer.provide(LiveClient.layer(live), webSocket)
  return Layer.merge(Discover.layer(), streams).pipe(
    Layer.provideMerge(client),
    Layer.merge(Layer.merge(NodeFileSystem.layer, NodePath.layer)),
    Layer.merge(storage ?? Layer.empty),
    Layer.provideMerge(Logger.layer([log === undefined ? printing : telling(log)]))
  )
}

/** The client of a session. */
const over = (session: Session.Session<Services>): Sluice => ({
  ...Endpoints.make(session),
  discover: {
    metrics: (asset, options) => session.run(Discover.metrics(asset), options?.signal),
    markets: (filter, options) =>
      session.run(Effect.andThen(Names.check(ReferenceData.markets, filter), Discover.markets(filter)), options?.signal)
  },
  quota: () =>
    session.run(
      Effect.map(Client.quota, ({ reset, window, ...state }) => ({
        ...state,
        reset: Duration.toMillis(reset),
        window: Duration.toMillis(window)
      }))
    ),
  read: (stream, options) =>
    Stream.isStream(stream)
      ? Endpoints.source(session, stream, options?.signal)
      : Endpoints.source(session, Stream.fromEffect(refuse("read", notStream))),
  run: (effect, options) =>
    Effect.isEffect(effect) ? session.run(effect, options?.signal) : session.run(refuse("run", notEffect)),
  close: session.close,
  [Symbol.asyncDispose]: session.close
})

const notStream =
  "must be a stream, such as that of an endpoint or of Live in @sluice/core; read what an endpoint of this client returns directly, and give an effect to run"

const notEffect = "must be an effect, not a promise or a function; give a stream to read"

/** Refuses an argument that only a program without types can give. */
const refuse = (setting: string, reason: string) => Effect.fail(new Misconfigured({ setting, reason }))

/** Opens clients without Effect. */
export const Sluice: {
  /** Opens a client. Settings that are not given come from the environment. Rejects with `Misconfigured`, and sends nothing. */
  readonly open: (options?: Options) => Promise<Sluice>
} = { open }

const textOf = (message: unknown) =>
  [message]
    .flat()
    .map((part) => (Predicate.isString(part) ? part : format(part)))
    .join(" ")

const telling = (log: (line: LogLine) => void) =>
  Logger.make(({ logLevel, message }) => log({ level: logLevel, message: textOf(message) }))

const printing = Logger.withConsoleError(
  Logger.make(({ logLevel, message }) => `sluice: ${logLevel.toLowerCase()}: ${textOf(message)}`)
)
