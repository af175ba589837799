import { assert, describe, it } from "@effect/vitest"
import { at, HOUR, MINUTE, SECOND } from "../src/internal/time/Calendar.ts"
import * as Frequency from "../src/data/Frequency.ts"
import * as Markets from "../src/data/Markets.ts"
import * as BookRows from "../src/data/market/BookRows.ts"
import * as Books from "../src/data/market/Books.ts"
import * as Prices from "../src/data/market/Prices.ts"
import * as Rows from "../src/data/Rows.ts"

const kinds: ReadonlyArray<readonly [kind: string, market: Markets.Market, start: number]> = [
  ["spot", Markets.find("coinbase-btc-usd-spot")!, at("2024-03-01")],
  ["future", Markets.find("kraken-BTCUSDT-future")!, at("2024-03-01")],
  ["option", Markets.find("deribit-BTC-16APR27-162500-C-option")!, at("2026-10-01")]
]

interface Row {
  readonly time: string
  readonly coin_metrics_id: string
  readonly asks: ReadonlyArray<Books.Level>
  readonly bids: ReadonlyArray<Books.Level>
  readonly ask_price?: string
  readonly ask_size?: string
  readonly bid_price?: string
  readonly bid_size?: string
}

const read = (rows: Rows.Rows | undefined, start: number, end: number): ReadonlyArray<Row> => {
  const all = Rows.within(rows!, { start: { ms: start, nanos: 0 }, end: { ms: end, nanos: 0 } })
  return all.rows(0, all.length).map((row) => JSON.parse(row))
}

const asked: BookRows.Asked = { depth: "100", grid: undefined, isOpened: false, isUpdates: false }

const isAscending = (prices: ReadonlyArray<number>) => prices.every((price, n) => n === 0 || prices[n - 1]! < price)

const pricesOf = (side: ReadonlyArray<Books.Level>) => side.map(({ price }) => Number(price))

/** A side of a book by price, as an update changes it. */
const applied = (side: ReadonlyArray<Books.Level>, update: ReadonlyArray<Books.Level>) => {
  const sizes = new Map(side.map(({ price, size }) => [price, size]))
  for (const { price, size } of update) {
    if (Number(size) === 0) assert.isTrue(sizes.delete(price))
    else sizes.set(price, size)
  }
  return [...sizes].toSorted(([a], [b]) => Number(a) - Number(b))
}

const entries = (side: ReadonlyArray<Books.Level>) => applied(side, [])

const hasBoth = ({ ask_price, bid_price }: Row) => ask_price !== undefined && bid_price !== undefined

describe.each(kinds)("the order books of a %s", (_, market, start) => {
  it.each(["100", "10pct_mid_price", "full_book"] as const)("are sane, of depth %s", (depth) => {
    const middle = Prices.middle(market, start)
    const { asks, bids } = Books.at(market, start, depth)
    const [asked, bid] = [pricesOf(asks), pricesOf(bids).toReversed()]
    assert.isTrue(isAscending([...bid, ...asked]))
    assert.isTrue(bid.at(-1)! < middle && middle < asked[0]! && bid[0]! > 0)
    for (const { size } of [...asks, ...bids]) assert.isAbove(Number(size), 0)
    const reach = Math.max(asked.at(-1)! / middle - 1, 1 - bid[0]! / middle)
    if (depth === "100") assert.deepStrictEqual([asks.length, bids.length], [100, 100])
    if (depth === "10pct_mid_price") assert.isTrue(reach <= 0.1 && reach > 0.09)
    if (depth === "full_book") assert.isAbove(reach, 0.25)
  })

  it("of fewer levels are the tops of those of more", () => {
    const [whole, tenth, top] = (["full_book", "10pct_mid_price", "100"] as const).map((depth) =>
      Books.at(market, start, depth)
    )
    for (const side of ["asks", "bids"] as const) {
      assert.deepStrictEqual(tenth![side], whole![side].slice(0, tenth![side].length))
      assert.deepStrictEqual(top![side], whole![side].slice(0, 100))
    }
  })

  it("come every ten seconds, two at each minute, and whole every hour", () => {
    const tops = read(BookRows.books(market, asked), start, start + 10 * MINUTE)
    assert.lengthOf(tops, 70)
    assert.lengthOf([...new Set(tops.map(({ time }) => time))], 60)
    assert.lengthOf([...new Set(tops.map(({ coin_metrics_id }) => coin_metrics_id))], 70)
    const minute = Frequency.find("1m")
    assert.lengthOf(read(BookRows.books(market, { ...asked, grid: minute }), start, start + 10 * MINUTE), 10)
    const whole = { ...asked, depth: "full_book" as const }
    assert.lengthOf(read(BookRows.books(market, whole), start, start + 5 * HOUR), 5)
    assert.lengthOf(read(BookRows.books(market, { ...whole, grid: minute }), start, start + 5 * HOUR), 5)
  })

  it("change by their updates, which begin with a whole book where that is asked for", () => {
    const snapshots = read(BookRows.books(market, asked), start, start + 10 * MINUTE)
    const books = new Map(snapshots.toReversed().map((book) => [book.time, book]))
    const updates = { ...asked, isUpdates: true, isOpened: true }
    const [first, ...others] = read(BookRows.books(market, updates), start, start + 10 * MINUTE)
    assert.deepStrictEqual(first, books.get(first!.time))
    let book = first!
    for (const update of others) {
      const next = books.get(update.time)!
      for (const side of ["asks", "bids"] as const)
        assert.deepStrictEqual(applied(book[side], update[side]), entries(next[side]))
      book = next
    }
    const plain = read(BookRows.books(market, { ...updates, isOpened: false }), start, start + 10 * MINUTE)
    assert.deepStrictEqual(plain.slice(1), others)
    assert.notDeepEqual(plain[0], first)
  })

  it("have the quotes of their time at their top", () => {
    const quotes = read(BookRows.quotes(market, undefined, false), start, start + 10 * MINUTE)
    const found = new Map(quotes.map((quote) => [`${quote.time} ${quote.coin_metrics_id}`, quote]))
    assert.strictEqual(found.size, 600)
    for (const { asks, bids, coin_metrics_id, time } of read(BookRows.books(market, asked), start, start + 10 * MINUTE))
      assert.deepInclude(found.get(`${time} ${coin_metrics_id}`), {
        ask_price: asks[0]!.price,
        ask_size: asks[0]!.size,
        bid_price: bids[0]!.price,
        bid_size: bids[0]!.size
      })
  })

  it("leave out the quotes of a side alone, unless they are asked for", () => {
    const quotes = read(BookRows.quotes(market, undefined, false), start, start + HOUR)
    const all = read(BookRows.quotes(market, undefined, true), start, start + HOUR)
    assert.isTrue(quotes.every(hasBoth))
    assert.deepStrictEqual(all.filter(hasBoth), quotes)
    assert.lengthOf(all, quotes.length + 60)
    const rest = all.filter((quote) => !hasBoth(quote))
    assert.deepStrictEqual([...new Set(rest.map(({ time }) => at(time) % MINUTE))], [39 * SECOND])
    assert.isTrue(rest.some(({ ask_price, bid_price }) => ask_price === undefined && bid_price === undefined))
  })
})
