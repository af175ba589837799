import { assert, layer } from "@effect/vitest"
import { ReferenceData, Retry, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { outcome } from "./Harness.ts"

const trace = /^[0-9a-f]{16}-[A-Z]{3}$/

const prices = { assets: ["btc"], metrics: ["PriceUSD"], start_time: "2024-01-01", end_time: "2024-01-03" } as const
const priced = Timeseries.assetMetrics(prices)
const restricted = { ...prices, metrics: ["PriceUSD", "CapRealUSD"] } as const

/** Reads with a key, or without one, and tells how often the service was asked. */
const readAs = <A, E, R>(program: Effect.Effect<A, E, R>, key: string | undefined, root?: string) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const before = (yield* sandbox.stats).requests
    const apiKey = key === undefined ? {} : { apiKey: Redacted.make(key) }
    const result = yield* Effect.provide(
      program,
      NodeClient.layer({ root: root ?? sandbox.url, retry: Retry.make({ base: "1 millis" }), ...apiKey })
    )
    return { result, requests: (yield* sandbox.stats).requests - before }
  })

layer(Sandbox.layer(), { excludeTestServices: true })("keys and licences", (it) => {
  it.effect("a root of your own needs no key here: the service refuses it, once", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* readAs(outcome(priced), undefined)
      assert.deepInclude(result.error, {
        _tag: "Unauthorized",
        endpoint: "/timeseries/asset-metrics",
        type: "unauthorized",
        reason: "Requested resource requires authorization."
      })
      assert.match(result.error?.trace ?? "", trace)
      assert.deepStrictEqual([result.records.length, requests], [0, 1])
    })
  )

  it.effect("a wrong key is distinguished from a missing one, and is not retried", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* readAs(outcome(priced), "no-such-key")
      assert.deepInclude(result.error, { _tag: "Unauthorized", type: "wrong_credentials" })
      assert.notInclude(result.error?.message, "no-such-key")
      assert.strictEqual(requests, 1)
    })
  )

  for (const format of ["json", "json_stream"] as const) {
    it.effect(`a licence without a metric is Forbidden with plan and root, in ${format}`, () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const read = outcome(Timeseries.assetMetrics({ ...restricted, format }))
        const { requests, result } = yield* readAs(read, "sandbox-limited")
        assert.deepInclude(result.error, { _tag: "Forbidden", root: sandbox.url, plan: "default" })
        assert.include(result.error?.message, "Requested metric 'CapRealUSD' with frequency '1d' for asset 'btc'")
        assert.deepStrictEqual([result.records.length, requests], [0, 1])
      })
    )
  }

  it.effect("a limited licence reads what it covers, and skips the rest on request", () =>
    Effect.gen(function* () {
      const covered = yield* readAs(Stream.runCollect(priced), "sandbox-limited")
      const lenient = Timeseries.assetMetrics({ ...restricted, ignore_forbidden_errors: true })
      const rest = yield* readAs(Stream.runCollect(lenient), "sandbox-limited")
      assert.strictEqual(covered.result.length, 3)
      assert.deepStrictEqual(rest.result, covered.result)
    })
  )

  it.effect("the community root needs no key, gets none, and refuses paid data", () =>
    Effect.gen(function* () {
      const { communityUrl } = yield* Sandbox.Sandbox
      const assets = yield* readAs(Stream.runCollect(ReferenceData.assets()), undefined, communityUrl)
      assert.isAbove(assets.result.length, 0)
      const { requests, result } = yield* readAs(outcome(ReferenceData.protocols()), undefined, communityUrl)
      assert.deepInclude(result.error, { _tag: "Forbidden", root: communityUrl, plan: "community" })
      assert.match(result.error?.trace ?? "", trace)
      assert.strictEqual(requests, 1)
    })
  )

  it.effect("a parameter the service refuses is InvalidRequest with the name and the value", () =>
    Effect.gen(function* () {
      const read = outcome(Timeseries.assetMetrics({ ...prices, assets: ["btc", "no-such-asset"] }))
      const { requests, result } = yield* readAs(read, "demo-key")
      assert.deepInclude(result.error, { _tag: "InvalidRequest", parameter: "assets", value: "no-such-asset" })
      assert.strictEqual(requests, 1)
    })
  )

  it.effect("a token of another query is InvalidRequest", () =>
    Effect.gen(function* () {
      const read = outcome(Timeseries.assetMetrics({ ...prices, next_page_token: "bm9uZQ" }))
      const { result } = yield* readAs(read, "demo-key")
      assert.deepInclude(result.error, { _tag: "InvalidRequest", parameter: "next_page_token" })
    })
  )

  it.effect("a request that breaks the interface is never sent", () =>
    Effect.gen(function* () {
      const assets = Array.from({ length: 2500 }, (_, n) => `asset${n}`)
      const wrong = [
        outcome(ReferenceData.assets({ page_size: 10_001 })),
        outcome(ReferenceData.markets({ cusip: "1", isin: "2" })),
        outcome(Timeseries.assetMetrics({ ...prices, start_height: 1 })),
        outcome(Timeseries.assetMetrics({ ...prices, assets })),
        outcome(ReferenceData.assets({ assets: [] }))
      ]
      const { requests, result } = yield* readAs(Effect.all(wrong), "demo-key")
      assert.deepStrictEqual(
        result.map(({ error }) => (error?._tag === "InvalidRequest" ? error.parameter : error)),
        ["page_size", "isin", "start_height", "assets", "assets"]
      )
      assert.strictEqual(requests, 0)
    })
  )

  it.effect("a path the service does not know is NotFound", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { requests, result } = yield* readAs(outcome(ReferenceData.assets()), "demo-key", `${sandbox.url}/deeper`)
      assert.strictEqual(result.error?._tag, "NotFound")
      assert.strictEqual(requests, 1)
    })
  )

  it.effect("a path the licence does not cover is Forbidden", () =>
    Effect.gen(function* () {
      const licence = { withoutPaths: ["/reference-data/markets"] }
      const { result } = yield* readAs(outcome(ReferenceData.markets()), "partial").pipe(
        Effect.provide(Sandbox.layer({ keys: { partial: { plan: "trial", licence } } }))
      )
      assert.deepInclude(result.error, { _tag: "Forbidden", plan: "trial" })
    })
  )
})
