import { assert, describe, it } from "@effect/vitest"
import { isDeepStrictEqual } from "node:util"
import { at, HOUR, MINUTE, nanos } from "../src/internal/time/Calendar.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Dialect from "../src/Dialect.ts"
import * as Frequency from "../src/data/Frequency.ts"
import * as Markets from "../src/data/Markets.ts"
import * as BookRows from "../src/data/market/BookRows.ts"
import * as Books from "../src/data/market/Books.ts"
import * as BookUpdates from "../src/data/market/BookUpdates.ts"
import * as QuoteRows from "../src/data/market/QuoteRows.ts"
import * as Prices from "../src/data/market/Prices.ts"
import * as Rows from "../src/data/Rows.ts"

const kinds: ReadonlyArray<readonly [kind: string, market: Markets.Market, start: number]> = [
  ["spot", Markets.find("coinbase-btc-usd-spot")!, at("2024-03-01")],
  ["future", Markets.find("kraken-BTCUSDT-future")!, at("2024-03-01")],
  ["option", Markets.find("deribit-BTC-16APR27-162500-C-option")!, at("2026-10-01")]
]

interface Row {
  readonly type?: string
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

const depths: ReadonlyArray<Books.Depth> = [100, "10pct_mid_price", "full_book"]

const isAscending = (prices: ReadonlyArray<number>) => prices.every((price, n) => n === 0 || prices[n - 1]! < price)

const pricesOf = (side: ReadonlyArray<Books.Level>) => side.map(({ price }) => Number(price))

const everyQuote: QuoteRows.Empty = { isAsked: true, emptySide: "absent" }

const hasBoth = ({ ask_price, bid_price }: Row) => ask_price !== undefined && bid_price !== undefined

describe.each(kinds)("the order books of a %s", (_, market, start) => {
  it.each(depths)("are sane, of depth %s", (depth) => {
    const middle = Prices.middle(market, start)
    const { asks, bids } = Books.at(market, start, depth)
    const [asked, bid] = [pricesOf(asks), pricesOf(bids).toReversed()]
    assert.isTrue(isAscending([...bid, ...asked]))
    assert.isTrue(bid.at(-1)! < middle && middle < asked[0]! && bid[0]! > 0)
    for (const { size } of [...asks, ...bids]) assert.isAbove(Number(size), 0)
    const reach = Math.max(asked.at(-1)! / middle - 1, 1 - bid[0]! / middle)
    if (depth === 100) assert.deepStrictEqual([asks.length, bids.length], [100, 100])
    if (depth === "10pct_mid_price") assert.isTrue(reach <= 0.1 && reach > 0.09)
    if (depth === "full_book") assert.isAbove(reach, 0.25)
  })

  it("of fewer levels are the tops of those of more", () => {
    const [whole, tenth, top] = depths.toReversed().map((depth) => Books.at(market, start, depth))
    for (const side of ["asks", "bids"] as const) {
      assert.deepStrictEqual(tenth![side], whole![side].slice(0, tenth![side].length))
      assert.deepStrictEqual(top![side], whole![side].slice(0, 100))
    }
  })

  it("come every ten seconds, two at each minute, and whole every hour", () => {
    const tops = read(BookRows.books(market, 100, undefined), start, start + 10 * MINUTE)
    assert.lengthOf(tops, 70)
    assert.lengthOf([...new Set(tops.map(({ time }) => time))], 60)
    assert.lengthOf([...new Set(tops.map(({ coin_metrics_id }) => coin_metrics_id))], 70)
    const minute = Frequency.find("1m")
    assert.lengthOf(read(BookRows.books(market, 100, minute), start, start + 10 * MINUTE), 10)
    for (const depth of [101, 30_000, "full_book"] as const)
      for (const grid of [undefined, minute])
        assert.lengthOf(read(BookRows.books(market, depth, grid), start, start + 5 * HOUR), 5)
    assert.lengthOf(read(BookRows.books(market, "10pct_mid_price", undefined), start, start + 10 * MINUTE), 70)
  })

  it("have the quotes of their snapshots at their top", () => {
    const quotes = read(QuoteRows.stored(market, undefined, everyQuote), start, start + 10 * MINUTE)
    const found = new Map(quotes.map((quote) => [`${quote.time} ${quote.coin_metrics_id}`, quote]))
    const snapshots = read(BookRows.books(market, 100, undefined), start, start + 10 * MINUTE)
    assert.lengthOf(snapshots, found.size)
    for (const { asks, bids, coin_metrics_id, time } of snapshots) {
      const quote = found.get(`${time} ${coin_metrics_id}`)!
      if (!hasBoth(quote)) continue
      assert.deepInclude(quote, {
        ask_price: asks[0]!.price,
        ask_size: asks[0]!.size,
        bid_price: bids[0]!.price,
        bid_size: bids[0]!.size
      })
    }
  })
})

type Sides = Record<"asks" | "bids", Map<string, string>>

/** A book as a reader keeps it: snapshots replace it, updates change it, and only so many of its best levels are kept. */
const makeReader = (most: number) => {
  let book: Sides = { asks: new Map(), bids: new Map() }
  const best = (side: "asks" | "bids") => {
    const sign = side === "asks" ? 1 : -1
    return [...book[side]].toSorted(([a], [b]) => sign * (Number(a) - Number(b))).slice(0, most)
  }
  const apply = ({ type, ...row }: Row) => {
    if (type === "snapshot") book = { asks: new Map(), bids: new Map() }
    for (const side of ["asks", "bids"] as const) {
      for (const { price, size } of row[side]) {
        if (Number(size) === 0) book[side].delete(price)
        else book[side].set(price, size)
      }
      if (book[side].size > most) book[side] = new Map(best(side))
    }
  }
  return { apply, book: () => ({ asks: best("asks"), bids: best("bids") }) }
}

const entries = ({ asks, bids }: Books.Book) => ({
  asks: asks.map(({ price, size }) => [price, size]),
  bids: bids.map(({ price, size }) => [price, size])
})

const market = Markets.find("coinbase-btc-usd-spot")!
const start = at("2026-10-01T00:10:00")
const end = start + 7 * MINUTE
const untold = ["2026-10-01T00:14:40", "2026-10-01T00:15:00"].map(at) as [number, number]

const ways = (["removed", "silent"] as const).flatMap((leavingLevels) =>
  ([100, "full_book"] as const).map((depth) => ({ leavingLevels, depth }))
)

describe.each(Dialect.questions.bookSnapshots.words)(
  "the updates of order books, with snapshots %s",
  (bookSnapshots) => {
    it.each(ways)(
      "make the book of their time, over HTTP and live: $leavingLevels, $depth",
      ({ depth, leavingLevels }) => {
        const way = { bookSnapshots, leavingLevels, depth }
        const most = depth === 100 ? 100 : Number.POSITIVE_INFINITY
        const http = BookUpdates.rows(market, way, "orderbook_updates", true)
        const live = BookUpdates.frames(market, way)!
        const place = live.rows.from({ ms: start, nanos: 1 }) - 1
        const followed = [
          ...live.opening(place).map((row): Row => JSON.parse(row)),
          ...read(live.rows, at(JSON.parse(live.rows.row(place + 1)).time), end)
        ]
        for (const rows of [read(http, start, end), followed]) {
          assert.strictEqual(rows[0]?.type, "snapshot")
          const reader = makeReader(most)
          let removed = 0
          for (const [n, row] of rows.entries()) {
            reader.apply(row)
            removed += [...row.asks, ...row.bids].filter(({ size }) => size === "0").length
            // Of several rows of one time, the last has made the book.
            if (rows[n + 1]?.time === row.time) continue
            // What is wrong once stays so until the next snapshot, before which the book is looked at too.
            if (n % TestMode.times(5, 1) > 0 && rows[n + 1]?.type === "update") continue
            const book = reader.book()
            const ms = at(row.time)
            const truth = entries(Books.at(market, ms, depth, ms % 10_000 === 3_000 ? 1 : 0))
            if (!isDeepStrictEqual(book, truth)) assert.deepStrictEqual(book, truth, row.time)
          }
          assert.isAbove(removed, 0)
          const isUntold = rows.every(({ time }) => at(time) < untold[0] || at(time) >= untold[1])
          assert.strictEqual(isUntold, bookSnapshots !== "first")
          const whole = rows.filter(({ type }) => type === "snapshot")
          const repeats = rows.filter((row, n) => row.coin_metrics_id === rows[n - 1]?.coin_metrics_id)
          assert.isTrue(repeats.every(({ type }) => type === "snapshot"))
          assert.strictEqual(repeats.length > 0, bookSnapshots === "redundant")
          assert.strictEqual(whole.length > 1, bookSnapshots !== "first")
        }
      }
    )

    it.each(Dialect.questions.leavingLevels.words)(
      "tell of a level that leaves the hundred, or do not: %s",
      (leavingLevels) => {
        const live = BookUpdates.frames(market, { bookSnapshots, leavingLevels, depth: 100 })!
        let kept = 0
        const sides: Sides = { asks: new Map(), bids: new Map() }
        for (const { asks, bids, type } of read(live.rows, start, start + 4 * MINUTE)) {
          if (type === "snapshot") {
            sides.asks.clear()
            sides.bids.clear()
          }
          for (const [side, levels] of [
            ["asks", asks],
            ["bids", bids]
          ] as const) {
            for (const { price, size } of levels) {
              if (size === "0") sides[side].delete(price)
              else sides[side].set(price, size)
            }
            kept = Math.max(kept, sides[side].size)
          }
        }
        assert.strictEqual(kept > 100, leavingLevels === "silent")
      }
    )

    it("begin at the nearest snapshot where that is asked for, and exactly otherwise", () => {
      const way = { bookSnapshots, leavingLevels: "removed", depth: "full_book" } as const
      const from = start + 2 * MINUTE
      const [plain, opened] = [false, true].map((isOpened) =>
        read(BookUpdates.rows(market, way, "orderbook_updates", isOpened), from, from + MINUTE)
      )
      assert.strictEqual(plain?.[0]?.time, nanos(from))
      assert.strictEqual(plain?.[0]?.type, "update")
      assert.strictEqual(opened?.[0]?.type, "snapshot")
      assert.strictEqual(opened?.[0]?.time, bookSnapshots === "first" ? nanos(from) : nanos(start))
      assert.deepStrictEqual(opened?.slice(-20), plain?.slice(-20))
      // The next row is a snapshot, but what was there before it is asked for too.
      const before = start + 5 * MINUTE - 1
      const late = read(BookUpdates.rows(market, way, "orderbook_updates", true), before, before + MINUTE)
      assert.strictEqual(late[0]?.type, "snapshot")
      if (bookSnapshots !== "first") assert.isBelow(late[0]!.time.localeCompare(nanos(before)), 1)
      const all = BookUpdates.rows(market, way, "orderbook_updates", false)!
      const [first, second] = [0, 1].map((n): Row => JSON.parse(all.row(all.bounds.first + n)))
      assert.deepStrictEqual([first?.type, second?.type], ["snapshot", "update"])
    })

    it("have ids of their own", () => {
      const way = { bookSnapshots, leavingLevels: "removed", depth: "full_book" } as const
      const http = read(BookUpdates.rows(market, way, "orderbook_updates", false), start, end)
      const live = read(BookUpdates.frames(market, way)?.rows, start, end)
      const snapshots = read(BookRows.books(market, 100, undefined), start, end)
      const ids = [http, live, snapshots].map((rows) => new Set(rows.map(({ coin_metrics_id }) => coin_metrics_id)))
      assert.strictEqual(
        new Set(ids.flatMap((all) => [...all])).size,
        ids.reduce((sum, { size }) => sum + size, 0)
      )
      assert.match(http[0]?.coin_metrics_id ?? "", /^[\w-]{24}$/)
      assert.match(live[0]?.coin_metrics_id ?? "", /^[\w-]{32}$/)
      assert.strictEqual(snapshots[0]?.coin_metrics_id, `${start * 1_000}-0`)
      assert.isAbove(http.length, 2 * live.length)
      assert.isTrue(http.some(({ asks, bids }) => asks.length === 0 && bids.length === 0))
    })
  }
)
