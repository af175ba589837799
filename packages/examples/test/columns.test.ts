import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Effect, Stream } from "effect"
import { parseHTML } from "linkedom"
import { hours } from "../src/guides/arrowSql.ts"
import { priceChart } from "../src/guides/chart.ts"
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
      const { document } = parseHTML("<html></html>")
      const chart = yield* priceChart("btc", "2026-10-01", document)
      const [, line = ""] = /<g [^>]*aria-label="line"><path d="(M[^"]*)"/.exec(chart.outerHTML) ?? []
      assert.strictEqual(line.split(/[ML]/).length - 1, 1_440)
    }).pipe(Effect.provide(inMemory))
  )

  it.live("sum trades by SQL", () =>
    Effect.gen(function* () {
      const params = {
        markets: ["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"],
        start_time: "2026-10-01T00:50:00",
        end_time: "2026-10-01T01:09:59"
      } as const
      const found = yield* hours(params.markets, params.start_time, params.end_time)
      const trades = yield* Stream.runCollect(Timeseries.marketTrades(params))
      const byHour = Map.groupBy(trades, ({ market, time }) => `${market} ${Date.parse(`${time.slice(0, 13)}:00Z`)}`)
      assert.strictEqual(found.length, 4)
      for (const { high, hour, low, market, volume } of found) {
        const own = byHour.get(`${market} ${hour}`) ?? []
        const prices = own.map(({ price }) => Number(price))
        assert.deepStrictEqual([low, high], [Math.min(...prices), Math.max(...prices)])
        const sum = own.reduce((sum, { amount }) => sum + Number(amount), 0)
        assert.closeTo(volume, sum, 1e-6)
      }
    }).pipe(Effect.provide(inMemory))
  )
})
