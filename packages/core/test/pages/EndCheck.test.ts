import { assert, describe, it } from "@effect/vitest"
import { type ApiError, Bulk, Catalog, type Client, ReferenceData, Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Estimate from "../../src/internal/bulk/Estimate.ts"
import * as FakeApi from "../FakeApi.ts"
import * as Reading from "../records/Reading.ts"
import * as Recorder from "../records/Recorder.ts"
import * as Virtual from "../Virtual.ts"

const day = (n: number) => `2026-01-0${n}T00:00:00.000000000Z`

const record = (asset: string, n: number) => ({ asset, time: day(n), PriceUSD: `${n}.5` })

const of = (asset: string) => [1, 2, 3].map((n) => record(asset, n))

/** The page of one record that a check asks for; the token says that there are more before it. */
const last = (one: object) => FakeApi.page([one], "more")

/** Reads a stream from scripted replies; every request may be repeated twice, unless said otherwise. */
const read = <E>(stream: Stream.Stream<unknown, E, Client.Client>, script: ReadonlyArray<FakeApi.Script>, times = 2) =>
  Reading.read(stream, script, Reading.retries(times))

const prices = (assets: string, params: { readonly end_time?: string } = {}) =>
  Timeseries.assetMetrics({ assets, metrics: "PriceUSD", ...params, format: "json_stream" }, { checkEnd: true })

const asked = (rest: string) => `/timeseries/asset-metrics?${rest}`

describe("a json_stream whose end is checked", () => {
  it.effect("takes one small request more when it is whole", () =>
    Effect.gen(function* () {
      const { error, records, requests } = yield* read(prices("btc", { end_time: "2026-01-03" }), [
        FakeApi.stream(of("btc")),
        last(record("btc", 3))
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, of("btc"))
      assert.deepStrictEqual(requests, [
        asked("assets=btc&metrics=PriceUSD&end_time=2026-01-04T00:00:00&format=json_stream&end_inclusive=false"),
        asked(
          "page_size=1&assets=btc&metrics=PriceUSD&end_time=2026-01-04T00:00:00&paging_from=end&end_inclusive=false"
        )
      ])
    })
  )

  it.effect("goes on where a reply ended properly but too early", () =>
    Effect.gen(function* () {
      const { error, records, requests } = yield* read(prices("btc"), [
        FakeApi.stream(of("btc").slice(0, 2)),
        last(record("btc", 3)),
        FakeApi.stream(of("btc").slice(1)),
        last(record("btc", 3))
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, of("btc"))
      assert.strictEqual(
        requests[2],
        asked(`assets=btc&metrics=PriceUSD&format=json_stream&start_time=${day(2)}&start_inclusive=true`)
      )
      assert.lengthOf(requests, 4)
    })
  )

  const all = of("btc")
  const end = last(record("btc", 3))
  const nothing = FakeApi.page([])
  const assets = ReferenceData.assets({ format: "json_stream" }, { checkEnd: true })

  /** Each asks once for each reply. */
  const ended: ReadonlyArray<
    readonly [
      name: string,
      stream: Stream.Stream<object, ApiError.ApiError, Client.Client>,
      script: ReadonlyArray<FakeApi.Script>,
      records: ReadonlyArray<object>
    ]
  > = [
    [
      "misses an asset of which not a record came",
      prices("btc,eth"),
      [
        FakeApi.stream(all),
        last(record("eth", 3)),
        // What is left of btc, which is nothing, then eth.
        FakeApi.stream(all.slice(2)),
        end,
        FakeApi.stream(of("eth")),
        last(record("eth", 3))
      ],
      [...all, ...of("eth")]
    ],
    [
      "asks again where nothing came and there is something",
      prices("btc"),
      [{ body: "" }, end, FakeApi.stream(all), end],
      all
    ],
    ["ends where there is nothing", prices("btc"), [{ body: "" }, nothing], []],
    [
      "accepts a value that was revised meanwhile",
      prices("btc"),
      [FakeApi.stream(all), last({ ...record("btc", 3), PriceUSD: "4" })],
      all
    ],
    [
      "reads what appeared meanwhile as well",
      prices("btc"),
      [
        FakeApi.stream(all),
        last(record("btc", 4)),
        FakeApi.stream([record("btc", 3), record("btc", 4)]),
        last(record("btc", 4))
      ],
      [...all, record("btc", 4)]
    ],
    [
      "compares a list by the field its records begin with",
      assets,
      [
        { body: FakeApi.lines(["ada", "btc"]) },
        FakeApi.assets(["eth"], "more"),
        { body: FakeApi.lines(["ada", "btc", "eth"]) },
        FakeApi.page([{ asset: "eth", full_name: "renamed" }], "more")
      ],
      ["ada", "btc", "eth"].map(FakeApi.asset)
    ],
    [
      "is not checked where the consumer stops before it",
      Stream.take(prices("btc"), 2),
      [FakeApi.stream(all)],
      all.slice(0, 2)
    ],
    [
      "is not checked where the service knows no pages",
      Catalog.marketCandles({ format: "json_stream" }, { checkEnd: true }),
      [{ body: "" }],
      []
    ]
  ]

  it.effect.each(ended)("%s", ([, stream, script, expected]) =>
    Effect.gen(function* () {
      const { error, records, requests } = yield* read(stream, script)
      assert.isUndefined(error)
      assert.deepStrictEqual(records, [...expected])
      assert.strictEqual(requests.length, script.length)
    })
  )

  const streamed = asked("assets=btc&metrics=PriceUSD&format=json_stream")
  const check = asked("page_size=1&assets=btc&metrics=PriceUSD&paging_from=end")

  it.effect("repeats the check alone: no record that came is asked for again", () =>
    Effect.gen(function* () {
      const cut = { body: ['{"data":[', FakeApi.cut] }
      const script = [FakeApi.stream(all), { status: 429 }, { status: 503 }, cut, end]
      const { error, records, requests } = yield* read(prices("btc"), script, 3)
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(requests, [streamed, check, check, check, check])
    })
  )

  const early = [FakeApi.stream(all.slice(1, 2)), end]
  const ending = "the reply ended before the last record"

  /** Each delivers what came. */
  const failed: ReadonlyArray<
    readonly [name: string, script: ReadonlyArray<FakeApi.Script>, count: number, error: object, times?: number]
  > = [
    [
      "as it ends where the service says that there is nothing, although records came",
      [FakeApi.stream(all), nothing, FakeApi.stream(all.slice(2)), nothing],
      3,
      { _tag: "Unavailable", reason: ending },
      1
    ],
    [
      "when it ends too early again and again, and says how far it came",
      [FakeApi.stream(all.slice(0, 2)), end, ...early, ...early],
      2,
      { _tag: "Unavailable", phase: "body", transient: true, delivered: 2, attempts: 3, reason: ending }
    ],
    [
      "as the check does once its attempts are used up, and says how many records came",
      [FakeApi.stream(all), { status: 503 }, { status: 503 }, { status: 503 }],
      3,
      { _tag: "Unavailable", status: 503, attempts: 3, delivered: 3 }
    ],
    [
      "with the refusal of the check once its attempts are used up, and never streams again",
      [FakeApi.stream(all), { status: 429 }, { status: 429 }, { status: 429 }],
      3,
      { _tag: "RateLimited", attempts: 3 }
    ],
    [
      "as the check does where no waiting mends it",
      [FakeApi.stream(all), FakeApi.refusal(403, "forbidden", "Not from the end.")],
      3,
      { _tag: "Forbidden" }
    ]
  ]

  it.effect.each(failed)("fails %s", ([, script, count, expected, times]) =>
    Effect.gen(function* () {
      const { error, records, requests } = yield* read(prices("btc"), script, times)
      assert.deepStrictEqual(records, all.slice(0, count))
      assert.deepInclude({ ...error }, expected)
      assert.strictEqual(requests.length, script.length)
    })
  )
})

describe("a part of Bulk", () => {
  const range = { metrics: "PriceUSD", start_time: "2026-01-01", end_time: "2026-01-03" }
  const partOf = Effect.fnUntraced(function* (params: Timeseries.AssetMetricsParams) {
    const [part] = yield* Bulk.split(Timeseries.assetMetrics, params)
    return part!
  })

  it.effect("whose records fit a page takes that one request, and none for its end", () =>
    Effect.gen(function* () {
      const part = yield* partOf({ ...range, assets: "btc", frequency: "1d" })
      const { error, records, requests } = yield* read(Bulk.read(Timeseries.assetMetrics, part), [
        FakeApi.page(of("btc"))
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, of("btc"))
      assert.deepStrictEqual(requests, [
        asked(
          "page_size=10000&assets=btc&metrics=PriceUSD&frequency=1d&start_time=2026-01-01&end_time=2026-01-04T00:00:00&paging_from=start&end_inclusive=false"
        )
      ])
    })
  )

  it.effect("which has more records than a page is read as a json_stream", () =>
    Effect.gen(function* () {
      const part = yield* partOf({ ...range, assets: "btc", frequency: "1d" })
      const { error, records, requests } = yield* read(Bulk.read(Timeseries.assetMetrics, part), [
        FakeApi.page(of("btc").slice(0, 2), "more"),
        FakeApi.stream(of("btc"))
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, of("btc"))
      assert.strictEqual(requests.length, 2)
    })
  )

  const large = FakeApi.page(of("btc").map((one) => ({ ...one, PriceUSD: "1".repeat(1_000) })))
  it.effect.each([
    ["is too late for the gateway", { status: 504 }, 3],
    ["does not begin", Effect.never, 3],
    ["is larger than a page may be", large, 1]
  ] as const)("whose page %s is read as a json_stream, as one call that succeeds", ([, reply, attempts]) =>
    Effect.gen(function* () {
      const part = yield* partOf({ ...range, assets: "btc", frequency: "1d" })
      const script = [...Array.from({ length: attempts }, () => reply), FakeApi.stream(of("btc"))]
      const api = FakeApi.make(script)
      const recorder = Recorder.make()
      const records = yield* Stream.runCollect(Bulk.read(Timeseries.assetMetrics, part)).pipe(
        Effect.provide(api.layer({ retry: Retry.make({ times: 2 }), limits: { maxPageBytes: 1_000 } })),
        recorder.record,
        Virtual.run
      )
      assert.deepStrictEqual<ReadonlyArray<unknown>>(records, of("btc"))
      assert.lengthOf(yield* api.requests, attempts + 1)
      const calls = [...(yield* recorder.metrics)].filter(([name]) => name.startsWith("sluice.calls{"))
      assert.deepStrictEqual(calls, [
        ["sluice.calls{sluice.endpoint=/timeseries/asset-metrics,sluice.outcome=success}", 1]
      ])
    })
  )

  it.effect("whose page is refused is not read in another way", () =>
    Effect.gen(function* () {
      const part = yield* partOf({ ...range, assets: "btc", frequency: "1d" })
      const refusal = FakeApi.refusal(403, "forbidden", "Not yours.")
      const { error, requests } = yield* read(Bulk.read(Timeseries.assetMetrics, part), [refusal])
      assert.strictEqual(error?._tag, "Forbidden")
      assert.lengthOf(requests, 1)
    })
  )

  it.effect("whose page is cut off in every reply is read as a json_stream, which gets further each time", () =>
    Effect.gen(function* () {
      const part = yield* partOf({ ...range, assets: "btc", frequency: "1d" })
      const body = JSON.stringify({ data: of("btc") })
      const cut = { body: [body.slice(0, -20), Effect.fail(FakeApi.cut)] }
      const { error, records, requests } = yield* read(Bulk.read(Timeseries.assetMetrics, part), [
        cut,
        cut,
        cut,
        FakeApi.stream(of("btc"))
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, of("btc"))
      assert.deepStrictEqual(
        requests.map((request) => /format=json_stream|page_size=\d+/.exec(request)?.[0]),
        ["page_size=10000", "page_size=10000", "page_size=10000", "format=json_stream"]
      )
    })
  )

  const hundred = Array.from({ length: 100 }, (_, index) => `a${index}`)
  const sixty = Array.from({ length: 60 }, (_, index) => `M${index}`)
  it.effect.each([
    ["of a hundred assets for a hundred days", true, { assets: hundred, frequency: "1d", end_time: "2026-04-10" }],
    ["of one day more", false, { assets: hundred, frequency: "1d", end_time: "2026-04-11" }],
    ["of sixty metrics for 528 days", true, { assets: "btc", metrics: sixty, frequency: "1d", end_time: "2027-06-12" }],
    [
      "of sixty metrics for a day more",
      false,
      { assets: "btc", metrics: sixty, frequency: "1d", end_time: "2027-06-13" }
    ],
    ["of all metrics that have a prefix", false, { assets: "btc", metrics: ["Price*"], frequency: "1d" }],
    ["of two thousand minutes", true, { assets: "btc", frequency: "1m" }],
    ["of seconds of two days", false, { assets: "btc", frequency: "1s" }],
    ["of the closes of days", true, { assets: "btc", frequency: "1d-ny-close" }],
    ["of blocks", false, { assets: "btc", frequency: "1b" }],
    ["of an interval that is unknown here", false, { assets: "btc", frequency: "200ms" }],
    ["at the frequency that the service chooses", false, { assets: "btc" }],
    ["without an end", false, { assets: "btc", frequency: "1d", end_time: undefined }],
    ["of all assets", false, { assets: "*", frequency: "1d" }]
  ] as const)("is a page only where its parameters say that it fits: %s", ([, isPage, params]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([]), FakeApi.page([])])
      const part = yield* partOf({ ...range, ...params })
      yield* Stream.runDrain(Bulk.read(Timeseries.assetMetrics, part, { checkEnd: false })).pipe(
        Effect.ignore,
        Effect.provide(api.layer({ retry: Retry.make({ times: 0 }) })),
        Virtual.run
      )
      const [first = ""] = yield* api.requests
      assert.strictEqual(first.includes("page_size=10000"), isPage)
      assert.strictEqual(first.includes("format=json_stream"), !isPage)
    })
  )

  it("of a series whose records may share a time may have any number of them", () => {
    const params = { frequency: "1d", start_time: "2026-01-01", end_time: "2026-01-03" }
    assert.isTrue(Estimate.fitsPage(Timeseries.indexLevels, { ...params, indexes: "CMBI10" }))
    assert.isFalse(Estimate.fitsPage(Timeseries.indexConstituents, { ...params, indexes: "CMBI10" }))
  })
})
