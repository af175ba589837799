/**
 * The stand-in service: as a server on a loopback port, as an `HttpClient` in memory, or beneath a client in memory.
 *
 * **Example** (Testing a pipeline without a socket)
 *
 * ```ts
 * program.pipe(Effect.provide(Sandbox.layerClient(Client.layer, { plan: "trial" })))
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as App from "./internal/server/App.ts"
import * as MemoryClient from "./internal/server/MemoryClient.ts"
import * as NodeServer from "./internal/server/NodeServer.ts"
import { type Options, settle } from "./internal/server/Options.ts"
import * as Plan from "./Plan.ts"
import type { SandboxUnavailable } from "./internal/server/SandboxUnavailable.ts"
import type { Stats } from "./internal/server/Stats.ts"

export type { Options } from "./internal/server/Options.ts"
export { SandboxUnavailable } from "./internal/server/SandboxUnavailable.ts"
export type { Stats } from "./internal/server/Stats.ts"

/** Why a stand-in did not come up. */
export type SandboxError = SandboxUnavailable

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
    /** What it has done so far. */
    readonly stats: Effect.Effect<Stats>
  }
>()("@sluice/sandbox/Sandbox") {}

const service = (origin: string, app: App.App): Sandbox["Service"] => ({
  url: `${origin}/v4`,
  communityUrl: `${origin}/community/v4`,
  faultUrl: (fault) => `${origin}/fault/${encodeURIComponent(fault)}/v4`,
  stats: app.stats
})

/** Serves the stand-in on a port of this machine, until the scope of the layer closes. */
export const layer = (options: Options = {}): Layer.Layer<Sandbox, SandboxError> =>
  Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      const settings = settle(options, Plan.keys)
      const app = App.make(settings)
      const origin = yield* NodeServer.serve(app, settings)
      return service(origin, app)
    })
  )

/**
 * Offers the stand-in as an `HttpClient` without a socket; all its waiting is done on the `Clock`.
 *
 * **Gotchas**
 *
 * Bodies are never compressed. A page of more than a thousand records and a json_stream hold their place until they have
 * been read, interrupted or aborted, as over a socket.
 */
export const layerMemory = (options: Options = {}): Layer.Layer<Sandbox | HttpClient.HttpClient> =>
  Layer.effectContext(
    Effect.sync(() => {
      const app = App.make(settle(options, Plan.keys))
      return Context.mergeAll(Context.make(Sandbox, service(MemoryClient.origin, app)), MemoryClient.client(app))
    })
  )

/** Options of {@link layerClient}. */
export interface ClientOptions extends Options {
  /** The fault that every request meets, as in `faultUrl`; none by default. */
  readonly fault?: string | undefined
  /** The key that the client is given; `sandbox-key` by default. */
  readonly key?: string | undefined
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
  }) => Layer.Layer<A, E, HttpClient.HttpClient>,
  { fault, key = "sandbox-key", ...options }: ClientOptions = {}
): Layer.Layer<A | Sandbox, E> =>
  Layer.unwrap(
    Effect.map(Layer.build(layerMemory(options)), (made) => {
      const sandbox = Context.get(made, Sandbox)
      const root = fault === undefined ? sandbox.url : sandbox.faultUrl(fault)
      const client = Layer.provide(layer({ root, apiKey: Redacted.make(key) }), Layer.succeedContext(made))
      return Layer.merge(Layer.succeed(Sandbox, sandbox), client)
    })
  )
