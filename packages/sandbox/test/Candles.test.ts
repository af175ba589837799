import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "../src/Dialect.ts"
import { DAY, HOUR, MINUTE, nanos } from "../src/internal/time/Calendar.ts"
import * as Availability from "../src/data/Availability.ts"
import * as Frequency from "../src/data/Frequency.ts"
import * as Markets from "../src/data/Markets.ts"
import * as Candles from "../src/data/market/Candles.ts"
import * as Trades from "../src/data/market/Trades.ts"
import * as Rows from "../src/data/Rows.ts"

const kinds: ReadonlyArray<readonly [kind: string, market: Markets.Market]> = [
  ["spot", Markets.find("coinbase-btc-usd-spot")!],
  ["pool", Markets.all().find((market) => market["contract_address"] !== undefined)!],
  ["future", Markets.find("binance-BTCUSDT-future")!]
]

const instant = (ms: number) => ({ ms, nanos: 0 })

const read = (rows: Rows.Rows, start: number, end: number): ReadonlyArray<Record<string, string>> => {
  const all = Rows.within(rows, { start: instant(start), end: instant(end) })
  return all.rows(0, all.length).map((row) => JSON.parse(row))
}

const units = (amount: string): bigint => BigInt(amount.replace(".", ""))

const sum = (amounts: ReadonlyArray<string>): bigint => amounts.reduce((total, amount) => total + units(amount), 0n)

describe.each(kinds)("the candles of a %s", (_, market) => {
  const span = Availability.of(market, "candles")!
  const middle = Math.floor((span.from + span.to) / 2 / DAY) * DAY
  const candles = (frequency: string, start: number, end: number) =>
    read(Candles.rows(market, Frequency.find(frequency)!, Dialect.usual)!, start, end)

  it.each(["1m", "10m", "1h", "4h", "1d", "1d-16:00"])("are at %s what the trades as they are sent come to", (name) => {
    const grid = Frequency.find(name)!
    const place = grid.from(middle) + 2
    const [start, end] = [grid.at(place), grid.at(place + 1)]
    const [candle] = candles(name, start, end)
    const trades = read(Trades.rows(market, 0)!, start, end)
    const prices = trades.map(({ price }) => Number(price))
    assert.deepInclude(candle, {
      time: nanos(start),
      price_open: trades[0]!["price"],
      price_close: trades.at(-1)!["price"],
      candle_trades_count: String(trades.length)
    })
    assert.strictEqual(Number(candle!["price_high"]), Math.max(...prices))
    assert.strictEqual(Number(candle!["price_low"]), Math.min(...prices))
    assert.strictEqual(units(candle!["volume"]!), sum(trades.map(({ amount }) => amount!)))
    const value = trades.reduce((total, { amount, price }) => total + Number(amount) * Number(price), 0)
    assert.closeTo(Number(candle!["vwap"]) / (value / Number(candle!["volume"])), 1, 1e-6)
  })

  it("of an hour are those of its minutes", () => {
    const [hour] = candles("1h", middle, middle + HOUR)
    const minutes = candles("1m", middle, middle + HOUR)
    assert.lengthOf(minutes, 60)
    assert.strictEqual(units(hour!["volume"]!), sum(minutes.map(({ volume }) => volume!)))
    const dollars = minutes.reduce((total, minute) => total + Number(minute["candle_usd_volume"]), 0)
    assert.closeTo(dollars / Number(hour!["candle_usd_volume"]), 1, 1e-6)
  })

  it("stand where the catalog says, the last as long as there are trades", () => {
    const { bounds } = Candles.rows(market, Frequency.find("1m")!, Dialect.usual)!
    assert.strictEqual(bounds.last * MINUTE, span.to)
    const [last] = candles("1m", span.to, span.to + MINUTE)
    const { high, low } = { high: Number(last!["price_high"]), low: Number(last!["price_low"]) }
    assert.isTrue(0 < low && low <= high)
    assert.strictEqual(last!["candle_trades_count"] === "0", units(last!["volume"]!) === 0n)
  })
})
