/**
 * The requests that show where a part of `Bulk` ends, and what they find.
 */
import { assert, describe, it } from "@effect/vitest"
import { Bulk, type Client, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Reading from "../records/Reading.ts"

/** Reads a part from scripted replies, and tells its requests by what they ask for. */
const read = <E>(stream: Stream.Stream<unknown, E, Client.Client>, script: ReadonlyArray<FakeApi.Script>) =>
  Effect.map(Reading.read(stream, script, Reading.retries(1)), ({ requests, ...result }) => ({
    ...result,
    asked: requests.map((request) => /format=json_stream|page_size=\d+/.exec(request)?.[0])
  }))

const [streamed, endAsked] = ["format=json_stream", "page_size=1"]

const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString().replace("Z", "000000Z")

const price = (n: number) => ({ asset: "btc", time: day(n), PriceUSD: `${n}.5` })

const trade = (n: number) => ({
  market: "coinbase-btc-usd-spot",
  time: `2026-01-01T00:00:0${n}.000000000Z`,
  coin_metrics_id: String(n),
  amount: "1",
  price: "2",
  database_time: "2026-01-01T00:01:00.000000000Z",
  side: "buy"
})

describe("a part whose frequency tells how many records it may have", () => {
  /** Of more records than a page has by the request, and of three here. */
  const range = {
    assets: "btc",
    metrics: "PriceUSD",
    start_time: "1900-01-01",
    end_time: "2026-01-03",
    frequency: "1d"
  }
  const all = [1, 2, 3].map((n) => price(n))

  const partOf = Effect.fnUntraced(function* (params: object) {
    const [part] = yield* Bulk.split(Timeseries.assetMetrics, { ...range, ...params })
    return Bulk.read(Timeseries.assetMetrics, part!)
  })

  it.effect("takes one request where its last record is at the end of the range", () =>
    Effect.gen(function* () {
      const { asked, error, records } = yield* read(yield* partOf({}), [FakeApi.stream(all)])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(asked, [streamed])
    })
  )

  const four = "2026-01-04"
  it.effect.each([
    ["the end is not of the range", false, { end_time: four, end_inclusive: false }],
    ["there is room for another", true, { end_time: four }],
    ["the day it ends with has more hours", true, { frequency: "1h" }],
    ["the moment it ends with is over", false, { frequency: "1h", end_time: "2026-01-03T00:00:00" }],
    ["the end is within the next step", false, { end_time: "2026-01-03T23:59:59" }],
    ["another entity may follow", true, { assets: ["btc", "eth"] }],
    ["the entities are not named", true, { assets: "*" }],
    ["its days end where those of a place do", true, { frequency: "1d-ny-close" }],
    ["times are of another zone", true, { timezone: "America/New_York" }],
    ["a step is shorter", true, { frequency: "1h", end_time: "2026-01-03T01:00:00" }],
    ["its times are between the steps", true, { frequency: "36h" }]
  ] as const)("asks for its end only where one may follow: %s", ([, isAsked, params]) =>
    Effect.gen(function* () {
      const end = FakeApi.page([price(3)], "more")
      const { asked, error, records } = yield* read(yield* partOf(params), [FakeApi.stream(all), end])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(asked, isAsked ? [streamed, endAsked] : [streamed])
    })
  )

  it.effect("goes on where its reply ended properly but too early", () =>
    Effect.gen(function* () {
      const { asked, error, records } = yield* read(yield* partOf({}), [
        FakeApi.stream(all.slice(0, 2)),
        FakeApi.page([price(3)], "more"),
        FakeApi.stream(all.slice(1))
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(asked, [streamed, endAsked, streamed])
    })
  )
})

describe("a part of any number of records", () => {
  const range = { markets: "coinbase-btc-usd-spot", start_time: "2026-01-01", end_time: "2026-01-02" }
  const all = [1, 2, 3, 4].map(trade)
  /** Of trades with all their columns, about a megabyte. */
  const lastPage = "page_size=1927"
  const end = FakeApi.page(all.slice(2), "more")

  const partOf = Effect.fnUntraced(function* (params: object = {}) {
    const [part] = yield* Bulk.split(Timeseries.marketTrades, { ...range, ...params })
    return Bulk.read(Timeseries.marketTrades, part!)
  })

  it.effect("takes one request where they fit its last page, in ascending order", () =>
    Effect.gen(function* () {
      const { asked, error, records } = yield* read(yield* partOf(), [FakeApi.page(all)])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(asked, [lastPage])
    })
  )

  it.effect("takes one request where there are none", () =>
    Effect.gen(function* () {
      const { asked, error, records } = yield* read(yield* partOf(), [FakeApi.page([])])
      assert.isUndefined(error)
      assert.deepStrictEqual([records, asked], [[], [lastPage]])
    })
  )

  it.effect("takes two where they do not: the page shows the end", () =>
    Effect.gen(function* () {
      const { asked, error, records } = yield* read(yield* partOf(), [end, FakeApi.stream(all)])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(asked, [lastPage, streamed])
    })
  )

  it.effect.each([0, 1, 2, 3])("goes on where its reply ended properly but after %s records", (count) =>
    Effect.gen(function* () {
      const rest = count === 0 ? all : all.slice(count - 1)
      const { asked, error, records } = yield* read(yield* partOf(), [
        end,
        FakeApi.stream(all.slice(0, count)),
        end,
        FakeApi.stream(rest)
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(asked, [lastPage, streamed, endAsked, streamed])
    })
  )

  it.effect("asks for its end again where more records came meanwhile", () =>
    Effect.gen(function* () {
      const more = [...all, trade(5)]
      const { asked, error, records } = yield* read(yield* partOf(), [
        end,
        FakeApi.stream(more),
        FakeApi.page([trade(5)], "more")
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, more)
      assert.deepStrictEqual(asked, [lastPage, streamed, endAsked])
    })
  )

  const cut = JSON.stringify({ data: all }).slice(0, -20)
  it.effect.each([
    ["does not come", { status: 503 }],
    ["is cut off", { body: [cut, Effect.fail(FakeApi.cut)] }]
  ] as const)("is read and checked as a json_stream where the page %s", ([, reply]) =>
    Effect.gen(function* () {
      const { asked, error, records } = yield* read(yield* partOf(), [reply, reply, FakeApi.stream(all), end])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(asked, [lastPage, lastPage, streamed, endAsked])
    })
  )

  /** So many that the last of them is read when others were emitted. */
  const many = Array.from({ length: 1_000 }, (_, index) => ({
    ...trade(0),
    time: `2026-01-01T00:00:01.${String(index).padStart(9, "0")}Z`,
    coin_metrics_id: String(index)
  }))
  const damaged = (token?: string) => {
    const { body } = FakeApi.page(many, token)
    return { body: String(body).replace('"999"', '"999') }
  }
  it.effect("fails where a second copy of its damaged page says that it is not the whole", () =>
    Effect.gen(function* () {
      const { asked, error, records } = yield* read(yield* partOf(), [damaged(), FakeApi.page(many, "more")])
      assert.strictEqual(error?._tag, "Decode")
      assert.deepStrictEqual(asked, [lastPage, lastPage])
      assert.isBelow(records.length, many.length)
      assert.deepStrictEqual(records, many.slice(0, records.length))
    })
  )

  it.effect("is read and checked as a json_stream where a page that is not the whole cannot be read", () =>
    Effect.gen(function* () {
      const script = [damaged("more"), damaged("more"), FakeApi.stream(all), end]
      const { asked, error, records } = yield* read(yield* partOf(), script)
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(asked, [lastPage, lastPage, streamed, endAsked])
    })
  )

  it.effect("is read in no other way where the page is refused", () =>
    Effect.gen(function* () {
      const { asked, error } = yield* read(yield* partOf(), [FakeApi.refusal(403, "forbidden", "Not yours.")])
      assert.strictEqual(error?._tag, "Forbidden")
      assert.deepStrictEqual(asked, [lastPage])
    })
  )

  it.effect.each([
    ["it has no end", { end_time: undefined }],
    ["any market may have some", { markets: "coinbase-*" }]
  ] as const)("asks for its end behind it where %s", ([, params]) =>
    Effect.gen(function* () {
      const { asked, error, records } = yield* read(yield* partOf(params), [FakeApi.stream(all), end])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(asked, [streamed, endAsked])
    })
  )
})
