/** The client of an invocation. Flags override the environment, which overrides the config file. */
import type { Misconfigured } from "@sluice/core/ApiError"
import type * as Client from "@sluice/core/Client"
import * as Discover from "@sluice/core/Discover"
import * as Retry from "@sluice/core/Retry"
import * as NodeClient from "@sluice/node/NodeClient"
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as ConfigFile from "./ConfigFile.ts"
import * as GlobalFlags from "./GlobalFlags.ts"
import * as Settings from "./Settings.ts"

export type ConnectionError = ConfigFile.BadConfigFile | Misconfigured | Config.ConfigError

export type Needs = Settings.Needs

export const retry = Effect.map(GlobalFlags.Retries, (times) => Retry.make({ times }))

/** Changes the HTTP client, such as to look at replies. */
type Change = (http: HttpClient.HttpClient) => HttpClient.HttpClient

const unchanged: Change = (http) => http

/**
 * Provides the client of this invocation, over an HTTP client that may be changed, and what else stands on it and reads the same
 * settings.
 */
export const layerWith = <A, E extends ConnectionError>(
  more: Layer.Layer<A, E, Client.Client | HttpClient.HttpClient | Needs>,
  change: Change = unchanged
): Layer.Layer<A | Client.Services, ConnectionError, Needs> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const options = { apiKey: yield* GlobalFlags.ApiKey, retry: yield* retry }
      // Merged: the layer also brings what reads records and files faster.
      const http = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, change)).pipe(
        Layer.provideMerge(NodeClient.layerHttpConfig(options))
      )
      return Layer.provideMerge(more, NodeClient.layerConfigNoHttp(options).pipe(Layer.provideMerge(http))).pipe(
        Layer.provide(Settings.layer)
      )
    })
  )

export const layer: Layer.Layer<Client.Services, ConnectionError, Needs> = layerWith(Layer.empty)

/** The same, and what it finds out of the service when that is asked for. */
export const layerDiscover = layerWith(Discover.layer())
