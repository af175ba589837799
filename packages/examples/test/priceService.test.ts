import { NodeHttpServer, NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { ConfigProvider, Deferred, Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { ChildProcess } from "effect/process"
import { TestClock } from "effect/testing"
import * as Programs from "../../core/test/Programs.ts"
import { Prices, priceService } from "../src/guides/priceService.ts"

const get = Effect.fnUntraced(function* (url: string) {
  const response = yield* HttpClient.get(url)
  return { status: response.status, body: yield* response.json }
})

describe("the service of prices", () => {
  it.effect("is alive while the source is away, and ready once it has read each asset lately", () =>
    Effect.gen(function* () {
      let isAway = true
      const source = Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, (http) =>
          HttpClient.make((request) =>
            isAway
              ? Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: 503 })))
              : http.execute(request)
          )
        )
      ).pipe(Layer.provideMerge(Sandbox.layerMemory()))
      const client = Layer.unwrap(
        Effect.map(Sandbox.Sandbox, ({ url }) => Client.layer({ root: url, apiKey: Redacted.make("demo-key") }))
      ).pipe(Layer.provide(source))
      const settings = ConfigProvider.layer(ConfigProvider.fromUnknown({ ASSETS: "btc,eth", EVERY: "1 minute" }))
      yield* priceService.pipe(Effect.provide(Layer.provideMerge(Prices.layer, [client, settings])), Effect.forkChild)

      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* get("/health"), { status: 200, body: { ok: true } })
      assert.deepStrictEqual(yield* get("/ready"), { status: 503, body: { ready: false } })

      isAway = false
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* get("/ready"), { status: 200, body: { ready: true } })
      const { body } = yield* get("/prices")
      assert.deepStrictEqual(Object.keys(Object(body)).toSorted(), ["btc", "eth"])

      isAway = true
      yield* TestClock.adjust("4 minutes")
      assert.deepStrictEqual(yield* get("/ready"), { status: 503, body: { ready: false } })
      assert.deepStrictEqual(yield* get("/prices"), { status: 200, body })
    }).pipe(Effect.provide(NodeHttpServer.layerTest))
  )

  it.effect("ends with what no waiting mends", () =>
    Effect.gen(function* () {
      const wrong = Sandbox.layerClient((given) => Client.layer({ ...given, apiKey: Redacted.make("nobody") }))
      const settings = ConfigProvider.layer(ConfigProvider.fromUnknown({ ASSETS: "btc" }))
      const ended = yield* Effect.flip(
        Effect.provide(priceService, Layer.provideMerge(Prices.layer, [wrong, settings]))
      )
      assert.strictEqual(ended._tag, "Unauthorized")
    }).pipe(Effect.provide(NodeHttpServer.layerTest))
  )

  it.live("ends with 0 on SIGTERM, in the middle of a request to its source, with nothing left open", () =>
    Effect.gen(function* () {
      const { faultUrl, stats } = yield* Sandbox.Sandbox
      const child = yield* ChildProcess.make(process.execPath, [yield* Programs.file("priceService")], {
        env: { SLUICE_BASE_URL: faultUrl("stall"), SLUICE_API_KEY: "demo-key", ASSETS: "btc", PORT: "0" },
        extendEnv: true
      })
      const listening = yield* Deferred.make<string>()
      yield* child.all.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.runForEach((line) => {
          const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
          return origin === undefined ? Effect.void : Deferred.succeed(listening, origin)
        }),
        Effect.forkScoped
      )
      const origin = yield* Deferred.await(listening)
      yield* Effect.repeat(Effect.sleep("10 millis"), {
        until: () => Effect.map(stats, ({ running }) => running === 1)
      })
      assert.strictEqual((yield* get(`${origin}/health`)).status, 200)
      assert.strictEqual((yield* get(`${origin}/ready`)).status, 503)

      yield* child.kill({ killSignal: "SIGTERM" })
      assert.strictEqual(yield* child.exitCode, 0)
      assert.strictEqual((yield* Effect.flip(HttpClient.get(`${origin}/health`)))._tag, "HttpClientError")
      yield* Effect.repeat(Effect.sleep("10 millis"), {
        until: () => Effect.map(stats, ({ running }) => running === 0)
      })
    }).pipe(Effect.provide([Sandbox.layer(), NodeServices.layer, FetchHttpClient.layer]))
  )
})
