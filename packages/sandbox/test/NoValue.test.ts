import { assert, describe, it } from "@effect/vitest"
import { type Dialect, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Markets from "../src/data/Markets.ts"
import * as Trades from "../src/data/market/Trades.ts"
import { get, lines, pages, type Row, rows } from "./Harness.ts"

const first = "page_size=1&paging_from=start"

/** Rows in which one metric has no value yet, as another begins earlier. */
const begins: ReadonlyArray<string> = [
  `/timeseries/asset-metrics?assets=btc&metrics=AdrActCnt,PriceUSD,ReferenceRateUSD&${first}`,
  `/timeseries/exchange-metrics?exchanges=binance&metrics=volume_reported_spot_usd_1d,volume_reported_future_usd_1d&${first}`
]

const speaking = (dialect: Partial<Dialect.Dialect>) => Effect.provide(Sandbox.layerMemory({ dialect }))

const withoutNull = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

describe("A metric without a value", () => {
  it.effect.each(begins)("is null, or absent: %s", (path) =>
    Effect.gen(function* () {
      const [row = {}] = yield* rows(path).pipe(speaking({ noValue: "null" }))
      const [other = {}] = yield* rows(path).pipe(speaking({ noValue: "absent" }))
      assert.isTrue(Object.values(row).includes(null))
      assert.deepStrictEqual(other, withoutNull(row))
    })
  )
})

const quiet = Markets.all().find((market) => market.status === "online" && Trades.hasPauses(market))!.market
const range = "start_time=2026-06-01T00:00:00&end_time=2026-06-01T09:00:00"
const candles = (frequency: string) =>
  `/timeseries/market-candles?markets=${quiet},coinbase-btc-usd-spot&frequency=${frequency}&${range}`

describe("A candle of a minute in which nothing was traded", () => {
  it.effect.each(["1m", "5m", "10m", "1h"])("is flat, or absent, at %s", (frequency) =>
    Effect.gen(function* () {
      const path = candles(frequency)
      const whole = `${path}&page_size=10000`
      const all = yield* rows(whole).pipe(speaking({ flatCandles: "present" }))
      const traded = all.filter((row) => row["candle_trades_count"] !== "0")
      assert.strictEqual(all.length - traded.length, { "1m": 24, "5m": 3 }[frequency] ?? 0)
      const found = yield* Effect.gen(function* () {
        return {
          page: yield* rows(whole),
          onward: (yield* pages(`${path}&page_size=7&paging_from=start`)).flat(),
          back: (yield* pages(`${path}&page_size=7`)).toReversed().flat(),
          lines: lines(yield* get(`${path}&format=json_stream`)),
          latest: yield* rows(`${whole}&limit_per_market=30`)
        }
      }).pipe(speaking({ flatCandles: "absent" }))
      const latest = Object.values(Object.groupBy(traded, ({ market }) => String(market))).flatMap((own = []) =>
        own.slice(-30)
      )
      assert.deepStrictEqual(found, { page: traded, onward: traded, back: traded, lines: traded, latest })
    })
  )
})
