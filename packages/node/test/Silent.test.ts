import { assert, describe, it } from "@effect/vitest"
import { Bulk, Client, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { inVirtualTime, outcome, streamed, paged } from "./Harness.ts"

const apiKey = Redacted.make("demo-key")

const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const value = yield* self
    return { value, millis: (yield* Clock.currentTimeMillis) - began }
  })

describe("a trial plan that sends no rate-limit headers, and 429s in HTML", () => {
  const service = Sandbox.layerMemory({ plan: "trial", dialect: { rateLimitHeaders: "none", rejectedBody: "html" } })
  const assets = [
    "btc",
    "eth",
    "ltc",
    "bch",
    "etc",
    "sol",
    "ada",
    "doge",
    "xrp",
    "xlm",
    "link",
    "uni",
    "dot",
    "trx",
    "xmr",
    "zec"
  ]
  const params = { assets, metrics: ["PriceUSD"], start_time: "2024-01-01", end_time: "2024-03-31" } as const

  it.effect.each([["one page each"], ["pages"]] as const)("sixteen parts all end, each record once: %s", ([format]) =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const more = format === "pages" ? { page_size: 30 } : {}
      const parts = yield* Bulk.split(Timeseries.assetMetrics, { ...params, ...more }, { by: "assets", size: 1 })
      assert.strictEqual(parts.length, 16)
      const read = Stream.runCollect(Bulk.records(Timeseries.assetMetrics, parts, { concurrency: 16 }))
      const { millis, value } = yield* inVirtualTime(timed(read)).pipe(
        Effect.provide(Client.layer({ root: sandbox.url, apiKey }))
      )
      assert.strictEqual(new Set(value.map(({ asset, time }) => `${asset} ${time}`)).size, value.length)
      assert.strictEqual(value.length, 16 * 91)
      const { rejected, requests } = yield* sandbox.stats
      // A part is its last page, of which it is the whole, or four pages.
      const sent = 16 * (format === "pages" ? 4 : 1)
      assert.strictEqual(requests - rejected, sent)
      assert.isAtMost(rejected, 20)
      assert.isAtMost(millis, (sent / 10) * 6_000 * 1.3)
    }).pipe(Effect.provide(service))
  )
})

/** A clock that runs twenty times as fast as ours, for what takes a minute over real sockets. */
const hasty = Effect.map(Clock.Clock, (clock): Clock.Clock => {
  const nanos = () => clock.monotonicTimeNanosUnsafe() * 20n
  const millis = () => Number(nanos() / 1_000_000n)
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => clock.sleep(Duration.divideUnsafe(duration, 20))
  }
})

describe("a body that arrives at twenty bytes a second", () => {
  it.live.each([
    ["pages", paged, 7],
    ["json_stream", streamed, 3]
  ] as const)("is given up after a minute and asked for again: %s", ([, stream, requests]) =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const root = sandbox.faultUrl("drip=20;every=50;times=1")
      const client = NodeClient.layer({ root, apiKey, plan: "download", idle: "1 hour", firstByte: "1 hour" })
      const { error, records } = yield* outcome(stream).pipe(
        Effect.provide(client),
        Effect.provideService(Clock.Clock, yield* hasty)
      )
      assert.isUndefined(error)
      assert.strictEqual(records.length, 273)
      assert.strictEqual((yield* sandbox.stats).requests, requests)
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})
