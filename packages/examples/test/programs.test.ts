import { assert, describe, it } from "@effect/vitest"
import { Client, LiveClient, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { named } from "../src/guides/joined.ts"
import { work } from "../src/guides/workers.ts"
import { alerts } from "../src/live/alert.ts"
import { newestPrice } from "../src/live/arrival.ts"
import { spread } from "../src/live/spread.ts"
import { inMemory } from "./Guides.ts"

const live = Sandbox.layerClient((given) => Layer.provideMerge(LiveClient.layer(), Client.layer(given)), { live: {} })

/** The rates of the first minute in which the stand-in goes on. */
const minute = Timeseries.assetMetrics({
  assets: ["btc"],
  metrics: ["ReferenceRateUSD"],
  frequency: "1s",
  start_time: "2026-10-01T00:00:01",
  end_time: "2026-10-01T00:01:00"
}).pipe(
  Stream.map(({ ReferenceRateUSD }) => Number(ReferenceRateUSD)),
  Stream.runCollect
)

describe("the other programs", () => {
  it.live("join a list to a series by asset", () =>
    Effect.gen(function* () {
      const lines = yield* Stream.runCollect(named)
      assert.strictEqual(lines.length, 6)
      assert.match(lines[0] ?? "", /^2026-10-30 Bitcoin \d+\.\d+$/)
      assert.match(lines[5] ?? "", /^2026-10-31 Solana \d+\.\d+$/)
    }).pipe(Effect.provide(inMemory))
  )

  it.live("share the trades among four workers, each trade once", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      let running = 0
      let most = 0
      yield* work((trade) =>
        Effect.gen(function* () {
          running += 1
          most = Math.max(most, running)
          seen.push(`${trade.market} ${trade.coin_metrics_id}`)
          yield* Effect.yieldNow
          running -= 1
        })
      )
      assert.isAbove(seen.length, 100)
      assert.strictEqual(new Set(seen).size, seen.length)
      assert.strictEqual(most, 4)
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("say each time that the rate crosses the line", () =>
    Effect.gen(function* () {
      const rates = yield* Effect.provide(minute, inMemory)
      const line = rates.toSorted((a, b) => a - b)[30] ?? 0
      const sides = rates.map((rate) => rate >= line)
      const crossings = sides.filter((side, index) => index > 0 && side !== sides[index - 1]).length
      assert.isAbove(crossings, 0)
      const said: Array<string> = []
      const watching = yield* alerts(line).pipe(
        Stream.runForEach((text) => Effect.sync(() => said.push(text))),
        Effect.provide(live),
        Effect.forkChild
      )
      yield* Effect.repeat(TestClock.adjust("1 second"), { times: 62 })
      yield* Fiber.interrupt(watching)
      assert.isAtLeast(said.length, crossings)
      for (const text of said) assert.match(text, /^(above|below) [\d.]+ at 2026-10-01T00:0/)
    })
  )

  it.effect("tell by how much two markets differ", () =>
    Effect.gen(function* () {
      const told: Array<number> = []
      const watching = yield* spread((difference) => void told.push(difference)).pipe(
        Effect.provide(live),
        Effect.forkChild
      )
      yield* Effect.repeat(TestClock.adjust("1 second"), { times: 5 })
      yield* Fiber.interrupt(watching)
      assert.isNotEmpty(told)
      for (const difference of told) assert.isTrue(Number.isFinite(difference))
    })
  )

  it.effect("tell the newest price as it arrives, also while a hole is filled", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const watching = yield* newestPrice((price) => void told.push(price)).pipe(Effect.forkChild)
      yield* Effect.repeat(TestClock.adjust("1 second"), { times: 60 })
      const before = told.length
      yield* (yield* Sandbox.Sandbox).live.end("drop")
      yield* Effect.repeat(TestClock.adjust("1 second"), { times: 60 })
      yield* Fiber.interrupt(watching)
      assert.isAbove(before, 0)
      assert.isAbove(told.length, before)
    }).pipe(Effect.provide(live))
  )
})
