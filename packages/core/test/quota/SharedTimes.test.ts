import { assert, describe, it } from "@effect/vitest"
import { Bulk, type Client, Endpoint, Params, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as TestMode from "../TestMode.ts"
import * as Virtual from "../Virtual.ts"

const definition = {
  section: "none",
  order: "series",
  params: Schema.Struct({
    markets: Params.entities(Params.requiredList, "market"),
    ...Params.timeRange,
    ...Params.paging,
    ...Params.format
  })
} as const

/** Trades: several may have one time, and an id each. */
const trades = Endpoint.make("/trades", {
  ...definition,
  identity: ["id"],
  record: Schema.Struct({ market: Schema.String, time: Schema.String, id: Schema.String })
})

/** Several may have one time, and nothing tells them apart but all of their fields. */
const greeks = Endpoint.make("/greeks", {
  ...definition,
  identity: [],
  record: Schema.Struct({ market: Schema.String, time: Schema.String, vega: Schema.String })
})

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.123456789Z`

const trade = (market: string, second: number, id: string) => ({ market, time: at(second), id })

type Trade = ReturnType<typeof trade>

const greek = (second: number, vega: string) => ({ market: "m", time: at(second), vega })

/** One trade, a thousand of one time, one trade; ids of both forms, which sort otherwise as numbers and as text. */
const thousand = [
  trade("m", 1, "7"),
  ...Array.from({ length: 1_000 }, (_, index) => trade("m", 2, index % 3 === 0 ? `9-${index}` : String(998 + index))),
  trade("m", 3, "9")
]

const names = (rows: ReadonlyArray<object>) => rows.map((row) => JSON.stringify(row)).toSorted()

/** The records of one time in another order than before. */
const turned = (all: ReadonlyArray<Trade>) => {
  const position = ({ market, time }: Trade) => `${market} ${time}`
  return all.toReversed().sort((a, b) => Order.String(position(a), position(b)))
}

/** What a service that has these records answers, however the times of a request bound them. */
const asked = (all: ReadonlyArray<Trade>, { searchParams }: URL) => {
  const named = searchParams.get("markets")?.split(",") ?? []
  const start = searchParams.get("start_time") ?? ""
  const end = searchParams.get("end_time") ?? "9"
  const isAfter = ({ time }: Trade) => (searchParams.get("start_inclusive") === "false" ? time > start : time >= start)
  const isBefore = ({ time }: Trade) => (searchParams.get("end_inclusive") === "false" ? time < end : time <= end)
  return all.filter((one) => (named.includes(one.market) || named.includes("*")) && isAfter(one) && isBefore(one))
}

/** Serves pages from either end, or one reply that is cut after so many records. */
const serve = (
  recordsOf: (request: number) => ReadonlyArray<Trade>,
  cutAfter: (request: number) => number | undefined = () => undefined
) => {
  let served = 0
  return FakeApi.serve(({ url }) => {
    const request = served++
    const all = asked(recordsOf(request), url)
    const text = all.map(FakeApi.line)
    if (url.searchParams.get("format") === "json_stream") {
      const count = cutAfter(request)
      return Effect.succeed({
        body: count === undefined ? text.join("") : [text.slice(0, count).join(""), FakeApi.cut]
      })
    }
    const size = Number(url.searchParams.get("page_size"))
    const done = Number(url.searchParams.get("next_page_token") ?? 0)
    const next = done + size < all.length ? String(done + size) : undefined
    const isFromEnd = url.searchParams.get("paging_from") === "end"
    const from = isFromEnd ? Math.max(0, all.length - done - size) : done
    return Effect.succeed(FakeApi.page(all.slice(from, isFromEnd ? all.length - done : done + size), next))
  })
}

const run = <A, E>(api: FakeApi.FakeApi, stream: Stream.Stream<A, E, Client.Client>, options: Client.Options = {}) =>
  stream.pipe(
    Stream.runCollect,
    Effect.provide(api.layer({ retry: Retry.make({ times: 3 }), ...options })),
    Virtual.run
  )

const stream = { format: "json_stream" } as const

describe("a json_stream of records that share a time", () => {
  it.effect.each([1, 2, 501, 999, 1_000, 1_001])("goes on at the very record when it is cut after record %i", (count) =>
    Effect.gen(function* () {
      const api = serve(
        () => thousand,
        (request) => (request === 0 ? count : undefined)
      )
      assert.deepStrictEqual(yield* run(api, trades({ markets: "m", ...stream })), thousand)
      const [, second] = yield* api.requests
      assert.include(second, `start_time=${thousand[count - 1]!.time}&start_inclusive=true`)
    })
  )

  it.effect("has each record once when those of a time come back in another order, time and again", () =>
    Effect.gen(function* () {
      const back = turned(thousand)
      // The second reply begins at the shared time, so it has to pass the 400 records that were emitted.
      const cuts = [401, 700, 900]
      const api = serve(
        (request) => (request % 2 === 0 ? thousand : back),
        (request) => cuts[request]
      )
      const rows = yield* run(api, trades({ markets: "m", ...stream }))
      assert.deepStrictEqual(names(rows), names(thousand))
      assert.deepStrictEqual(rows.slice(0, 401), thousand.slice(0, 401))
    })
  )

  it.effect("has a record that comes late, and loses none for it", () =>
    Effect.gen(function* () {
      const late = trade("m", 2, "0")
      const later = thousand.toSpliced(1, 0, late)
      const api = serve(
        (request) => (request === 0 ? thousand : later),
        (request) => (request === 0 ? 500 : undefined)
      )
      const rows = yield* run(api, trades({ markets: "m", ...stream }))
      assert.deepStrictEqual(names(rows), names(later))
    })
  )

  it.effect.each([3, 500, 1_001])(
    "is read again from its start where a pattern stands for its markets, and goes on at the very record: %i",
    (count) =>
      Effect.gen(function* () {
        const all = [...thousand, ...thousand.map((one) => ({ ...one, market: "n" }))]
        for (const again of [all, turned(all)]) {
          const api = serve(
            (request) => (request === 0 ? all : again),
            (request) => (request === 0 ? thousand.length + count : undefined)
          )
          const rows = yield* run(api, trades({ markets: "*", ...stream }))
          assert.deepStrictEqual(names(rows), names(all))
          const [first, second] = yield* api.requests
          assert.strictEqual(second, first)
        }
      })
  )

  it.effect("goes on with the markets that were not met yet", () =>
    Effect.gen(function* () {
      const all = ["a", "b", "c"].flatMap((market) => thousand.slice(0, 20).map((one) => ({ ...one, market })))
      const api = serve(
        () => all,
        (request) => [25, 15][request]
      )
      assert.deepStrictEqual(yield* run(api, trades({ markets: "a,b,c", ...stream })), all)
    })
  )

  it.effect("fails, and says how far it came, when its last record is gone", () =>
    Effect.gen(function* () {
      const rest = thousand.filter(({ id }) => id !== thousand[9]!.id)
      const api = serve(
        (request) => (request === 0 ? thousand : rest),
        (request) => (request === 0 ? 10 : undefined)
      )
      const error = yield* Effect.flip(run(api, trades({ markets: "m", ...stream })))
      assert.deepInclude({ ...error }, { _tag: "Unavailable", transient: false, delivered: 10 } as const)
    })
  )

  it.effect("shows at its checked end that records of the last time are missing, and has them", () =>
    Effect.gen(function* () {
      const all = thousand.slice(0, -1)
      let served = 0
      const api = FakeApi.serve(({ url }) => {
        const records = asked(all, url)
        if (!url.searchParams.has("format")) return Effect.succeed(FakeApi.page(records.slice(-1)))
        return Effect.succeed({ body: (served++ === 0 ? records.slice(0, 600) : records).map(FakeApi.line).join("") })
      })
      assert.deepStrictEqual(yield* run(api, trades({ markets: "m", ...stream }, { checkEnd: true })), all)
      assert.lengthOf(yield* api.requests, 4)
    })
  )

  it.effect("keeps equal records that nothing tells apart, as many as there are", () =>
    Effect.gen(function* () {
      const all = [greek(1, "1"), greek(2, "1"), greek(2, "1"), greek(2, "2"), greek(2, "1"), greek(3, "1")]
      for (const count of [2, 3, 4, 5]) {
        const api = FakeApi.make([
          { body: [all.slice(0, count).map(FakeApi.line).join(""), FakeApi.cut] },
          { body: all.slice(1).map(FakeApi.line).join("") }
        ])
        assert.deepStrictEqual(yield* run(api, greeks({ markets: "m", ...stream })), all, `cut after ${count}`)
      }
    })
  )

  it.effect.prop(
    "loses and repeats nothing wherever it is cut, whatever the order of what shares a time",
    {
      sizes: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 }))),
      cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 25 }))),
      turns: Schema.Array(Schema.Boolean)
    },
    ({ cuts, sizes, turns }) =>
      Effect.gen(function* () {
        const all = ["a", "b"].flatMap((market) =>
          sizes
            .slice(0, 9)
            .flatMap((size, second) => Array.from({ length: size }, (_, n) => trade(market, second, String(n))))
        )
        for (const markets of ["a,b", "*"]) {
          const api = serve(
            (request) => (turns[request] === true ? turned(all) : all),
            (request) => (request < 12 ? cuts[request] : undefined)
          )
          const read = trades({ markets, ...stream }, { retry: Retry.make({ times: 20 }) })
          assert.deepStrictEqual(names(yield* run(api, read)), names(all))
        }
      }),
    { arbitrary: { runs: TestMode.times(40, 400) } }
  )
})

describe("pages of records that share a time", () => {
  it.effect.each([1, 3, 100, 999])("give each record once, from either end, %i a page", (size) =>
    Effect.gen(function* () {
      const records = size === 1 ? thousand.slice(0, 50) : thousand
      const params = { markets: "m", page_size: size } as const
      const options = { onDisorder: "fail" } as const
      assert.deepStrictEqual(
        yield* run(
          serve(() => records),
          trades(params),
          options
        ),
        records
      )
      const back = yield* run(
        serve(() => records),
        trades({ ...params, paging_from: "end" }),
        options
      )
      assert.deepStrictEqual(back, records.toReversed())
    })
  )

  it.effect("that overlap among them are noticed", () =>
    Effect.gen(function* () {
      const page = (from: number, to: number, next?: string) => FakeApi.page(thousand.slice(from, to), next)
      const api = FakeApi.make([page(0, 60, "a"), page(57, 120)])
      const error = yield* Effect.flip(run(api, trades({ markets: "m" }), { onDisorder: "fail" }))
      const { id, time } = thousand[57]!
      assert.include(error.message, `the record m, ${time}, ${id} is repeated`)
      const back = FakeApi.make([page(60, 120, "a"), page(0, 63)])
      assert.include(
        (yield* Effect.flip(run(back, trades({ markets: "m", paging_from: "end" }), { onDisorder: "fail" }))).message,
        "is repeated"
      )
    })
  )

  it.effect("are in order whatever their ids, and out of it when a time goes back", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([thousand[5], thousand[4], thousand[0]])])
      const error = yield* Effect.flip(run(api, trades({ markets: "m" }), { onDisorder: "fail" }))
      assert.include(error.message, `the record m, ${at(1)}, 7 comes after m, ${at(2)}, ${thousand[4]!.id}`)
    })
  )
})

describe("parts of a series whose records share a time", () => {
  it.effect("have all records of a time in one of them, also where a border stands on it", () =>
    Effect.gen(function* () {
      const params = { markets: "m", start_time: at(2), end_time: at(3) } as const
      const all = thousand.slice(1)
      for (const every of ["1 second", "300 millis"] as const) {
        const parts = yield* Bulk.split(trades, params, { every })
        const rows = yield* run(
          serve(() => thousand),
          Bulk.records(trades, parts, { order: "parts" })
        )
        assert.deepStrictEqual(rows, all)
      }
    })
  )
})
