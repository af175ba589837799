import { assert, describe, it } from "@effect/vitest"
import { Bulk, OrderBook, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

const markets = "coinbase-btc-usd-spot"

const book = (second: number, size: string) => ({
  market: markets,
  time: `2026-01-01T00:00:0${second}.000000000Z`,
  coin_metrics_id: String(second),
  asks: [{ price: "2", size }],
  bids: [{ price: "1", size }]
})

describe("order books", () => {
  it.effect("are asked for in pages of 500, and of 100 where they are whole", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([]), FakeApi.page([]), FakeApi.page([])])
      const read = (params: object) =>
        Stream.runDrain(Timeseries.marketOrderbooks({ markets, ...params })).pipe(Effect.provide(api.layer()))
      yield* read({})
      yield* read({ depth_limit: "full_book" })
      yield* read({ page_size: 10_000 })
      const path = `/timeseries/market-orderbooks?page_size`
      assert.deepStrictEqual(yield* api.requests, [
        `${path}=500&markets=${markets}&paging_from=start`,
        `${path}=100&markets=${markets}&depth_limit=full_book&paging_from=start`,
        `${path}=10000&markets=${markets}&paging_from=start`
      ])
      const error = yield* Effect.flip(read({ depth_limit: "10pct_mid_price", page_size: 101 }))
      assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "page_size" } as const)
    })
  )

  it.effect("may be as long as whole books are, without a limit set for them", () =>
    Effect.gen(function* () {
      const levels = Array.from({ length: 20_000 }, (_, n) => ({ price: `${n + 1}.00000000`, size: "0.00000001" }))
      const books = Array.from({ length: 9 }, (_, n) => ({ ...book(n + 1, "1"), asks: levels }))
      const api = FakeApi.make([FakeApi.page(books)])
      const read = yield* Timeseries.marketOrderbooks({ markets, depth_limit: "full_book" }).pipe(
        Stream.runCount,
        Effect.provide(api.layer())
      )
      assert.strictEqual(read, 9)
    })
  )
})

type Levels = Readonly<Record<string, string>>

const levels = (all: Levels) => Object.entries(all).map(([price, size]) => ({ price, size }))

const timeOf = (second: number) => `2026-10-01T00:00:0${second}.000000000Z`

/** A record of updates, by its second. */
const row = (market: string, second: number, id: string, type: "snapshot" | "update", asks: Levels, bids: Levels) => ({
  market,
  time: timeOf(second),
  coin_metrics_id: id,
  asks: levels(asks),
  bids: levels(bids),
  type,
  database_time: "2026-10-01T00:00:09.000000000Z",
  collect_time: "2026-10-01T00:00:09.000000000Z"
})

/** Snapshots amid updates: one that changes nothing, twice, of the time and the id before it; and one of another collector. */
const story = (market: string) => [
  row(market, 0, "a", "snapshot", { 101: "1", 102: "2" }, { 100: "1", 99: "5" }),
  row(market, 1, "b", "update", { 101: "0" }, {}),
  row(market, 1, "c", "update", {}, { 98: "1" }),
  row(market, 1, "d", "update", {}, {}),
  row(market, 2, "e", "update", { 103: "4" }, { 100: "0" }),
  row(market, 2, "e", "snapshot", { 102: "2", 103: "4" }, { 99: "5", 98: "1" }),
  row(market, 2, "e", "snapshot", { 102: "2", 103: "4" }, { 99: "5", 98: "1" }),
  row(market, 3, "f", "update", { 102: "7" }, {}),
  row(market, 5, "g", "snapshot", { 104: "1" }, { 103: "2" }),
  row(market, 6, "h", "update", {}, { 103: "0" })
]

const two = ["a-btc-usd-spot", "b-btc-usd-spot"]

/** A service that has these rows; each of its first replies ends as said, after so many lines. */
const service = (endings: ReadonlyArray<{ readonly lines: number; readonly isClean: boolean }>) => {
  let next = 0
  return FakeApi.serve(({ url: { searchParams: asked } }) =>
    Effect.sync(() => {
      const from = asked.get("start_time") ?? ""
      const rows = (asked.get("markets") ?? "").split(",").flatMap((market) => {
        const all = story(market)
        const first = all.findIndex(({ time }) => time >= from)
        const nearest = all.slice(0, first + 1).findLastIndex(({ type }) => type === "snapshot")
        return all.slice(asked.get("start_with_snapshot") === "true" ? nearest : first)
      })
      const lines = rows.map(FakeApi.line)
      const ending = endings[next++]
      if (ending === undefined || ending.lines >= lines.length) return { body: lines.join("") }
      const sent = lines.slice(0, ending.lines)
      return { body: ending.isClean ? sent.join("") : [...sent, FakeApi.cut] }
    })
  )
}

const updates = { markets: two, dataset: "updates", start_time: "2026-10-01T00:00:01" } as const

describe("updates of order books", () => {
  it.effect("are asked for as the service has them, and nothing else is sent", () =>
    Effect.gen(function* () {
      const needed = "depth_limit=full_book&granularity=raw&format=json_stream&paging_from=start"
      const read = (params: object, options?: object) => {
        const api = service([])
        const records = Timeseries.marketOrderbooks({ ...updates, ...params }, options)
        return Stream.runCollect(records).pipe(
          Effect.result,
          Effect.map((result) => ({ result, api })),
          Effect.provide(api.layer())
        )
      }
      const plain = yield* read({})
      const base = "/timeseries/market-orderbooks?markets=a-btc-usd-spot,b-btc-usd-spot"
      assert.deepStrictEqual(yield* plain.api.requests, [
        `${base}&start_time=2026-10-01T00:00:01&dataset=updates&${needed}`
      ])
      assert.deepStrictEqual<unknown>(
        plain.result._tag === "Success" ? plain.result.success : [],
        two.flatMap((market) => story(market).slice(1))
      )
      for (const params of [{ depth_limit: "30000" }, { format: "json_stream" }, { paging_from: "start" }] as const)
        assert.strictEqual((yield* read(params)).result._tag, "Success")
      const wrong: ReadonlyArray<readonly [params: object, parameter: string, reason: string]> = [
        [{ depth_limit: "100" }, "depth_limit", 'expected full_book or 30000 with dataset=updates, got "100"'],
        [{ granularity: "1m" }, "granularity", 'expected raw with dataset=updates, got "1m"'],
        [{ format: "json" }, "format", 'expected json_stream with dataset=updates, got "json"'],
        [{ paging_from: "end" }, "paging_from", 'expected start with dataset=updates, got "end"']
      ]
      for (const [params, parameter, reason] of wrong) {
        const { api, result } = yield* read(params)
        assert.deepInclude(result, { _tag: "Failure" } as const)
        if (result._tag === "Failure")
          assert.deepInclude(result.failure, { _tag: "InvalidRequest", kind: "malformed", parameter, reason } as const)
        assert.isEmpty(yield* api.requests)
      }
      const unchecked = yield* read({ dataset: undefined, depth_limit: "100" }, { query: { dataset: "updates" } })
      assert.include((yield* unchecked.api.requests)[0], "depth_limit=100")
      const api = service([])
      const paged = Timeseries.marketOrderbooks.pages(updates).pipe(Stream.runDrain, Effect.provide(api.layer()))
      assert.deepInclude(yield* Effect.flip(paged), { _tag: "InvalidRequest", parameter: "format" } as const)
    })
  )

  const whole = two.flatMap(story).length

  it.effect.each(["cut", "closed"] as const)(
    "come whole and once, wherever their replies are %s, also those that begin with a snapshot",
    (how) =>
      Effect.gen(function* () {
        const isClean = how === "closed"
        for (const start_with_snapshot of [false, true]) {
          const truth = two.flatMap((market) => story(market).slice(start_with_snapshot ? 0 : 1))
          for (let first = 0; first < whole; first++) {
            // A check that is cut off too, without a sign, cannot be told from a whole one.
            for (const second of isClean ? [whole] : [1, 4, whole]) {
              const api = service([first, second].map((lines) => ({ lines, isClean })))
              const part = { index: 0, params: { ...updates, start_with_snapshot } }
              const read = yield* Virtual.run(
                Stream.runCollect(Bulk.read(Timeseries.marketOrderbooks, part)).pipe(Effect.provide(api.layer()))
              )
              assert.deepStrictEqual<unknown>(read, truth, `${first} ${second} ${start_with_snapshot}`)
            }
          }
        }
      })
  )

  it.effect(
    "come whole where a reply is closed amid records of one time, of which the last entity has no later one",
    () =>
      Effect.gen(function* () {
        const rows = ["1", "2", "3"].map((id) => row(two[0]!, 5, id, "update", { "101": id }, {}))
        let isFirst = true
        const api = FakeApi.serve(() => {
          const sent = isFirst ? rows.slice(0, 2) : rows
          isFirst = false
          return Effect.succeed({ body: sent.map((one) => `${JSON.stringify(one)}\n`).join("") })
        })
        const read = Timeseries.marketOrderbooks({ ...updates, markets: two[0]! }, { checkEnd: true })
        const records = yield* Virtual.run(Stream.runCollect(read).pipe(Effect.provide(api.layer())))
        assert.deepStrictEqual<unknown>(records, rows)
      })
  )

  it.effect("go on from the last record, exactly, where more than what they began with has come", () =>
    Effect.gen(function* () {
      const api = service([{ lines: 3, isClean: false }])
      const read = Timeseries.marketOrderbooks({ ...updates, start_with_snapshot: true })
      yield* Virtual.run(Stream.runDrain(read).pipe(Effect.provide(api.layer())))
      const asked = api.seen.map(({ url }) =>
        ["markets", "start_time", "start_with_snapshot"].map((name) => url.searchParams.get(name))
      )
      assert.deepStrictEqual(asked, [
        [two.join(","), "2026-10-01T00:00:01", "true"],
        [two[0], "2026-10-01T00:00:01.000000000Z", null],
        [two[1], "2026-10-01T00:00:01", "true"]
      ])
    })
  )

  it.effect("are no disorder where a snapshot repeats the time and the id of the record before it", () =>
    Effect.gen(function* () {
      const api = service([])
      const read = yield* Stream.runCount(Timeseries.marketOrderbooks(updates)).pipe(
        Effect.provide(api.layer({ onDisorder: "fail" }))
      )
      assert.strictEqual(read, whole - 2)
    })
  )

  it.effect("are not cut along time where each part would begin with a snapshot", () =>
    Effect.gen(function* () {
      const range = { ...updates, start_with_snapshot: true, end_time: "2026-10-03" }
      const refused = yield* Effect.flip(Bulk.split(Timeseries.marketOrderbooks, range, { every: "1 day" }))
      assert.deepInclude(refused, { _tag: "BadSplit", parameter: "start_with_snapshot" } as const)
    })
  )
})

/** The books of {@link story}, by hand: the bids, then the asks. */
const told = [
  "a: 100x1 99x5 | 101x1 102x2",
  "b: 100x1 99x5 | 102x2",
  "c: 100x1 99x5 98x1 | 102x2",
  "d: 100x1 99x5 98x1 | 102x2",
  "e: 99x5 98x1 | 102x2 103x4",
  "e: 99x5 98x1 | 102x2 103x4",
  "e: 99x5 98x1 | 102x2 103x4",
  "f: 99x5 98x1 | 102x7 103x4",
  "g: 103x2 | 104x1",
  "h:  | 104x1"
]

const word = ({ asks, bids, coin_metrics_id }: OrderBook.OrderBook) =>
  `${coin_metrics_id}: ${[bids, asks].map((side) => side.map(({ price, size }) => `${price}x${size}`).join(" ")).join(" | ")}`

const reply = (rows: ReadonlyArray<object>) => ({ body: rows.map(FakeApi.line).join("") })

describe("the books of updates", () => {
  const start_time = "2026-10-01T00:00:01"

  it.effect("are replayed from a moment on, from the snapshot before it, and each snapshot replaces the book", () =>
    Effect.gen(function* () {
      const api = service([])
      const books = yield* OrderBook.replay({ markets: two, start_time }).pipe(
        Stream.runCollect,
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual(
        books.map((book) => `${book.market} ${word(book)}`),
        two.flatMap((market) => told.slice(1).map((text) => `${market} ${text}`))
      )
      // One book never changes another.
      assert.strictEqual(word(books[0]!), told[1])
      assert.include((yield* api.requests)[0], "start_with_snapshot=true")
    })
  )

  it.effect("have as many levels as are asked for, of those that all updates make", () =>
    Effect.gen(function* () {
      const best = OrderBook.replay({ markets: two[0]!, start_time, depth_limit: "full_book" }, { maxLevels: 1 })
      const books = yield* Stream.runCollect(best).pipe(Effect.provide(service([]).layer()))
      // When the best level goes, the next one is known.
      assert.strictEqual(books.map(word)[0], "b: 100x1 | 102x2")
    })
  )

  it.effect("give the quotes of the past: one each time the top changes, without a side that is empty", () =>
    Effect.gen(function* () {
      const quotes = yield* OrderBook.quotes({ markets: two[0]!, start_time }).pipe(
        Stream.runCollect,
        Effect.provide(service([]).layer())
      )
      const quote = (
        second: number,
        coin_metrics_id: string,
        ask: ReadonlyArray<string>,
        bid?: ReadonlyArray<string>
      ) => ({
        market: two[0],
        time: timeOf(second),
        coin_metrics_id,
        ask_price: ask[0],
        ask_size: ask[1],
        ...(bid !== undefined && { bid_price: bid[0], bid_size: bid[1] })
      })
      assert.deepStrictEqual<ReadonlyArray<unknown>>(quotes, [
        quote(1, "b", ["102", "2"], ["100", "1"]),
        quote(2, "e", ["102", "2"], ["99", "5"]),
        quote(3, "f", ["102", "7"], ["99", "5"]),
        quote(5, "g", ["104", "1"], ["103", "2"]),
        quote(6, "h", ["104", "1"])
      ])
    })
  )

  it.effect("begin at the first snapshot, and fail at what cannot be read", () =>
    Effect.gen(function* () {
      const [market = ""] = two
      const rows = story(market).slice(3, 8)
      const api = FakeApi.make([reply(rows), reply(rows.slice(-1))])
      const books = yield* Stream.runCollect(OrderBook.replay({ markets: market })).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(books.map(word), told.slice(5, 8))
      for (const wrong of [{ type: null }, { asks: [{ price: "1" }] }]) {
        const broken = FakeApi.make([reply([...rows, { ...row(market, 7, "i", "update", {}, {}), ...wrong }])])
        const read: Array<string> = []
        const error = yield* OrderBook.replay({ markets: market }).pipe(
          Stream.runForEach((book) => Effect.sync(() => read.push(word(book)))),
          Effect.flip,
          Effect.provide(broken.layer())
        )
        assert.deepInclude(error, { _tag: "Decode", endpoint: "/timeseries/market-orderbooks" } as const)
        assert.include(error.message, `${market} at 2026-10-01T00:00:07`)
        assert.deepStrictEqual(read, told.slice(5, 8))
      }
    })
  )
})
