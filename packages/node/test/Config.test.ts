import { assert, describe, it } from "@effect/vitest"
import { Account, Client, MemoryQuota, ReferenceData, Retry, Root } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { outcome } from "./Harness.ts"
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

  it.live("SLUICE_PLAN is assumed until the first reply names the plan", () =>
    Effect.gen(function* () {
      const quota = yield* Client.quota.pipe(
        Effect.provide(fromEnv({ SLUICE_BASE_URL: "http://127.0.0.1:9/v4", SLUICE_PLAN: "download" }))
      )
      assert.deepInclude(quota, { plan: "download", limit: 6000, sent: 0 })
    })
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

  it.live("SLUICE_FIRST_BYTE_TIMEOUT and SLUICE_IDLE_TIMEOUT bound the waits", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      // One limit at a time: the other would end the call first on a busy machine.
      const read = (fault: string, limit: Readonly<Record<string, string>>) =>
        outcome(ReferenceData.assets()).pipe(
          Effect.provide(
            fromEnv(
              { SLUICE_BASE_URL: sandbox.faultUrl(fault), SLUICE_API_KEY: "demo-key", ...limit },
              { retry: Retry.none }
            )
          )
        )
      const { error: first } = yield* read("stall", { SLUICE_FIRST_BYTE_TIMEOUT: "110 millis" })
      const { error: idle } = yield* read("stall-after=10", { SLUICE_IDLE_TIMEOUT: "120 millis" })
      assert.deepInclude(first, { _tag: "Unavailable", phase: "reply", reason: "no reply within 110ms" })
      assert.deepInclude(idle, { _tag: "Unavailable", phase: "body", reason: "the body stood still for 120ms" })
    }).pipe(Effect.provide(Sandbox.layer()))
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

  it.live("options of the program override the environment", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const env = { SLUICE_BASE_URL: "http://127.0.0.1:9/v4", SLUICE_API_KEY: "no-such-key", SLUICE_GZIP: "true" }
      const options = { root: sandbox.url, apiKey: Redacted.make("demo-key"), gzip: false }
      const records = yield* Effect.provide(Stream.runCollect(ReferenceData.assets()), fromEnv(env, options))
      assert.isAbove(records.length, 0)
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})

describe("invalid settings fail the layer, and are named", () => {
  for (const [name, value] of [
    ["SLUICE_FIRST_BYTE_TIMEOUT", "soon"],
    ["SLUICE_IDLE_TIMEOUT", "-"],
    ["SLUICE_CONNECT_TIMEOUT", "ten"],
    ["SLUICE_GZIP", "perhaps"],
    ["SLUICE_DEPRECATED", "never"],
    ["SLUICE_ON_DISORDER", "perhaps"],
    ["SLUICE_CONNECT_TIMEOUT", "0 seconds"],
    ["SLUICE_PARALLEL", "0"]
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

  it.live("the paid root without a key is Misconfigured, by default and by name", () =>
    Effect.gen(function* () {
      for (const env of [{}, { SLUICE_BASE_URL: "paid" }, { SLUICE_BASE_URL: "https://api.coinmetrics.io/v4/" }]) {
        const error = yield* build(env)
        assert.deepInclude(error, { _tag: "Misconfigured", setting: "apiKey" })
      }
    })
  )

  it.live("the community root needs no key", () =>
    Effect.gen(function* () {
      const client = yield* Effect.provide(Client.Client, fromEnv({ SLUICE_BASE_URL: "community" }))
      assert.deepInclude(client.account.root, { key: "unused", url: "https://community-api.coinmetrics.io/v4" })
    })
  )

  for (const url of [
    "nonsense",
    "ftp://host/v4",
    "wss://host/v4",
    "http://host/v4?api_key=s3cr3t",
    "http://u:s3cr3t@h"
  ]) {
    it.live(`a root of ${url.replace("s3cr3t", "…")} is Misconfigured, and quotes no secret`, () =>
      Effect.gen(function* () {
        const error = yield* build({ SLUICE_BASE_URL: url, SLUICE_API_KEY: "demo-key" })
        assert.deepInclude(error, { _tag: "Misconfigured", setting: "root" })
        assert.notInclude(`${error.message} ${JSON.stringify(error)}`, "s3cr3t")
      })
    )
  }

  for (const [setting, options] of Object.entries({
    parallel: [{ parallel: 0 }, { parallel: -1 }, { parallel: 2.5 }, { parallel: Number.NaN }],
    firstByte: [{ firstByte: 0 }, { firstByte: "0 seconds" as const }],
    idle: [{ idle: 0 }]
  })) {
    it.live(`${setting} out of range is Misconfigured, for every call would hang or fail`, () =>
      Effect.gen(function* () {
        for (const option of options) {
          const error = yield* build({ SLUICE_API_KEY: "demo-key" }, option)
          assert.deepInclude(error, { _tag: "Misconfigured", setting })
        }
      })
    )
  }

  it.live("white space around a key is not part of it", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const env = { SLUICE_BASE_URL: url, SLUICE_API_KEY: " demo-key\n" }
      const { error } = yield* Effect.provide(outcome(ReferenceData.exchanges()), fromEnv(env))
      assert.isUndefined(error)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

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
