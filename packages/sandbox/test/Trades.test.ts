import { assert, describe, it } from "@effect/vitest"
import { HOUR } from "../src/internal/time/Calendar.ts"
import * as Availability from "../src/data/Availability.ts"
import * as Markets from "../src/data/Markets.ts"
import * as Prices from "../src/data/market/Prices.ts"
import * as Trades from "../src/data/market/Trades.ts"
import * as Rows from "../src/data/Rows.ts"

/** A market of each kind, by what is said of its fields. */
const kinds: ReadonlyArray<readonly [kind: string, market: Markets.Market]> = [
  ["spot", Markets.find("coinbase-btc-usd-spot")!],
  ["pool", Markets.all().find((market) => market["contract_address"] !== undefined)!],
  ["future", Markets.find("binance-BTCUSDT-future")!],
  ["option", Markets.all().find(({ type }) => type === "option")!],
  ["bond", Markets.all().find(({ type }) => type === "bond")!]
]

const instant = (ms: number, nanos = 0) => ({ ms, nanos })

describe.each(kinds)("the trades of a %s", (_, market) => {
  const trades = Trades.of(market)!
  const span = Availability.of(market, "trades")!
  const start = Math.floor((span.from + span.to) / 2 / HOUR) * HOUR
  const from = trades.from(instant(start))
  const day = Array.from({ length: trades.from(instant(start + 24 * HOUR)) - from }, (_, index) =>
    trades.at(from + index)
  )

  it("are in order of their times, at least one in each minute", () => {
    assert.deepStrictEqual(
      day,
      day.toSorted((a, b) => a.ms - b.ms || a.beyond - b.beyond)
    )
    assert.lengthOf([...new Set(day.map(({ ms }) => Math.floor(ms / 60_000)))], 24 * 60)
  })

  it("share a time here and there, and are told apart by their ids", () => {
    const times = day.map(({ beyond, ms }) => `${ms}.${beyond}`)
    assert.isBelow(new Set(times).size, times.length - 10)
    const ids = day.map((trade) => Trades.idOf(market, trade))
    assert.lengthOf([...new Set(ids)], ids.length)
  })

  it("are found by the nanosecond", () => {
    for (const trade of [day[0]!, day[500]!, day.at(-1)!]) {
      const first = trades.from(instant(trade.ms, trade.beyond))
      assert.isAtMost(first, trade.n)
      assert.deepInclude(trades.at(first), { ms: trade.ms, beyond: trade.beyond })
      const before = trades.at(first - 1)
      assert.isTrue(before.ms < trade.ms || before.beyond < trade.beyond)
      const after = trades.at(trades.from(instant(trade.ms, trade.beyond + 1)))
      assert.isTrue(after.ms > trade.ms || after.beyond > trade.beyond)
    }
  })

  it("lie within the span of the catalog, around the price", () => {
    const [first, last] = [trades.at(trades.bounds.first), trades.at(trades.bounds.last)]
    assert.isTrue(first.ms >= span.from && last.ms <= span.to)
    assert.isBelow(first.ms, span.from + 120_000)
    assert.isAbove(last.ms, span.to - 120_000)
    for (const { amount, isBuy, ms, price } of day) {
      assert.isAbove(amount, 0)
      assert.strictEqual(price > Prices.middle(market, ms), isBuy)
    }
  })

  it("are the same written alone and one after the other", () => {
    const rows = Trades.rows(market, 2)!
    const all = Rows.within(rows, { start: instant(start), end: instant(start + 3 * HOUR) })
    const written = all.rows(0, all.length)
    assert.isAbove(written.length, 180)
    for (const index of [written.length - 1, 0, 77, 78])
      assert.deepStrictEqual(all.rows(index, index + 1), [written[index]!])
    assert.lengthOf([...new Set(written)], written.length)
    for (const from of ["start", "end"] as const) {
      const range = { start: instant(start), end: instant(start + 3 * HOUR) }
      const five = Rows.within(rows, range, { count: 5, from })
      assert.deepStrictEqual(five.rows(0, five.length), from === "start" ? written.slice(0, 5) : written.slice(-5))
    }
  })
})
