import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Effect, Stream } from "effect"
import { lineOf, priceChart } from "../src/guides/chart.ts"
import { minutes } from "../src/guides/columns.ts"
import { inMemory } from "./Guides.ts"

describe("the programs about columns", () => {
  it.live("compute returns and means of the closes of a market", () =>
    Effect.gen(function* () {
      const { close, means, returns, time } = yield* minutes("2026-10-01", "2026-10-01")
      const candles = yield* Stream.runCollect(
        Timeseries.marketCandles({
          markets: "coinbase-btc-usd-spot",
          frequency: "1m",
          start_time: "2026-10-01",
          end_time: "2026-10-01"
        })
      )
      const closes = candles.map(({ price_close }) => Number(price_close))
      assert.strictEqual(time.length, 1_440)
      assert.deepStrictEqual([...close], closes)
      assert.strictEqual(time[1]! - time[0]!, 60_000_000_000n)
      assert.isNaN(returns[0])
      assert.strictEqual(returns[9], Math.log(closes[9]! / closes[8]!))
      const hour = closes.slice(41, 101)
      assert.closeTo(means[100]!, hour.reduce((sum, value) => sum + value, 0) / 60, 1e-6)
    }).pipe(Effect.provide(inMemory))
  )

  it.live("draw the price of a day", () =>
    Effect.gen(function* () {
      const svg = yield* priceChart("btc", "2026-10-01")
      assert.match(svg, /^<svg [^>]*viewBox="0 0 800 200"><path d="M0\.0 [\d.]+(L[\d.]+ [\d.]+){1439}" /)
    }).pipe(Effect.provide(inMemory))
  )

  it("leave a gap in a line where a value is missing", () => {
    const svg = lineOf(Float64Array.of(Number.NaN, 1, 2, Number.NaN, 3), 8, 4)
    assert.include(svg, 'd="M2.0 4.0L4.0 2.0M8.0 0.0"')
  })
})
