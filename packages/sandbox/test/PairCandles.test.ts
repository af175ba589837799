import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { rows } from "./Harness.ts"

const range = "start_time=2024-03-01T09:00:00&end_time=2024-03-01T13:00:00&paging_from=start"

layer(Sandbox.layerMemory())("Candles of pairs", (it) => {
  it.effect.each(["1h", "5m"])("have at %s prices alone, each beginning where the one before ended", (frequency) =>
    Effect.gen(function* () {
      const candles = yield* rows(`/timeseries/pair-candles?pairs=btc-usd&frequency=${frequency}&${range}`)
      assert.isAtLeast(candles.length, 5)
      const prices = candles.map((candle) => {
        assert.hasAllKeys(candle, ["pair", "time", "price_open", "price_close", "price_high", "price_low"])
        const [open = 0, close = 0, high = 0, low = 0] = ["open", "close", "high", "low"].map((name) =>
          Number(candle[`price_${name}`])
        )
        assert.isTrue(low <= Math.min(open, close) && Math.max(open, close) <= high)
        return { open, close }
      })
      for (const [n, { close }] of prices.slice(0, -1).entries()) assert.strictEqual(prices[n + 1]?.open, close)
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
