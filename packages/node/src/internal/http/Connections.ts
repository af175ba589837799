/**
 * Connections of undici: as many as are used at once, through the proxies that are given, with the certificates of a file.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Misconfigured } from "@sluice/core/ApiError"
import * as Defaults from "@sluice/core/Defaults"
import * as Environment from "@sluice/core/Environment"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Certificates from "./Certificates.ts"
import * as Proxy from "./Proxy.ts"

interface Options {
  readonly parallel?: number | undefined
  readonly connect?: Duration.Input | undefined
  readonly maxHeaderBytes?: number | undefined
  readonly proxy?: Proxy.Proxies | undefined
  readonly caFile?: string | undefined
}

/** Opens connections, which the scope closes. */
export const make = Effect.fnUntraced(function* (options: Options) {
  if (Predicate.hasProperty(process.versions, "bun")) {
    const reason =
      "Bun replaces undici by one that cannot do this; read over fetch: Client.layer with FetchHttpClient.layer of effect/http, or Sluice.open({ http: FetchHttpClient.layer })"
    return yield* new Misconfigured({ setting: "http", reason })
  }
  const settings = {
    connections: options.parallel ?? Defaults.parallel,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: options.maxHeaderBytes ?? Defaults.maxHeaderBytes,
    connect: {
      timeout: Duration.toMillis(options.connect ?? Defaults.connect),
      ...(options.caFile === undefined ? {} : { ca: yield* Certificates.read(options.caFile) })
    }
  }
  const { http, https } = options.proxy ?? {}
  return http === undefined && https === undefined
    ? yield* NodeHttpClient.makeDispatcherOptions(settings)
    : yield* Proxy.dispatcher({ ...options.proxy }, settings)
})

/** What the environment says of the way to any service: proxies, and a file of certificates. */
export const fromConfig = Effect.gen(function* () {
  const caFile = yield* Environment.read("CA_FILE", "caFile", Environment.text)
  return { proxy: yield* Proxy.fromConfig, caFile }
})

/** A client over so many connections that changes nothing of a request. */
export const layerConfig = (parallel: number): Layer.Layer<HttpClient.HttpClient, ConfigFailure> =>
  Layer.provide(
    NodeHttpClient.layerUndiciNoDispatcher,
    Layer.effect(
      NodeHttpClient.Dispatcher,
      Effect.flatMap(fromConfig, (found) => make({ ...found, parallel }))
    )
  )

type ConfigFailure = Effect.Error<typeof fromConfig> | Misconfigured
