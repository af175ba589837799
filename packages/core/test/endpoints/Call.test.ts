import { assert, describe, it } from "@effect/vitest"
import { Bulk, Endpoint, Params, ReferenceData, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Call from "../../src/internal/call/Call.ts"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

const smallerPages = { whole: 20 }

/** A series of which no parameter has the name it has elsewhere. */
const oddly = Endpoint.make("/odd", {
  section: "none",
  order: "series",
  params: Schema.Struct({
    wells: Params.entities(Params.requiredList, "well"),
    grade: Params.list,
    since: Params.startTime,
    until: Params.endTime,
    with_since: Params.startInclusive,
    with_until: Params.endInclusive,
    zone: Params.timeZone,
    newest: Params.limitPer,
    by: Params.sort(["well", "time"]),
    depth: Params.smallerPages(smallerPages)(Params.openWord(["top", "whole"])),
    rows: Params.pageSize(200),
    from_side: Params.paging.paging_from,
    way: Params.format.format
  }).check(Params.fittingPage("depth", smallerPages, "rows")),
  record: Schema.Struct({ well: Schema.String, time: Schema.String })
})

const day = (n: number) => `2026-01-0${n}T00:00:00.000000000Z`

const record = (well: string, n: number) => ({ well, time: day(n) })

const range = { since: "2026-01-01", until: "2026-01-03" }

describe("a call", () => {
  it.effect("encodes names, which hold dots, and at times > and #", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      const markets = ["gate.io-btc>usd#1-future", "binance.us-btc-usd-spot"]
      yield* Stream.runDrain(Timeseries.marketTrades({ markets })).pipe(Effect.provide(api.layer()), Virtual.run)
      assert.strictEqual(api.seen[0]?.url.searchParams.get("markets"), markets.join())
      assert.strictEqual(api.seen[0]?.url.hash, "")
      assert.include(api.seen[0]?.url.search, "gate.io-btc%3Eusd%231-future")
    })
  )

  it("has its values as they are sent: lists as items, what is absent left out", () => {
    const call = Call.make(ReferenceData.assets, { assets: "a, b", pretty: true, include: undefined }, { newer: "x,y" })
    assert.deepStrictEqual(Call.paramsOf(call), { assets: ["a", "b"], pretty: true, newer: "x,y" })
    assert.deepStrictEqual(Call.toQuery(call), [
      ["assets", "a,b"],
      ["pretty", "true"],
      ["newer", "x,y"]
    ])
  })

  it("is not changed by what is made of it", () => {
    const call = Call.make(Timeseries.assetMetrics, { assets: ["a"], metrics: "M", paging_from: "end", page_size: 7 })
    const before = Call.toQuery(call)
    assert.deepStrictEqual(Call.paramsOf(Call.fromToken(Call.asPages(call), "t")), {
      page_size: 7,
      assets: ["a"],
      metrics: ["M"],
      paging_from: "end",
      next_page_token: "t"
    })
    assert.deepStrictEqual(Call.paramsOf(Call.toLastRecord(call)), {
      assets: ["a"],
      metrics: ["M"],
      page_size: 1,
      paging_from: "end"
    })
    assert.deepStrictEqual(Call.toQuery(call), before)
  })

  it.effect("is paged, from its start, as large as its endpoint allows, whatever its parameters are called", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([record("a", 1)]), FakeApi.page([]), FakeApi.page([])])
      yield* Stream.runDrain(oddly({ wells: "a" })).pipe(Effect.provide(api.layer()))
      yield* Stream.runDrain(oddly({ wells: "a", rows: 3, from_side: "end" })).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(yield* api.requests, [
        "/odd?rows=200&wells=a&from_side=start",
        "/odd?rows=3&wells=a&from_side=end"
      ])
    })
  )

  it.effect("is paged as large as its words allow, and refused where a larger page is asked for", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([]), FakeApi.page([]), FakeApi.page([])])
      yield* Stream.runDrain(oddly({ wells: "a", depth: "whole" })).pipe(Effect.provide(api.layer()))
      yield* Stream.runDrain(oddly({ wells: "a", depth: "whole", rows: 20 })).pipe(Effect.provide(api.layer()))
      yield* Stream.runDrain(oddly({ wells: "a", depth: "top" })).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(yield* api.requests, [
        "/odd?rows=20&wells=a&depth=whole&from_side=start",
        "/odd?rows=20&wells=a&depth=whole&from_side=start",
        "/odd?rows=200&wells=a&depth=top&from_side=start"
      ])
      const large = oddly({ wells: "a", depth: "whole", rows: 21 })
      const error = yield* Stream.runDrain(large).pipe(Effect.flip, Effect.provide(api.layer()))
      assert.deepInclude(error, { _tag: "InvalidRequest", kind: "malformed", parameter: "rows", value: "21" } as const)
      assert.include(error.message, "expected a value of at most 20 with depth=whole, got 21")
      assert.lengthOf(api.seen, 3)
    })
  )

  it.effect("goes on from its last record, and checks its end, whatever its parameters are called", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        { body: [FakeApi.line(record("a", 1)) + FakeApi.line(record("a", 2)), FakeApi.cut] },
        { body: FakeApi.line(record("a", 2)) + FakeApi.line(record("a", 3)) },
        FakeApi.page([record("a", 3)]),
        { body: FakeApi.line(record("b", 1)) },
        FakeApi.page([record("b", 1)])
      ])
      const read = oddly({ wells: ["a", "b"], ...range, way: "json_stream" }, { checkEnd: true })
      const records = yield* Stream.runCollect(read).pipe(Effect.provide(api.layer()), Virtual.run)
      assert.deepStrictEqual(records, [record("a", 1), record("a", 2), record("a", 3), record("b", 1)])
      const rest = `wells=a&until=2026-01-04T00:00:00&since=${day(2)}&with_since=true`
      assert.deepStrictEqual(yield* api.requests, [
        "/odd?wells=a,b&since=2026-01-01&until=2026-01-04T00:00:00&way=json_stream&with_until=false",
        `/odd?wells=a&until=2026-01-04T00:00:00&way=json_stream&since=${day(2)}&with_since=true&with_until=false`,
        `/odd?rows=1&${rest}&from_side=end&with_until=false`,
        "/odd?wells=b&since=2026-01-01&until=2026-01-04T00:00:00&way=json_stream&with_until=false",
        "/odd?rows=1&wells=b&since=2026-01-01&until=2026-01-04T00:00:00&from_side=end&with_until=false"
      ])
    })
  )

  it.effect("is cut along its list and along time, whatever its parameters are called", () =>
    Effect.gen(function* () {
      const parts = yield* Bulk.split(oddly, { wells: "b,a", ...range }, { by: "wells", every: "1 day" })
      assert.deepStrictEqual<ReadonlyArray<unknown>>(
        parts.map(({ params }) => params),
        ["a", "b"].flatMap((well) => [
          { wells: [well], since: day(1), until: day(2), with_until: false },
          { wells: [well], since: day(2), until: day(3), with_since: true, with_until: false },
          { wells: [well], since: day(3), until: day(4), with_since: true, with_until: false }
        ])
      )
      const refused = (params: object) =>
        Effect.flip(Bulk.split(oddly, { wells: "a", ...range, ...params }, { every: "1 day" }))
      assert.deepInclude(yield* refused({ newest: 3 }), { _tag: "BadSplit", parameter: "newest" } as const)
      assert.deepInclude(yield* refused({ zone: "Asia/Tokyo" }), { _tag: "BadSplit", parameter: "zone" } as const)
      assert.deepInclude(yield* refused({ since: undefined }), { _tag: "BadSplit", parameter: "since" } as const)
    })
  )

  it.effect("takes a word the service learned later of a parameter with a closed set of them", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      const read = Timeseries.assetMetrics({ assets: "a", metrics: "M" }, { query: { status: "draft", sort: "value" } })
      yield* Stream.runDrain(read).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(yield* api.requests, [
        "/timeseries/asset-metrics?page_size=10000&assets=a&metrics=M&status=draft&sort=value&paging_from=start"
      ])
    })
  )

  it.effect.each([
    [{ status: "all" }, { status: "draft" }, "status"],
    [{}, { format: "csv" }, "format"],
    [{}, { paging_from: "middle" }, "paging_from"],
    [{}, { frequency: "2d" }, "frequency"]
  ] as const)("takes no word in a place where it would be given twice, not understood, or is free: %j", (one) =>
    Effect.gen(function* () {
      const [params, query, parameter] = one
      const read = Timeseries.assetMetrics({ assets: "a", metrics: "M", ...params }, { query })
      const error = yield* Stream.runDrain(read).pipe(Effect.flip, Effect.provide(FakeApi.make([]).layer()))
      assert.deepInclude(error, { _tag: "InvalidRequest", kind: "misplaced", parameter } as const)
    })
  )

  it.effect("says nothing of the order of records that are sorted in a way it does not know", () =>
    Effect.gen(function* () {
      const mixed = [record("a", 3), record("b", 1), record("a", 2)]
      const api = FakeApi.make([FakeApi.page(mixed)])
      const read = oddly({ wells: "a,b" }, { query: { by: "depth" } })
      const records = yield* Stream.runCollect(read).pipe(Effect.provide(api.layer({ onDisorder: "fail" })))
      assert.deepStrictEqual(records, mixed)
    })
  )
})
