import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as PairCandles from "../src/data/market/PairCandles.ts"
import { rows } from "./Harness.ts"

const range = "start_time=2024-03-01T09:00:00&end_time=2024-03-01T13:00:00&paging_from=start"

const exact = (amount: unknown): bigint => BigInt(String(amount).replace(".", ""))

layer(Sandbox.layerMemory())("Candles of pairs", (it) => {
  it.effect.each(["1h", "5m"])("are at %s those of the two markets they are made of, added up", (frequency) =>
    Effect.gen(function* () {
      const markets = PairCandles.marketsOf("btc-usd").map(({ market }) => market)
      assert.lengthOf(markets, 2)
      const pairs = yield* rows(`/timeseries/pair-candles?pairs=btc-usd&frequency=${frequency}&${range}`)
      const [older = [], other = []] = yield* Effect.forEach(markets, (market) =>
        rows(`/timeseries/market-candles?markets=${market}&frequency=${frequency}&${range}`)
      )
      assert.lengthOf(pairs, older.length)
      pairs.forEach((pair, n) => {
        const [a = {}, b = {}] = [older[n], other[n]]
        assert.deepInclude(pair, { time: a["time"], price_open: a["price_open"], price_close: a["price_close"] })
        const both = (field: string) => [Number(a[field]), Number(b[field])]
        assert.strictEqual(Number(pair["price_high"]), Math.max(...both("price_high")))
        assert.strictEqual(Number(pair["price_low"]), Math.min(...both("price_low")))
        assert.strictEqual(exact(pair["volume"]), exact(a["volume"]) + exact(b["volume"]))
        const [first = 0, second = 0] = both("candle_trades_count")
        assert.strictEqual(Number(pair["candle_trades_count"]), first + second)
      })
    })
  )

  it.effect("begin and end where the catalog says", () =>
    Effect.gen(function* () {
      const [entry] = yield* rows("/catalog-all/pair-candles?pairs=eth-usd")
      // Type boundary: the test looks at what was sent.
      for (const { frequency, max_time, min_time } of (entry?.["frequencies"] ?? []) as ReadonlyArray<
        Readonly<Record<string, unknown>>
      >) {
        const all = `/timeseries/pair-candles?pairs=eth-usd&frequency=${frequency}&page_size=1`
        assert.strictEqual((yield* rows(`${all}&paging_from=start`))[0]?.["time"], min_time)
        assert.strictEqual((yield* rows(all))[0]?.["time"], max_time)
      }
    })
  )
})
