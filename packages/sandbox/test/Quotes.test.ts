import { assert, describe, it } from "@effect/vitest"
import { at, HOUR, MINUTE, SECOND } from "../src/internal/time/Calendar.ts"
import * as Markets from "../src/data/Markets.ts"
import * as QuoteRows from "../src/data/market/QuoteRows.ts"
import * as Rows from "../src/data/Rows.ts"

type Row = Readonly<Record<string, string | undefined>>

const market = Markets.find("coinbase-btc-usd-spot")!
const start = at("2026-10-01")

const read = (rows: Rows.Rows | undefined, from: number, to: number): ReadonlyArray<Row> => {
  const all = Rows.within(rows!, { start: { ms: from, nanos: 0 }, end: { ms: to, nanos: 0 } })
  return all.rows(0, all.length).map((row) => JSON.parse(row))
}

const hasBoth = ({ ask_price, bid_price }: Row) => ask_price !== undefined && bid_price !== undefined

const top = ({ ask_price, ask_size, bid_price, bid_size }: Row) =>
  JSON.stringify([ask_price, ask_size, bid_price, bid_size])

const kinds = [
  ["over HTTP", (empty: QuoteRows.Empty) => QuoteRows.stored(market, undefined, empty), 330 * SECOND, 70],
  ["live", (empty: QuoteRows.Empty) => QuoteRows.live(market, empty), 39 * SECOND, 610]
] as const

describe.each(kinds)("the quotes %s", (_, rows, empty, perTenMinutes) => {
  const hour = (isAsked: boolean, emptySide: QuoteRows.Empty["emptySide"]) =>
    read(rows({ isAsked, emptySide }), start, start + HOUR)

  it("leave out records with an empty side, unless they are asked for", () => {
    const [plain, all] = [hour(false, "absent"), hour(true, "absent")]
    assert.isTrue(plain.every(hasBoth))
    assert.lengthOf(all, 6 * perTenMinutes)
    assert.deepStrictEqual(all.filter(hasBoth), plain)
    const rest = all.filter((quote) => !hasBoth(quote))
    const period = empty < MINUTE ? MINUTE : 10 * MINUTE
    assert.deepStrictEqual([...new Set(rest.map(({ time }) => at(time!) % period))], [empty])
    assert.lengthOf(rest, HOUR / period)
    assert.isTrue(rest.some(({ ask_price, bid_price }) => ask_price === undefined && bid_price === undefined))
  })

  it("have 0 for an empty side in another dialect, whatever is asked for", () => {
    const all = hour(true, "absent")
    for (const isAsked of [true, false]) {
      const zero = hour(isAsked, "zero")
      assert.deepStrictEqual(
        zero.map((quote) => Object.fromEntries(Object.entries(quote).filter(([, value]) => value !== "0"))),
        all.map((quote) => ({ ...quote }))
      )
      assert.isAbove(zero.filter(({ ask_price, ask_size }) => ask_price === "0" && ask_size === "0").length, 0)
    }
  })

  it("are found by their times, and each by a time and an id of its own", () => {
    const all = rows({ isAsked: true, emptySide: "absent" })!
    const found = hour(true, "absent")
    const keys = found.map(({ coin_metrics_id, time }) => `${time} ${coin_metrics_id}`)
    assert.strictEqual(new Set(keys).size, keys.length)
    const times = found.map(({ time }) => time!)
    assert.deepStrictEqual(times, times.toSorted())
    for (const time of new Set(times.slice(100, 200))) {
      const instant = { ms: at(time) + Number(time.slice(20, 23)), nanos: Number(time.slice(23, 29)) }
      const own = JSON.parse(all.row(all.from(instant)))
      assert.strictEqual(own.time, time)
      assert.isAbove(all.from({ ...instant, nanos: instant.nanos + 1 }), all.from(instant))
    }
  })
})

describe("the live quotes of a market", () => {
  const live = read(QuoteRows.live(market, { isAsked: false, emptySide: "absent" }), start, start + HOUR)

  it("share no time and no id with those over HTTP, and lie between them", () => {
    const stored = read(
      QuoteRows.stored(market, undefined, { isAsked: true, emptySide: "absent" }),
      start,
      start + HOUR
    )
    for (const field of ["time", "coin_metrics_id"]) {
      const known = new Set(stored.map((quote) => quote[field]))
      assert.isFalse(live.some((quote) => known.has(quote[field])))
    }
    for (const { coin_metrics_id, time } of stored)
      assert.strictEqual(coin_metrics_id?.split("-")[0], `${at(time!)}000`)
    assert.isAbove(live.length, 8 * stored.length)
  })

  it("differ each from the one before, and count what their feed has collected", () => {
    for (const [n, quote] of live.entries()) if (n > 0) assert.notStrictEqual(top(quote), top(live[n - 1]!))
    const ids = live.map(({ coin_metrics_id }) => coin_metrics_id!.split("-"))
    assert.strictEqual(new Set(ids.map(([feed]) => feed)).size, 1)
    const counts = ids.map(([, count]) => Number(count))
    assert.isTrue(counts.every((count, n) => n === 0 || count > counts[n - 1]!))
    assert.isTrue(counts.some((count, n) => n > 0 && count > counts[n - 1]! + 10))
  })
})
