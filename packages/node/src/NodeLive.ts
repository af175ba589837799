/**
 * Live streams on Node.js: a WebSocket that shows pings, holds a fast service back, and tells why a handshake was refused.
 */
import "./internal/runtime/NodeVersion.ts"
import type { Misconfigured } from "@sluice/core/ApiError"
import type * as Client from "@sluice/core/Client"
import * as Environment from "@sluice/core/Environment"
import * as LiveClient from "@sluice/core/LiveClient"
import type { ConfigError } from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import type { WebSocketConstructor } from "effect/socket/Socket"
import * as Certificates from "./internal/http/Certificates.ts"
import * as Proxy from "./internal/http/Proxy.ts"
import { userAgent } from "./internal/http/UserAgent.ts"
import * as WebSocket from "./internal/live/WebSocket.ts"
import * as LiveOptions from "./internal/options/LiveOptions.ts"
import * as Settings from "./internal/options/Settings.ts"
import * as Shape from "./internal/options/Shape.ts"
import * as NodeClient from "./NodeClient.ts"

/** Settings of {@link layerNoDeps}: those of the live client, and those of its connections. */
export interface Options extends LiveClient.Options {
  /** Whether to ask for compressed messages. Saves bytes and takes processor time for each. Default false. */
  readonly deflate?: boolean | undefined
  /**
   * Proxies on the way to the service, as of `NodeClient`: `https` for a `wss:` root, `http` for a `ws:` root, a tunnel
   * for each connection. Default: none with {@link layerNoDeps}; those of the HTTP client with {@link layer}; with the
   * layers that read the environment those that it names.
   */
  readonly proxy?: NodeClient.Proxies | undefined
  /** A file of certificates in PEM form that are accepted besides those of Node.js. Default as for `proxy`. */
  readonly caFile?: string | undefined
}

const check = Settings.checker(Shape.of<Options>()(LiveOptions.fields))

/**
 * Provides the WebSocket that the other layers use. Fails with `Misconfigured` when an option is unknown or wrong, a proxy or the
 * file of certificates included.
 */
export const layerWebSocket = (options: Options = {}): Layer.Layer<WebSocketConstructor, Misconfigured> =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* check(options)
      return WebSocket.layer({
        // Above the limit of core, so that core says which setting was exceeded.
        maxMessageBytes: 2 * (options.maxFrameBytes ?? 8_388_608),
        deflate: options.deflate ?? false,
        userAgent,
        proxyFor: yield* Proxy.finder(options.proxy ?? {}),
        ca: options.caFile === undefined ? undefined : yield* Certificates.read(options.caFile)
      })
    })
  )

/**
 * Provides the WebSocket with the proxies and the file of certificates that the environment names: `SLUICE_CA_FILE`,
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. `options` override the environment.
 */
export const layerWebSocketConfig = (
  options: Options = {}
): Layer.Layer<WebSocketConstructor, Misconfigured | ConfigError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* check(options)
      const caFile = options.caFile ?? (yield* Environment.read("CA_FILE", "caFile", Environment.text))
      return layerWebSocket({ ...options, caFile, proxy: options.proxy ?? (yield* Proxy.fromConfig) })
    })
  )

/** Provides a `LiveClient` on Node.js over a client of your own, such as one of `NodeClient.layer`. */
export const layerNoDeps = (options: Options = {}): Layer.Layer<LiveClient.LiveClient, Misconfigured, Client.Client> =>
  Layer.provide(LiveClient.layer(options), layerWebSocket(options))

/** Provides the same over the WebSocket of {@link layerWebSocketConfig}. `options` override the environment. */
export const layerConfigNoDeps = (
  options: Options = {}
): Layer.Layer<LiveClient.LiveClient, Misconfigured | ConfigError, Client.Client> =>
  Layer.provide(LiveClient.layer(options), layerWebSocketConfig(options))

/** What a program that reads both ways needs. */
export type Services = LiveClient.LiveClient | Client.Services

/** Settings of {@link layer}: those of the HTTP client, and under `live` those of the live client. */
export interface LayerOptions extends NodeClient.Options {
  /** Proxies and certificates are those of the HTTP client, unless they stand here. */
  readonly live?: Options | undefined
}

const liveOf = ({ caFile, live, proxy }: LayerOptions): Options => ({
  ...live,
  caFile: live?.caFile ?? caFile,
  proxy: live?.proxy ?? proxy
})

/** Provides a `LiveClient` on Node.js, together with the HTTP client that reads history and fills holes. */
export const layer = (options: LayerOptions = {}): Layer.Layer<Services, Misconfigured> =>
  Layer.provideMerge(layerNoDeps(liveOf(options)), NodeClient.layer(Struct.omit(options, ["live"])))

/** Provides the same from the environment, which `NodeClient.layerConfig` describes. `options` override the environment. */
export const layerConfig = (options: LayerOptions = {}): Layer.Layer<Services, Misconfigured | ConfigError> =>
  Layer.provideMerge(layerConfigNoDeps(liveOf(options)), NodeClient.layerConfig(Struct.omit(options, ["live"])))
