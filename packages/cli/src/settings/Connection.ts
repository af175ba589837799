/**
 * The client of an invocation. Flags override the environment, which overrides the config file.
 */
import type { Misconfigured } from "@sluice/core/ApiError"
import type * as Client from "@sluice/core/Client"
import * as Discover from "@sluice/core/Discover"
import * as Retry from "@sluice/core/Retry"
import * as NodeClient from "@sluice/node/NodeClient"
import * as NodeLive from "@sluice/node/NodeLive"
import type * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Ref from "effect/Ref"
import * as ConfigFile from "./ConfigFile.ts"
import * as GlobalFlags from "./GlobalFlags.ts"
import * as Variables from "./Variables.ts"
import { Target } from "./Target.ts"

/** What building a client can fail with. */
export type ConnectionError = ConfigFile.BadConfigFile | Misconfigured | Config.ConfigError

/** The client's retry policy. */
const retry = Effect.map(GlobalFlags.Retries, (times) => Retry.make({ times }))

/** What building the client needs. */
export type Needs =
  | Target
  | GlobalFlag.Setting.Identifier<"root" | "api-key" | "config" | "retries">
  | FileSystem.FileSystem
  | Path.Path

const provide = (values: Readonly<Record<string, string>>) => ConfigProvider.fromUnknown({ SLUICE: values })

// The key of the file belongs to the root of the file, and is not sent to a root that a flag or a variable names.
const withoutForeignKey = (file: Readonly<Record<string, string>>, root: string | undefined) => {
  const { API_KEY, ...rest } = file
  const own = file.BASE_URL ?? "paid"
  const isForeign = root !== undefined && root.replace(/\/+$/, "") !== own.replace(/\/+$/, "")
  if (API_KEY === undefined) return { file: rest, withheldFrom: undefined }
  return isForeign ? { file: rest, withheldFrom: own } : { file, withheldFrom: undefined }
}

/** Where a setting comes from: the first of a flag, a variable and the config file that gives it. */
const from = (key: string, flag: unknown, variable: unknown, file: unknown) => {
  if (flag !== undefined) return `--${key.replace("_", "-")}`
  if (variable !== undefined) return Variables.ofKey(key)?.variable
  return file === undefined ? undefined : `${key} in the config file`
}

const variableOf = (name: string) => Effect.map(Config.option(Config.NonEmptyString(name)), Option.getOrUndefined)

/** Changes the HTTP client, such as to look at replies. */
type Change = (http: HttpClient.HttpClient) => HttpClient.HttpClient

const unchanged: Change = (http) => http

/** The settings of this invocation, from its flags, the environment and the config file. */
const configured = Effect.gen(function* () {
  const apiKey = yield* GlobalFlags.ApiKey
  const environment = yield* ConfigProvider.ConfigProvider
  const named = yield* GlobalFlags.Root
  const root = named ?? (yield* variableOf("SLUICE_BASE_URL"))
  const found = yield* ConfigFile.find
  const { file, withheldFrom } = withoutForeignKey(found.settings, root)
  const ofEnvironment = yield* variableOf("SLUICE_API_KEY")
  const isGiven = (apiKey ?? ofEnvironment) !== undefined
  yield* Ref.set(yield* Target, {
    root: root ?? file.BASE_URL,
    withheldFrom: isGiven ? undefined : withheldFrom,
    rootFrom: from("root", named, root, file.BASE_URL),
    hasKey: isGiven || file.API_KEY !== undefined,
    keyFrom: from("api_key", apiKey, ofEnvironment, file.API_KEY),
    file: found.file
  })
  return provide(root === undefined ? {} : { BASE_URL: root }).pipe(
    ConfigProvider.orElse(environment),
    ConfigProvider.orElse(provide(file))
  )
})

/** Provides these settings, without a client. */
export const layerSettings = Layer.unwrap(Effect.map(configured, (provider) => ConfigProvider.layer(provider)))

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
        Layer.provide(layerSettings)
      )
    })
  )

/** Provides the client of this invocation. */
export const layer: Layer.Layer<Client.Services, ConnectionError, Needs> = layerWith(Layer.empty)

/** The same with live streams, which go on through an outage for as long as it takes, unless `--retries` says how often to try. */
export const layerLive = layerWith(
  Layer.unwrap(
    Effect.gen(function* () {
      const isLimited = (yield* GlobalFlags.Retries) !== undefined
      return Layer.merge(NodeLive.layerConfigNoDeps(isLimited ? { retry: yield* retry } : {}), Discover.layer())
    })
  )
)

/** The same, and what it finds out of the service when that is asked for. */
export const layerDiscover = layerWith(Discover.layer())
