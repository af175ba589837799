import { assert, describe, it } from "@effect/vitest"
import * as Availability from "../src/data/Availability.ts"
import { at, DAY, HOUR, MINUTE } from "../src/internal/time/Calendar.ts"
import * as Frequency from "../src/data/Frequency.ts"
import * as Markets from "../src/data/Markets.ts"
import * as Contracts from "../src/data/market/Contracts.ts"
import * as Trades from "../src/data/market/Trades.ts"
import * as Rows from "../src/data/Rows.ts"

type Row = Readonly<Record<string, string>>

const read = (rows: Rows.Rows | undefined, start: number, end: number): ReadonlyArray<Row> => {
  const all = Rows.within(rows!, { start: { ms: start, nanos: 0 }, end: { ms: end, nanos: 0 } })
  return all.rows(0, all.length).map((row) => JSON.parse(row))
}

const future = Markets.find("kraken-BTCUSDT-future")!
const option = Markets.find("deribit-BTC-16APR27-162500-C-option")!
const start = at("2024-03-01")
const october = at("2026-10-01")

const tradeOf = ({ amount, coin_metrics_id, price, side, time }: Row) => [time, coin_metrics_id, amount, price, side]

const openOf = ({ contract_count, time, value_usd }: Row) => [time, contract_count, value_usd]

const openInterest = (grid?: Frequency.Frequency) => Contracts.rows(future, "openinterest", grid)

describe("the liquidations of a future", () => {
  it("are the trades that say that they liquidated, as they say it", () => {
    const trades = read(Trades.rows(future, 0), start, start + DAY).filter(
      ({ liquidation }) => liquidation !== undefined
    )
    const found = read(Trades.liquidations(future), start, start + DAY)
    assert.isAbove(found.length, 60)
    assert.deepStrictEqual(found.map(tradeOf), trades.map(tradeOf))
  })

  it("lie within the span of the catalog", () => {
    const span = Availability.of(future, "liquidations")!
    const { bounds } = Trades.liquidations(future)!
    const trades = Trades.of(future)!
    const [first, last] = [bounds.first, bounds.last].map((n) => trades.at(Trades.liquidation(future, n)).ms)
    assert.isTrue(first! >= span.from && last! <= span.to)
    assert.isTrue(first! < span.from + DAY && last! > span.to - DAY)
  })
})

describe("what exchanges publish of contracts", () => {
  it("is thinned out to records that there are without", () => {
    const minutes = read(openInterest(), start, start + DAY)
    const hours = read(openInterest(Frequency.find("1h")), start, start + DAY)
    assert.lengthOf(hours, 24)
    assert.deepStrictEqual(hours.map(openOf), minutes.filter((_, n) => n % 60 === 0).map(openOf))
  })

  it("has a prediction of the next payment each minute, and two each fifth", () => {
    const [paid] = read(Contracts.rows(future, "funding_rates"), start + 8 * HOUR, start + 8 * HOUR + 1)
    const predicted = read(Contracts.predicted(future), start, start + 8 * HOUR)
    assert.lengthOf(predicted, 8 * 60 * 1.2)
    assert.lengthOf([...new Set(predicted.map((row) => JSON.stringify(row)))], 8 * 60 * 1.2)
    assert.deepStrictEqual([...new Set(predicted.map(({ rate_time }) => rate_time))], [paid!["time"]])
  })

  it("ends with the price at which a contract is settled", () => {
    const expiring = Markets.all().find(
      (market) => market.type === "future" && String(market["expiration"]).startsWith("2026-0")
    )!
    const settled = (ms: number) =>
      read(Contracts.rows(expiring, "contract_prices"), ms, ms + MINUTE).map(
        (row) => "settlement_price_estimated" in row
      )
    const end = at(String(expiring["expiration"]))
    assert.deepStrictEqual([settled(end - HOUR), settled(end - 2 * DAY)], [[true], [false]])
  })
})

describe("the volatilities of options", () => {
  it("are without a bid in some minutes, which a number that is not above 0 says", () => {
    const bids = read(Contracts.rows(option, "implied_volatility"), october, october + 4 * HOUR)
    assert.lengthOf(bids, 240)
    assert.includeMembers(
      bids.map(({ iv_bid }) => iv_bid),
      ["-1", "0"]
    )
  })
})
