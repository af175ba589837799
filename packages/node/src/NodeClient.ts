/**
 * The client on Node.js: undici with keep-alive, gzip, a connect timeout, and an HTTP/1.1 pool with a connection for each
 * parallel request of the service.
 */
import "./internal/runtime/NodeVersion.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Account from "@sluice/core/Account"
import type { Misconfigured } from "@sluice/core/ApiError"
import * as Client from "@sluice/core/Client"
import * as Defaults from "@sluice/core/Defaults"
import * as Environment from "@sluice/core/Environment"
import * as FastReader from "@sluice/core/FastReader"
import * as SystemErrors from "@sluice/core/SystemErrors"
import * as Gzip from "@sluice/core/Gzip"
import type { ConfigError } from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Connections from "./internal/http/Connections.ts"
import { decoded, decompress } from "./internal/http/Gunzip.ts"
import { plainQuery } from "./internal/http/PlainQuery.ts"
import * as Proxy from "./internal/http/Proxy.ts"
import { userAgent } from "./internal/http/UserAgent.ts"
import { releaseController } from "./internal/http/ReleaseController.ts"
import * as ClientOptions from "./internal/options/ClientOptions.ts"
import * as Settings from "./internal/options/Settings.ts"
import * as Shape from "./internal/options/Shape.ts"
import * as NodeQuota from "./NodeQuota.ts"

export type { Proxies } from "./internal/http/Proxy.ts"

/** Settings of {@link layer}: those of the client, of a quota that several processes share, and of the connection. */
export interface Options extends Client.Options, NodeQuota.Options {
  /** The longest wait for a connection, kept to within about a second. Default {@link Defaults.connect}. */
  readonly connect?: Duration.Input | undefined
  /** The most bytes of a reply's headers; a reply with more fails with `Unavailable`. Default {@link Defaults.maxHeaderBytes}. */
  readonly maxHeaderBytes?: number | undefined
  /** Whether to ask for compressed replies. Faster over a network, slower within one machine. Default {@link Defaults.gzip}. */
  readonly gzip?: boolean | undefined
  /** Proxies on the way to the service. Default: none with {@link layer}; with {@link layerConfig} those of the environment. */
  readonly proxy?: Proxy.Proxies | undefined
  /**
   * A file of certificates in PEM form that are accepted besides those of Node.js, such as that of a proxy that inspects
   * traffic. `NODE_EXTRA_CA_CERTS` does the same for a whole process.
   */
  readonly caFile?: string | undefined
}

const check = Settings.checker(Shape.of<Options>()(ClientOptions.fields))

/** Builds a layer where each option is known and has one of its values. */
const checked = <A, E, R>(options: Options, layer: (options: Options) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(check(options), () => layer(options)))

/**
 * Provides an `HttpClient` over undici with the settings that suit the service, and with it `FastReader` and the decompressor of
 * `Gzip`: to wrap the client, use `Layer.provideMerge`, which keeps them.
 *
 * **Details**
 *
 * HTTP/1.1 with one kept-alive connection for each parallel request. Closing the layer's scope closes them. `Client`
 * has the timeouts for the first byte and between chunks. Requests go through the proxies that are given, in a tunnel
 * each, so the key is not seen there. Fails with `Misconfigured` when a proxy or the file of certificates is wrong.
 * Reads nothing from the environment; {@link layerHttpConfig} does.
 */
export const layerHttp = (options: Options = {}): Layer.Layer<HttpClient.HttpClient, Misconfigured> =>
  checked(options, httpOf)

const httpOf = (options: Options) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(NodeHttpClient.makeUndici, (client) => {
      const named = HttpClient.mapRequest(client, HttpClientRequest.setHeader("user-agent", userAgent))
      return withEncoding(named, options.gzip ?? Defaults.gzip)
    })
  ).pipe(
    Layer.provide(
      Layer.effect(
        NodeHttpClient.Dispatcher,
        Effect.map(Connections.make(options), (dispatcher) => dispatcher.compose(releaseController, plainQuery))
      )
    ),
    Layer.merge(Layer.mergeAll(FastReader.layer, SystemErrors.layer, Layer.succeed(Gzip.Decompressor, decompress)))
  )

const withEncoding = (client: HttpClient.HttpClient, isGzipAsked: boolean) => {
  const asking = HttpClient.mapRequest(client, HttpClientRequest.setHeader("accept-encoding", "gzip"))
  return HttpClient.transformResponse(isGzipAsked ? asking : client, Effect.map(decoded(isGzipAsked)))
}

/**
 * Provides a `Client` on Node.js, with the account and the budget it makes for itself. Fails with `Misconfigured` as
 * `Client.layer` does.
 */
export const layer = (options: Options = {}): Layer.Layer<Client.Services, Misconfigured> => checked(options, clientOf)

const clientOf = (options: Options) =>
  Client.layerNoDeps(options).pipe(
    Layer.provideMerge(NodeQuota.layer(options)),
    Layer.provideMerge(Account.layer(options)),
    Layer.provide(layerHttp(options))
  )

/**
 * Provides a `Client` on Node.js from the environment.
 *
 * **Details**
 *
 * Reads the variables of `Client.layerConfig`, of `NodeQuota.layerConfig` and of {@link layerHttpConfig}. `options`
 * override the environment. With an `HttpClient` of your own use `Client.layerConfig`, and `Client.layerConfigNoDeps`
 * with an account or a quota of your own.
 */
export const layerConfig = (options: Options = {}): Layer.Layer<Client.Services, Misconfigured | ConfigError> =>
  Layer.provide(layerConfigNoHttp(options), layerHttpConfig(options))

/** Provides {@link layerConfig} over an `HttpClient` of your own. */
export const layerConfigNoHttp = (
  options: Options = {}
): Layer.Layer<Client.Services, Misconfigured | ConfigError, HttpClient.HttpClient> =>
  checked(options, (options) =>
    Client.layerConfigNoDeps(options).pipe(
      Layer.provideMerge(NodeQuota.layerConfig(options)),
      Layer.provideMerge(Account.layerConfig(options))
    )
  )

/**
 * Provides the `HttpClient` of {@link layerHttp} from the environment.
 *
 * **Details**
 *
 * Reads `SLUICE_CONNECT_TIMEOUT` (such as `10 seconds`), `SLUICE_GZIP`, `SLUICE_PARALLEL` and `SLUICE_CA_FILE`, and the usual
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in capitals or small letters. `HTTP_PROXY` is used for https: roots too where
 * `HTTPS_PROXY` is not set. `options` override the environment: with `proxy: {}` connections are direct.
 */
export const layerHttpConfig = (
  options: Options = {}
): Layer.Layer<HttpClient.HttpClient, Misconfigured | ConfigError> =>
  checked(options, (options) => Layer.unwrap(Effect.map(fromConfig(options), layerHttp)))

/**
 * Tells the proxy that requests to a URL go through, as {@link layerHttp} chooses it; `undefined` where the connection is direct.
 * Without `proxies` they are those of the environment. The result may hold a password.
 */
export const proxyFor = Effect.fnUntraced(function* (url: URL, proxies?: Proxy.Proxies) {
  const find = yield* Proxy.finder(proxies ?? (yield* Proxy.fromConfig))
  return find(url)
})

const fromConfig = Effect.fnUntraced(function* (options: Options) {
  const connect = yield* Environment.read("CONNECT_TIMEOUT", "connect", Environment.timeout)
  const gzip = yield* Environment.read("GZIP", "gzip", Environment.boolean)
  const parallel = yield* Environment.read("PARALLEL", "parallel", Environment.count)
  const { caFile, proxy } = yield* Connections.fromConfig
  return {
    ...options,
    proxy: options.proxy ?? proxy,
    caFile: options.caFile ?? caFile,
    parallel: options.parallel ?? parallel,
    connect: options.connect ?? connect,
    gzip: options.gzip ?? gzip
  }
})
