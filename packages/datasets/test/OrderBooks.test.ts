import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Bulk, Client, OrderBook, Retry, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Download } from "@sluice/files"
import { Dialect, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { assertSame } from "../../core/test/Same.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import { get, lines, type Row } from "../../sandbox/test/Harness.ts"
import { data, events, temporary } from "./dataset/Harness.ts"
import { inVirtualTime, settings } from "../../node/test/Harness.ts"

const markets = ["binance-btc-usdt-spot", "coinbase-btc-usd-spot"]

/** Twenty seconds in which nothing came, and then the snapshot of another collector; a snapshot that repeats another record before. */
const range = { markets, start_time: "2026-10-01T00:12:20", end_time: "2026-10-01T00:15:20" } as const

const dialects = Dialect.questions.bookSnapshots.words.flatMap((bookSnapshots) =>
  Dialect.questions.bookUpdates.words.map((bookUpdates) => ({ bookSnapshots, bookUpdates }))
)

/** What the service has, asked for by hand. */
const rowsOf = (isOpened: boolean) => {
  const { end_time, start_time } = range
  const query = `start_time=${start_time}&end_time=${end_time}&start_with_snapshot=${isOpened}`
  const needed = "dataset=updates&depth_limit=30000&format=json_stream"
  return Effect.map(get(`/timeseries/market-orderbooks?markets=${markets.join(",")}&${query}&${needed}`), lines)
}

type Levels = ReadonlyArray<{ readonly price: string; readonly size: string }>

/** The books after each record, kept in the plainest way. */
const booksOf = (rows: ReadonlyArray<Row>, most: number) => {
  const kept = new Map<string, Map<string, string>>()
  return rows.map((row) => {
    const side = (name: "asks" | "bids") => {
      const key = `${String(row["market"])} ${name}`
      const levels = row["type"] === "snapshot" ? new Map<string, string>() : (kept.get(key) ?? new Map())
      kept.set(key, levels)
      // Type boundary: the test looks at what was sent, whatever it is.
      for (const { price, size } of row[name] as Levels) {
        if (size === "0") levels.delete(price)
        else levels.set(price, size)
      }
      const sign = name === "asks" ? 1 : -1
      return [...levels]
        .toSorted(([a], [b]) => sign * (Number(a) - Number(b)))
        .slice(0, most)
        .map(([price, size]) => ({ price, size }))
    }
    const { coin_metrics_id, market, time } = row
    return { market, time, coin_metrics_id, asks: side("asks"), bids: side("bids") }
  })
}

/** Those from the beginning of the range on. */
const inRange = (books: ReturnType<typeof booksOf>) => books.filter(({ time }) => String(time) >= range.start_time)

/** The tops of books, one each time that of a market changes. */
const quotesOf = (books: ReturnType<typeof booksOf>) => {
  const last = new Map<unknown, string>()
  return books.flatMap(({ asks: [ask], bids: [bid], ...rest }) => {
    const top = JSON.stringify([ask, bid])
    if (last.get(rest.market) === top) return []
    last.set(rest.market, top)
    return [{ ...rest, ask_price: ask?.price, ask_size: ask?.size, bid_price: bid?.price, bid_size: bid?.size }]
  })
}

const world = (dialect: Partial<Dialect.Dialect>) => Layer.merge(Sandbox.layerMemory({ dialect }), NodeServices.layer)

/** Runs a program with a client of the stand-in, which may misbehave. */
const reading = <A, E, R>(program: Effect.Effect<A, E, R | Client.Client>, fault?: string) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const root = fault === undefined ? sandbox.url : sandbox.faultUrl(fault)
    const retry = Retry.make({ base: "1 millis", times: 5 })
    const client = yield* Client.make({ ...settings, retry, root, onDisorder: "fail" })
    return yield* inVirtualTime(Effect.provideService(program, Client.Client, client))
  })

// One of them in a short run.
const some = dialects.filter((_, index) => TestMode.isLong || index === 2)

describe.each(some)("order books of a service of $bookSnapshots, $bookUpdates", (dialect) => {
  it.effect("are replayed level by level, with their quotes, whatever breaks off", () =>
    Effect.gen(function* () {
      const rows = yield* rowsOf(true)
      assert.strictEqual(rows.filter(({ type }) => type === "snapshot").length > 2, dialect.bookSnapshots !== "first")
      for (const depth_limit of ["100", "full_book"] as const) {
        const books = inRange(booksOf(rows, depth_limit === "100" ? 100 : Number.POSITIVE_INFINITY))
        const read = OrderBook.replay({ ...range, depth_limit })
        assertSame(yield* reading(Stream.runCollect(read)), books)
      }
      const quotes = quotesOf(inRange(booksOf(rows, 1)))
      assert.isBelow(quotes.length, rows.length)
      assertSame(yield* reading(Stream.runCollect(OrderBook.quotes(range))), quotes)
      const books = inRange(booksOf(rows, 100))
      for (const [turn, fault] of ["reset-after=record", "reset-after=within", "truncate-after=record"].entries()) {
        for (let count = 1 + 41 * turn; count <= rows.length; count += TestMode.times(600, 23)) {
          const read = yield* reading(Stream.runCollect(OrderBook.replay(range)), `${fault}:${count};times=1`)
          assertSame(read, books)
        }
      }
    }).pipe(Effect.provide(world(dialect)))
  )

  it.effect("come whole into files and datasets, in parts and period by period", () =>
    Effect.gen(function* () {
      const params = { ...range, dataset: "updates" } as const
      const rows = yield* rowsOf(false)
      const openedRows = yield* rowsOf(true)
      const parts = yield* Bulk.split(Timeseries.marketOrderbooks, params, { by: "markets", every: "1 minute" })
      assert.lengthOf(parts, 6)
      const split = Bulk.records(Timeseries.marketOrderbooks, parts, { order: "parts" })
      assertSame(yield* reading(Stream.runCollect(split)), rows)
      for (const as of TestMode.isLong ? (["ndjson", "csv", "parquet"] as const) : (["ndjson"] as const)) {
        const to = yield* temporary
        const opened = { ...params, start_with_snapshot: true }
        const job = { endpoint: Timeseries.marketOrderbooks, params: opened, to, format: { as } } as const
        yield* reading(events(Download.run(job)), "reset-after=record:47;times=4")
        if (as === "parquet") continue
        const [text = ""] = Object.values(yield* data(to))
        if (as === "ndjson")
          assertSame(
            text
              .trim()
              .split("\n")
              .map((line): unknown => JSON.parse(line)),
            openedRows
          )
        else assert.match(text, /^market,time,coin_metrics_id,asks,bids,type,database_time,collect_time\r\n/)
      }
      const to = yield* temporary
      const { end_time: _, ...begun } = { ...params, start_time: "2026-10-31T23:50:00" }
      const job = { endpoint: Timeseries.marketOrderbooks, params: begun, to, format: { as: "ndjson" } } as const
      yield* reading(events(Dataset.sync(job)))
      yield* reading(events(Dataset.sync(job)))
      yield* Stream.runDrain(Dataset.verify(to))
      const files = Object.values(yield* data(to))
      const kept = files.flatMap((text) => text.trim().split("\n"))
      const all = yield* reading(Stream.runCollect(Timeseries.marketOrderbooks(begun)))
      // A record that comes again as it was adds nothing, and is kept once.
      const sent = [...new Set(all.map((record) => JSON.stringify(record)))]
      assert.deepStrictEqual(kept.toSorted(), sent.toSorted())
      assert.strictEqual(sent.length < all.length, dialect.bookSnapshots === "redundant")
    }).pipe(Effect.provide(world(dialect)))
  )
})
