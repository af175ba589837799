import { assert, describe, it } from "@effect/vitest"
import { Account, Client, MemoryQuota, ReferenceData, Retry, Root } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { pagesOf, serve } from "./Server.ts"

const fromEnv = (env: Readonly<Record<string, string>>, options: NodeClient.Options = {}) =>
  Layer.provide(NodeClient.layerConfig(options), ConfigProvider.layer(ConfigProvider.fromEnv({ env })))

const build = (env: Readonly<Record<string, string>>, options?: NodeClient.Options) =>
  Effect.scoped(Effect.flip(Layer.build(fromEnv(env, options))))

describe("the environment", () => {
  it.live("is all a program needs", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const env = { SLUICE_BASE_URL: sandbox.url, SLUICE_API_KEY: "sandbox-trial" }
      const [records, quota] = yield* Effect.all([Stream.runCollect(ReferenceData.assets()), Client.quota]).pipe(
        Effect.provide(fromEnv(env))
      )
      assert.isAbove(records.length, 0)
      assert.strictEqual(quota.plan, "trial")
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("SLUICE_GZIP=false asks for plain replies", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(1))
      for (const SLUICE_GZIP of ["true", "false"]) {
        const env = { SLUICE_BASE_URL: server.url, SLUICE_GZIP }
        yield* Effect.provide(Stream.runDrain(ReferenceData.assets()), fromEnv(env))
      }
      assert.deepStrictEqual(
        server.requests.map(({ headers }) => headers["accept-encoding"]),
        ["gzip", undefined]
      )
    })
  )

  it.live("is read as well by a client over parts of your own, and by the HTTP client alone", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(1))
      const env = {
        SLUICE_BASE_URL: server.url,
        SLUICE_ON_DISORDER: "ignore",
        SLUICE_GZIP: "false",
        SLUICE_PLAN: "download"
      }
      const parts = Layer.mergeAll(Account.layerConfig(), MemoryQuota.layerConfig(), NodeClient.layerHttpConfig())
      const layer = Client.layerConfigNoDeps({ retry: Retry.none }).pipe(
        Layer.provide(parts),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
      const client = yield* Effect.gen(function* () {
        yield* Stream.runDrain(ReferenceData.assets())
        return yield* Client.Client
      }).pipe(Effect.provide(layer))
      assert.strictEqual(client.onDisorder, "ignore")
      assert.strictEqual(client.retry, Retry.none)
      assert.strictEqual(server.requests[0]?.headers["accept-encoding"], undefined)
    })
  )

  it.live("names the variable that a layer of some of the settings cannot read", () =>
    Effect.gen(function* () {
      const env = { SLUICE_CONNECT_TIMEOUT: "soon", SLUICE_ON_DISORDER: "shout" }
      const provider = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
      const parts = Layer.mergeAll(Account.layer({ root: Root.community }), MemoryQuota.layer(), NodeClient.layerHttp())
      const client = Client.layerConfigNoDeps().pipe(Layer.provide(parts), Layer.provide(provider))
      const http = Layer.provide(NodeClient.layerHttpConfig(), provider)
      assert.deepInclude(yield* Effect.scoped(Effect.flip(Layer.build(client))), {
        _tag: "Misconfigured",
        variable: "SLUICE_ON_DISORDER"
      })
      assert.deepInclude(yield* Effect.scoped(Effect.flip(Layer.build(http))), {
        _tag: "Misconfigured",
        variable: "SLUICE_CONNECT_TIMEOUT"
      })
    })
  )

  it.effect("SLUICE_BASE_URL that misspells a root names the root", () =>
    Effect.gen(function* () {
      for (const [url, meant] of [
        ["comunity", "community"],
        ["Community", "community"],
        ["payed", "paid"]
      ] as const) {
        const error = yield* build({ SLUICE_BASE_URL: url })
        const reason = `expected a URL, paid or community; did you mean ${meant}?`
        assert.deepInclude(error, { _tag: "Misconfigured", setting: "root", variable: "SLUICE_BASE_URL", reason })
      }
      for (const [url, reason] of [
        ["nowhere", '"nowhere" is not an absolute URL'],
        ["localhost:8080/v4", "a root begins with http: or https:, not localhost:"]
      ] as const) {
        assert.strictEqual((yield* build({ SLUICE_BASE_URL: url })).message, `SLUICE_BASE_URL: ${reason}`)
      }
    })
  )
})

describe("invalid settings fail the layer, and are named", () => {
  for (const [name, value] of [
    ["SLUICE_CONNECT_TIMEOUT", "ten"],
    ["SLUICE_GZIP", "perhaps"],
    ["SLUICE_CONNECT_TIMEOUT", "0 seconds"]
  ] as const) {
    it.live(`${name}=${value} is Misconfigured`, () =>
      Effect.gen(function* () {
        const error = yield* build({ SLUICE_API_KEY: "demo-key", [name]: value })
        assert.deepInclude(error, { _tag: "Misconfigured", variable: name } as const)
        assert.match(error.message, new RegExp(`^${name}: expected [^()]*$`))
        assert.notInclude(error.message, "demo-key")
      })
    )
  }

  it.live("every request has a user agent with the version of the package", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(1))
      yield* Effect.provide(Stream.runDrain(ReferenceData.assets()), fromEnv({ SLUICE_BASE_URL: server.url }))
      const { default: manifest } = yield* Effect.promise(() => import("../package.json", { with: { type: "json" } }))
      assert.strictEqual(server.requests[0]?.headers["user-agent"], `sluice/${manifest.version}`)
    })
  )

  it.live("an empty variable counts as not set", () =>
    Effect.gen(function* () {
      const client = yield* Effect.provide(
        Client.Client,
        fromEnv({ SLUICE_BASE_URL: "", SLUICE_API_KEY: "demo-key", SLUICE_IDLE_TIMEOUT: "" })
      )
      assert.strictEqual(client.account.root.url, "https://api.coinmetrics.io/v4")
      const error = yield* build({ SLUICE_API_KEY: "" })
      assert.deepInclude(error, { _tag: "Misconfigured", setting: "apiKey" })
    })
  )
})
