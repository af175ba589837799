import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Reading from "../records/Reading.ts"
import * as TestMode from "../TestMode.ts"
import * as Virtual from "../Virtual.ts"

const day = (n: number) => `2026-01-${String(n).padStart(2, "0")}T00:00:00.000000000Z`

const record = (asset: string, n: number, extra: object = {}) => ({ asset, time: day(n), PriceUSD: `${n}.5`, ...extra })

const days = [1, 2, 3, 4, 5]

const of = (asset: string) => days.map((n) => record(asset, n))

const block = (height: number, block_hash: string) => record("btc", 1, { height: String(height), block_hash })

const lines = (records: ReadonlyArray<object>) => records.map(FakeApi.line).join("")

/** A connection that breaks after these records. */
const cutAfter = (records: ReadonlyArray<object>): FakeApi.Reply => ({ body: [lines(records), FakeApi.cut] })

const whole = FakeApi.stream

type Params = Omit<Timeseries.AssetMetricsParams, "metrics">

const read = (params: Params, script: ReadonlyArray<FakeApi.Script>, options?: Client.Options) =>
  Reading.read<unknown, ApiError.ApiError>(
    Timeseries.assetMetrics({ metrics: "PriceUSD", format: "json_stream", ...params }),
    script,
    options
  )

const asked = (rest: string) => `/timeseries/asset-metrics?${rest}`

describe("a json_stream of a series, resumed", () => {
  const all = of("btc")

  it.effect("asks from the last record on, and passes over that one", () =>
    Effect.gen(function* () {
      const { error, records, requests } = yield* read(
        { assets: "btc", start_time: "2026-01-01", end_time: "2026-01-05" },
        [cutAfter(all.slice(0, 3)), whole(all.slice(2))]
      )
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(requests, [
        asked(
          "assets=btc&metrics=PriceUSD&start_time=2026-01-01&end_time=2026-01-06T00:00:00&format=json_stream&end_inclusive=false"
        ),
        asked(
          `assets=btc&metrics=PriceUSD&end_time=2026-01-06T00:00:00&format=json_stream&start_time=${day(3)}&start_inclusive=true&end_inclusive=false`
        )
      ])
    })
  )

  it.effect("goes on with the assets that were not met yet", () =>
    Effect.gen(function* () {
      const { error, records, requests } = yield* read({ assets: ["ada", "btc", "doge", "eth"] }, [
        cutAfter([...of("ada"), ...of("btc").slice(0, 2)]),
        whole(of("btc").slice(1)),
        cutAfter(of("doge").slice(0, 4)),
        whole(of("doge").slice(3)),
        whole(of("eth"))
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, ["ada", "btc", "doge", "eth"].flatMap(of))
      const common = "metrics=PriceUSD&format=json_stream"
      assert.deepStrictEqual(requests, [
        asked(`assets=ada,btc,doge,eth&${common}`),
        asked(`assets=btc&${common}&start_time=${day(2)}&start_inclusive=true`),
        asked(`assets=doge,eth&${common}`),
        asked(`assets=doge&${common}&start_time=${day(4)}&start_inclusive=true`),
        asked(`assets=eth&${common}`)
      ])
    })
  )

  it.effect("asks by height where there is a record per block, and tells forks apart by their text", () =>
    Effect.gen(function* () {
      const blocks = [block(1, "a"), block(2, "b"), block(2, "c"), block(2, "d"), block(3, "e")]
      const { error, records, requests } = yield* read({ assets: "btc", frequency: "1b", start_height: 1 }, [
        cutAfter(blocks.slice(0, 3)),
        whole(blocks.slice(1))
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, blocks)
      assert.strictEqual(
        requests[1],
        asked("assets=btc&metrics=PriceUSD&frequency=1b&format=json_stream&start_height=2&start_inclusive=true")
      )
    })
  )

  it.effect("takes a value that was revised meanwhile for the record it is", () =>
    Effect.gen(function* () {
      const revised = { ...all[2], PriceUSD: "9" }
      const { error, records } = yield* read({ assets: "btc" }, [
        cutAfter(all.slice(0, 3)),
        whole([revised, ...all.slice(3)])
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
    })
  )

  it.effect.each([
    ["is gone", false, whole(all.slice(3))],
    // So does one whose reply was cut before it.
    ["is gone with all that followed", true, whole([])],
    ["comes after others", false, whole(all.slice(1))]
  ] as const)("fails, and says how far it came, when the last record %s", ([, transient, again]) =>
    Effect.gen(function* () {
      const retry = { retry: Retry.make({ times: 2 }) }
      const { error, records, requests } = yield* read(
        { assets: "btc" },
        [cutAfter(all.slice(0, 3)), again, again],
        retry
      )
      assert.deepStrictEqual(records, all.slice(0, 3))
      assert.deepInclude(error, { _tag: "Unavailable", phase: "body", transient, delivered: 3 } as const)
      assert.strictEqual(requests.length, 3)
    })
  )

  it.effect.each([
    ["another order", { assets: "btc", sort: "time" }],
    ["the latest so many", { assets: "btc", limit_per_asset: 5 }],
    ["a wildcard", { assets: "*" }],
    ["a provider's name", { assets: "talos:BTC" }],
    ["another time zone", { assets: "btc", timezone: "America/New_York" }]
  ] as const)("replays all of it where the order or the set of records does not allow more: %s", ([, params]) =>
    Effect.gen(function* () {
      const { error, records, requests } = yield* read(params, [cutAfter(all.slice(0, 3)), whole(all)])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.strictEqual(requests[1], requests[0])
    })
  )

  it.effect("replays all of it when an asset comes back after another: the order is not what it was said to be", () =>
    Effect.gen(function* () {
      const mixed = [record("ada", 1), record("btc", 1), record("ada", 2), record("btc", 2)]
      const { error, records, requests } = yield* read({ assets: ["ada", "btc"] }, [
        cutAfter(mixed.slice(0, 3)),
        whole(mixed)
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, mixed)
      assert.strictEqual(requests[1], requests[0])
    })
  )

  it.effect("ends with an error when the service answers the same, whatever it is asked", () =>
    Effect.gen(function* () {
      const again = cutAfter([all[1]!, all[2]!, all[1]!])
      const { error, requests } = yield* read({ assets: "btc" }, Array(20).fill(again))
      assert.strictEqual(error?._tag, "Unavailable")
      assert.isAtMost(requests.length, 10)
    })
  )

  const assets = ["ada", "btc", "eth"]
  const full = assets.flatMap(of)

  it.effect.prop(
    "loses and repeats nothing wherever it is cut, time and again",
    { cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_400 }))) },
    ({ cuts }) =>
      Effect.gen(function* () {
        let served = 0
        const api = FakeApi.serve(({ url }) => {
          const named = url.searchParams.get("assets")?.split(",") ?? []
          const start = url.searchParams.get("start_time") ?? ""
          const body = lines(full.filter(({ asset, time }) => named.includes(asset) && time >= start))
          const at = cuts.slice(0, 6)[served++]
          return Effect.succeed({ body: at === undefined ? body : [body.slice(0, at), FakeApi.cut] })
        })
        const records = yield* Timeseries.assetMetrics({ assets, metrics: "PriceUSD", format: "json_stream" }).pipe(
          Stream.runCollect,
          Effect.provide(api.layer()),
          Virtual.run
        )
        assert.deepStrictEqual<ReadonlyArray<unknown>>(records, full)
      }),
    { arbitrary: { runs: TestMode.times(60, 600) } }
  )
})
