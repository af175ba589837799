import { assert, describe, it } from "@effect/vitest"
import * as Availability from "../src/data/Availability.ts"
import { at, DAY, HOUR, MINUTE } from "../src/internal/time/Calendar.ts"
import * as Frequency from "../src/data/Frequency.ts"
import * as Markets from "../src/data/Markets.ts"
import * as Contracts from "../src/data/market/Contracts.ts"
import * as Liquidations from "../src/data/market/Liquidations.ts"
import * as Options from "../src/data/market/Options.ts"
import * as Prices from "../src/data/market/Prices.ts"
import * as Trades from "../src/data/market/Trades.ts"
import * as Rows from "../src/data/Rows.ts"

type Row = Readonly<Record<string, string>>

const read = (rows: Rows.Rows | undefined, start: number, end: number): ReadonlyArray<Row> => {
  const all = Rows.within(rows!, { start: { ms: start, nanos: 0 }, end: { ms: end, nanos: 0 } })
  return all.rows(0, all.length).map((row) => JSON.parse(row))
}

const future = Markets.find("kraken-BTCUSDT-future")!
const option = Markets.find("deribit-BTC-16APR27-162500-C-option")!
const put: Markets.Market = { ...option, option_contract_type: "put" }
const start = at("2024-03-01")
const october = at("2026-10-01")

const tradeOf = ({ amount, coin_metrics_id, price, side, time }: Row) => [time, coin_metrics_id, amount, price, side]

const openOf = ({ contract_count, time, value_usd }: Row) => [time, contract_count, value_usd]

const openInterest = (grid?: Frequency.Frequency) =>
  Contracts.rows(future, "openinterest", grid, (ms) => Contracts.openInterest(future, ms))

const greeks = (market: Markets.Market, ms: number): Row => JSON.parse(`{${Options.greeks(market, ms)}}`)

describe("the liquidations of a future", () => {
  it("are the trades that say that they liquidated, as they say it", () => {
    const trades = read(Trades.rows(future, 0), start, start + DAY).filter(
      ({ liquidation }) => liquidation !== undefined
    )
    const found = read(Liquidations.rows(future), start, start + DAY)
    assert.isAbove(found.length, 60)
    assert.deepStrictEqual(found.map(tradeOf), trades.map(tradeOf))
  })

  it("lie within the span of the catalog", () => {
    const span = Availability.of(future, "liquidations")!
    const { bounds } = Liquidations.rows(future)!
    const trades = Trades.of(future)!
    const [first, last] = [bounds.first, bounds.last].map((n) => trades.at(Trades.liquidation(future, n)).ms)
    assert.isTrue(first! >= span.from && last! <= span.to)
    assert.isTrue(first! < span.from + DAY && last! > span.to - DAY)
  })
})

describe("what exchanges publish of contracts", () => {
  it("is open interest worth as much as its contracts", () => {
    const rows = read(openInterest(), start, start + HOUR)
    assert.lengthOf(rows, 60)
    for (const { contract_count, time, value_usd } of rows) {
      assert.match(contract_count!, /^[1-9]\d*(?:\.\d{1,3})?$/)
      const worth = Number(contract_count) * Number(future["contract_size"]) * Prices.inDollars("btc", at(time!))
      assert.closeTo(Number(value_usd) / worth, 1, 1e-9)
    }
  })

  it("is thinned out to records that there are without", () => {
    const minutes = read(openInterest(), start, start + DAY)
    const hours = read(openInterest(Frequency.find("1h")), start, start + DAY)
    assert.lengthOf(hours, 24)
    assert.deepStrictEqual(hours.map(openOf), minutes.filter((_, n) => n % 60 === 0).map(openOf))
  })

  it("is a prediction of the rate that is then paid", () => {
    const [paid] = read(Contracts.funding(future), start + 8 * HOUR, start + 8 * HOUR + 1)
    const predicted = read(Contracts.predicted(future), start, start + 8 * HOUR)
    assert.lengthOf(predicted, 8 * 60 * 1.2)
    assert.deepStrictEqual([...new Set(predicted.map(({ rate_time }) => rate_time))], [paid!["time"]])
    const error = ({ rate_predicted }: Row) => Math.abs(Number(rate_predicted) - Number(paid!["rate"]))
    for (const row of predicted) assert.isAtMost(error(row), 0.0001)
    assert.isAtMost(error(predicted.at(-1)!), 0.000001)
  })

  it("ends with the price at which a contract is settled", () => {
    const expiring = Markets.all().find(
      (market) => market.type === "future" && String(market["expiration"]).startsWith("2026-0")
    )!
    const prices = (ms: number) => JSON.parse(`{${Contracts.prices(expiring, ms)}}`)
    const end = at(String(expiring["expiration"]))
    assert.closeTo(prices(end - HOUR).settlement_price_estimated / prices(end - HOUR).index_price, 1, 0.02)
    assert.isUndefined(prices(end - 2 * DAY).settlement_price_estimated)
    assert.isUndefined(JSON.parse(`{${Contracts.prices(future, start)}}`).settlement_price_estimated)
  })
})

describe("the greeks and volatilities of options", () => {
  it("belong together", () => {
    for (let ms = october; ms < october + DAY; ms += 7 * MINUTE) {
      const [call, same] = [greeks(option, ms), greeks(put, ms)]
      assert.isTrue(Number(call["delta"]) > 0 && Number(call["delta"]) < 1)
      assert.closeTo(Number(call["delta"]) - Number(same["delta"]), 1, 1e-6)
      assert.isTrue(Number(call["gamma"]) > 0 && Number(call["vega"]) > 0 && Number(call["theta"]) < 0)
      assert.isTrue(Number(call["rho"]) > 0 && Number(same["rho"]) < 0)
      const iv = JSON.parse(`{${Options.volatility(option, ms)}}`)
      assert.isTrue(Number(iv.iv_bid) < Number(iv.iv_mark) && Number(iv.iv_mark) < Number(iv.iv_ask))
    }
  })

  it("have one record a minute", () => {
    const rows = Contracts.rows(option, "greeks", undefined, (ms) => Options.greeks(option, ms))
    const found = read(rows, october, october + HOUR)
    assert.lengthOf([...new Set(found.map(({ time }) => time))], 60)
    assert.lengthOf(found, 60)
  })
})
