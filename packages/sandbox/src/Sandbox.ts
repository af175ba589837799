/**
 * The stand-in service: as a server on a loopback port, as an `HttpClient` in memory, or beneath a client in memory.
 *
 * **Example** (Testing a pipeline without a socket)
 *
 * ```ts
 * program.pipe(Effect.provide(Sandbox.layerClient(Client.layer, { plan: "trial" })))
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import * as Calendar from "./internal/time/Calendar.ts"
import type { JournalEntry } from "./internal/live/Journal.ts"
import type { Refusal } from "./internal/request/Refusal.ts"
import * as MemorySocket from "./internal/server/MemorySocket.ts"
import type { Ending } from "./internal/server/Upgrade.ts"
import * as App from "./internal/server/App.ts"
import * as MemoryClient from "./internal/server/MemoryClient.ts"
import * as NodeServer from "./internal/server/NodeServer.ts"
import { type Options, type Settings, settle } from "./internal/server/Options.ts"
import type { SandboxUnavailable } from "./internal/server/NodeServer.ts"
import type { Stats } from "./internal/server/Stats.ts"

export type { JournalEntry, SentFrame } from "./internal/live/Journal.ts"
export type { Refusal } from "./internal/request/Refusal.ts"
export type { HistoryOptions, LiveOptions, Options, StreamOptions } from "./internal/server/Options.ts"
export type { Ending } from "./internal/server/Upgrade.ts"
export { UnknownOption } from "./internal/server/Options.ts"
export { SandboxUnavailable } from "./internal/server/NodeServer.ts"
export type { Stats } from "./internal/server/Stats.ts"

/** Why a stand-in did not come up. */
export type SandboxError = SandboxUnavailable

/** The live side of a stand-in: its present, its streams, and what it sent. */
export interface Live {
  /** The present of the data, as it is written in records. */
  readonly now: Effect.Effect<string>
  /** What was sent, connection by connection in the order in which they were opened. */
  readonly journal: Effect.Effect<ReadonlyArray<JournalEntry>>
  /**
   * Reads what a stream really has after one instant and until another, whatever was sent: its records without sequence
   * ids, in the order in which they are published. Takes path and query, such as
   * `/timeseries-stream/market-trades?markets=coinbase-btc-usd-spot`.
   *
   * **Details**
   *
   * Metrics of one instant are one record, blocks are those that the chain kept, and order books are the updates.
   */
  readonly series: (
    path: string,
    between: { readonly after: DateTime.DateTime.Input; readonly until: DateTime.DateTime.Input }
  ) => Effect.Effect<ReadonlyArray<string>, Refusal>
  /** Ends every open connection: `restart` closes it with 1012, `drop` without a word. Tells how many there were. */
  readonly end: (ending: Ending) => Effect.Effect<number>
  /** Changes how much later than over a live stream a record is seen over HTTP. */
  readonly setHttpLag: (lag: Duration.Input) => Effect.Effect<void>
  /** Changes how much later than at its instant a record may be published. An open connection keeps what it was opened with. */
  readonly setJitter: (jitter: Duration.Input) => Effect.Effect<void>
  /** Changes how much later than by the lag a record may be shown over HTTP. */
  readonly setHttpJitter: (jitter: Duration.Input) => Effect.Effect<void>
}

/** A running stand-in. */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** The paid root; ends in `/v4`. */
    readonly url: string
    /** The community root; ends in `/v4`. */
    readonly communityUrl: string
    /** The paid root under a fault, which every page inherits; ends in `/v4`. */
    readonly faultUrl: (fault: string) => string
    /** The root of the live streams; ends in `/v4`. */
    readonly streamUrl: string
    /** The root of the live streams under a fault; ends in `/v4`. */
    readonly streamFaultUrl: (fault: string) => string
    /** Its live streams. */
    readonly live: Live
    /** What it has done so far. */
    readonly stats: Effect.Effect<Stats>
  }
>()("@sluice/sandbox/Sandbox") {}

// An instant that cannot be read is the beginning of time.
const millis = (input: DateTime.DateTime.Input): number =>
  Option.match(DateTime.make(input), { onNone: () => Number.NEGATIVE_INFINITY, onSome: DateTime.toEpochMillis })

const live = ({ clock, journal, upgrades }: App.App): Live => ({
  now: Effect.map(clock.now, (ms) => Calendar.nanos(ms)),
  journal: Effect.sync(journal.read),
  series: (path, { after, until }) => upgrades.series(path, millis(after), millis(until)),
  end: upgrades.endAll,
  setHttpLag: (lag) => Effect.sync(() => clock.setHttpLag(Duration.fromInputUnsafe(lag))),
  setJitter: (jitter) => Effect.sync(() => clock.setJitter({ live: Duration.toMillis(jitter) })),
  setHttpJitter: (jitter) => Effect.sync(() => clock.setJitter({ http: Duration.toMillis(jitter) }))
})

const faultRoot = (origin: string, fault: string) => `${origin}/fault/${encodeURIComponent(fault)}/v4`

const service = (origin: string, app: App.App): Sandbox["Service"] => ({
  streamUrl: `${origin.replace(/^http/, "ws")}/v4`,
  streamFaultUrl: (fault) => `${origin.replace(/^http/, "ws")}/fault/${encodeURIComponent(fault)}/v4`,
  live: live(app),
  url: `${origin}/v4`,
  communityUrl: `${origin}/community/v4`,
  faultUrl: (fault) => faultRoot(origin, fault),
  stats: app.stats
})

/** Serves the stand-in on a port of this machine, until the scope of the layer closes. */
export const layer = (options: Options = {}): Layer.Layer<Sandbox, SandboxError> =>
  Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      const settings = settle(options)
      const app = App.make(settings, yield* Clock.currentTimeMillis)
      const origin = yield* NodeServer.serve(app, settings)
      return service(origin, app)
    })
  )

/**
 * Offers the stand-in as an `HttpClient` and a `WebSocketConstructor` without a socket; all its waiting is done on the `Clock`.
 *
 * **Gotchas**
 *
 * Bodies are never compressed. A page of more than a thousand records and a json_stream hold their place until they have
 * been read, interrupted or aborted, as over a socket.
 */
export const layerMemory = (
  options: Options = {}
): Layer.Layer<Sandbox | HttpClient.HttpClient | Socket.WebSocketConstructor> => inMemory(() => settle(options))

const inMemory = (settings: () => Settings) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const app = App.make(settings(), yield* Clock.currentTimeMillis)
      app.serveFilesAt(MemoryClient.filesOrigin)
      const run = yield* FiberSet.makeRuntime<never>()
      return Context.mergeAll(
        Context.make(Sandbox, service(MemoryClient.origin, app)),
        MemoryClient.client(app),
        Context.make(Socket.WebSocketConstructor, MemorySocket.constructor(app, MemoryClient.host, run))
      )
    })
  )

/** Options of {@link layerClient}. */
export interface ClientOptions extends Options {
  /** The fault that every request meets, as in `faultUrl`; none by default. */
  readonly fault?: string | undefined
  /** The key that the client is given; `demo-key` by default. */
  readonly key?: string | undefined
}

/**
 * Settings of a client over a stand-in in memory, for tests of programs without Effect: `Sluice.open(Sandbox.memory())`.
 *
 * **Details**
 *
 * Each client that is opened with them has a stand-in of its own. More settings stand beside them:
 * `Sluice.open({ ...Sandbox.memory({ fault: "status=503;times=2" }), retry: { times: 3 } })`. Throws `UnknownOption` for an option that
 * it does not have; the layers here die with it.
 */
export const memory = ({ fault, key = "demo-key", ...options }: ClientOptions = {}): MemorySettings => {
  // One layer under two names: a client builds it once, so both sides are of one stand-in.
  const settings = settle(options)
  const both = inMemory(() => settings)
  const root = fault === undefined ? `${MemoryClient.origin}/v4` : faultRoot(MemoryClient.origin, fault)
  return { root, apiKey: key, http: both, webSocket: both }
}

/** What {@link memory} gives. */
export interface MemorySettings {
  /** The root of the stand-in. */
  readonly root: string
  /** A key that it takes. */
  readonly apiKey: string
  /** Sends requests to it. */
  readonly http: Layer.Layer<Sandbox | HttpClient.HttpClient>
  /** Opens live streams of it. */
  readonly webSocket: Layer.Layer<Socket.WebSocketConstructor>
}

/**
 * Builds a client over a stand-in of its own in memory: `Sandbox.layerClient(Client.layer)` is a `Client` for tests.
 *
 * **Details**
 *
 * `layer` is the client's own constructor, which is given root and key. Other settings go through it:
 * `(given) => Client.layer({ ...given, retry: Retry.none })`. The `Sandbox` comes with the client, for its `stats`.
 *
 * **Gotchas**
 *
 * All waiting is done on the `Clock`: under a test clock a client that repeats a request waits until the clock is moved.
 */
export const layerClient = <A, E>(
  layer: (given: {
    readonly root: string
    readonly apiKey: Redacted.Redacted
  }) => Layer.Layer<A, E, HttpClient.HttpClient | Socket.WebSocketConstructor>,
  { fault, key = "demo-key", ...options }: ClientOptions = {}
): Layer.Layer<A | Sandbox | Socket.WebSocketConstructor, E> =>
  Layer.unwrap(
    Effect.map(Layer.build(layerMemory(options)), (made) => {
      const sandbox = Context.get(made, Sandbox)
      const root = fault === undefined ? sandbox.url : sandbox.faultUrl(fault)
      const client = Layer.provide(layer({ root, apiKey: Redacted.make(key) }), Layer.succeedContext(made))
      const sockets = Layer.succeed(Socket.WebSocketConstructor, Context.get(made, Socket.WebSocketConstructor))
      return Layer.mergeAll(Layer.succeed(Sandbox, sandbox), sockets, client)
    })
  )
