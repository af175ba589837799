import { assert, describe, it } from "@effect/vitest"
import { Bulk, Endpoints, ReferenceData, Taxonomy, Timeseries, TokenMetrics } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Table from "@sluice/interface/Table"

const series = { assets: ["eth", "btc"], metrics: ["PriceUSD"] } as const

const year = { ...series, start_time: "2024-01-01", end_time: "2024-12-31" } as const

/** The parameters of the parts, in their order. */
const paramsOf = <P, E>(split: Effect.Effect<ReadonlyArray<Bulk.Part<P>>, E>) =>
  Effect.map(split, (parts) => parts.map(({ params }) => params))

/** Splits with parameters and options that types would refuse. */
const trySplit = (path: string, params: object, how: object) =>
  Bulk.split(
    Endpoints.all.find((endpoint) => endpoint.path === path)!,
    params as never,
    how as never
  )

const reasonOf = (path: string, params: object, how: object) =>
  Effect.map(Effect.flip(trySplit(path, params, how)), ({ _tag, parameter, reason }) => ({ _tag, parameter, reason }))

/** A whole hour of January. */
const at = (text: string) => `2024-01-${text}:00:00.000000000Z`

/** Index, items and first month of each part. */
const order = (params: object) =>
  Effect.map(trySplit("/timeseries/asset-metrics", params, { by: "assets", every: "200 days" }), (parts) =>
    parts.map(({ index, params }) => `${index} ${String(params["assets"])} ${String(params["start_time"]).slice(0, 7)}`)
  )

describe("Bulk.split", () => {
  it.effect("makes a part of each item, sorted, and reads an item once that was named twice", () =>
    Effect.gen(function* () {
      const parts = yield* Bulk.split(ReferenceData.assets, { assets: "eth, btc,eth" }, { by: "assets" })
      assert.deepStrictEqual(
        [...parts],
        [
          { index: 0, params: { assets: ["btc"] } },
          { index: 1, params: { assets: ["eth"] } }
        ]
      )
    })
  )

  it.effect("keeps a request whole that nothing is to be cut along", () =>
    Effect.gen(function* () {
      for (const how of [undefined, {}]) {
        const parts = yield* Bulk.split(ReferenceData.assets, { include: "talos", pretty: undefined }, how)
        assert.deepStrictEqual([...parts], [{ index: 0, params: { include: ["talos"] } } as never])
      }
    })
  )

  it.effect("puts so many items into a part", () =>
    Effect.gen(function* () {
      const params = { assets: ["a", "b", "c", "d", "e"] }
      const sizes = (size: number) =>
        Effect.map(Bulk.split(ReferenceData.assets, params, { by: "assets", size }), (parts) =>
          parts.map(({ params }) => params.assets.join(""))
        )
      assert.deepStrictEqual(yield* sizes(2), ["ab", "cd", "e"])
      assert.deepStrictEqual(yield* sizes(5), ["abcde"])
      assert.deepStrictEqual(yield* sizes(Infinity), ["abcde"])
    })
  )

  it.effect("puts fewer into a part where the request would get too long, encoded as it is sent", () =>
    Effect.gen(function* () {
      const assets = Array.from({ length: 2_000 }, (_, index) => `talos:A&B-${index}`)
      const parts = yield* Bulk.split(ReferenceData.assets, { assets }, { by: "assets", size: Infinity })
      // As it is sent: commas and colons plain, what separates parameters escaped.
      const lengths = parts.map(({ params }) => `assets=${params.assets.join(",").replaceAll("&", "%26")}`.length)
      assert.sameMembers(
        parts.flatMap(({ params }) => [...params.assets]),
        assets
      )
      assert.isAtMost(Math.max(...lengths), 9_000)
      // None but the last has room for another.
      assert.isAbove(Math.min(...lengths.slice(0, -1)), 8_900)
    })
  )

  it.effect("cuts time at borders that belong to the later part, the outer ends as they were given", () =>
    Effect.gen(function* () {
      const params = { ...series, start_time: "20240101", end_time: "2024-01-03T12:00:00Z", start_inclusive: false }
      const parts = yield* paramsOf(Bulk.split(Timeseries.assetMetrics, params, { every: "1 day" }))
      const rest = { assets: ["eth", "btc"], metrics: ["PriceUSD"] }
      assert.deepStrictEqual(parts as unknown, [
        { ...rest, start_time: at("01T00"), end_time: at("02T00"), start_inclusive: false, end_inclusive: false },
        { ...rest, start_time: at("02T00"), end_time: at("03T00"), start_inclusive: true, end_inclusive: false },
        { ...rest, start_time: at("03T00"), end_time: at("03T12"), start_inclusive: true }
      ])
    })
  )

  it.effect("keeps the last moment in the last part where time comes out even", () =>
    Effect.gen(function* () {
      const params = { ...series, start_time: "2024-01-01", end_time: "2024-01-03T00:00:00", end_inclusive: true }
      const parts = yield* paramsOf(Bulk.split(Timeseries.assetMetrics, params, { every: "1 day" }))
      assert.deepStrictEqual(
        parts.map(({ end_time, end_inclusive }) => [end_time.slice(0, 10), end_inclusive]),
        [
          ["2024-01-02", false],
          ["2024-01-03", true]
        ] as never
      )
    })
  )

  it.effect("has the whole of a day that a date ends with, in either form, and nothing of one that is excluded", () =>
    Effect.gen(function* () {
      for (const [end_time, end_inclusive, last] of [
        ["2024-01-02", undefined, "2024-01-03"],
        ["20240102", true, "2024-01-03"],
        ["2024-01-02", false, "2024-01-02"]
      ] as const) {
        const params = { ...series, start_time: "2024-01-01T12:00:00", end_time, end_inclusive }
        const parts = yield* paramsOf(Bulk.split(Timeseries.assetMetrics, params, { every: "1 minute" }))
        assert.lengthOf(parts, (last === "2024-01-03" ? 36 : 12) * 60)
        assert.deepInclude(parts.at(-1), { end_time: `${last}T00:00:00.000000000Z`, end_inclusive: false } as never)
      }
    })
  )

  it.effect("makes one part of a single moment, and of less than one length", () =>
    Effect.gen(function* () {
      for (const end_time of ["2024-01-01", "2024-01-01T00:00:00.000000001"]) {
        const params = { ...series, start_time: "2024-01-01", end_time }
        assert.lengthOf(yield* Bulk.split(Timeseries.assetMetrics, params, { every: "1 day" }), 1)
      }
    })
  )

  it.effect("cuts to the nanosecond", () =>
    Effect.gen(function* () {
      const params = {
        ...series,
        start_time: "1969-12-31T23:59:59.999999998",
        end_time: "1970-01-01T00:00:00.000000001"
      }
      const parts = yield* paramsOf(Bulk.split(Timeseries.assetMetrics, params, { every: 2n }))
      assert.deepStrictEqual(
        parts.map(({ start_time, end_time }) => [start_time.slice(-10), end_time.slice(-10)]),
        [
          ["999999998Z", "000000000Z"],
          ["000000000Z", "000000001Z"]
        ]
      )
    })
  )

  it.effect("goes through all times of one batch before the next, and from the end the other way round", () =>
    Effect.gen(function* () {
      const forward = ["0 btc 2024-01", "1 btc 2024-07", "2 eth 2024-01", "3 eth 2024-07"]
      assert.deepStrictEqual(yield* order(year), forward)
      assert.deepStrictEqual(yield* order({ ...year, paging_from: "start" }), forward)
      // The service ignores the direction of pages with json_stream.
      assert.deepStrictEqual(yield* order({ ...year, paging_from: "end", format: "json_stream" }), forward)
      assert.deepStrictEqual(yield* order({ ...year, paging_from: "end" }), [
        "0 eth 2024-07",
        "1 eth 2024-01",
        "2 btc 2024-07",
        "3 btc 2024-01"
      ])
    })
  )

  it.effect("gives parts that can be written down and read again", () =>
    Effect.gen(function* () {
      const metrics = [TokenMetrics.TxTknCnt, "PriceUSD"] as const
      const parts = yield* Bulk.split(Timeseries.assetMetrics, { ...year, metrics }, { by: "assets", every: "30 days" })
      assert.deepStrictEqual(parts[0]!.params.metrics as unknown, ["TxTknCnt", "PriceUSD"])
      const codec = Schema.fromJsonString(Schema.Array(Bulk.Part))
      const text = yield* Schema.encodeEffect(codec)(parts)
      assert.deepStrictEqual(yield* Schema.decodeEffect(codec)(text), [...parts])
    })
  )

  it.effect("fails as a call would where the parameters are wrong", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        trySplit("/timeseries/asset-metrics", { ...year, page_size: 0 }, { by: "assets" })
      )
      assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "page_size" })
    })
  )

  it.effect.each([
    ["a list that is columns", {}, { by: "metrics" }, "metrics"],
    ["a parameter that is no list", {}, { by: "status" }, "status"],
    ["a wildcard", { assets: ["btc", "*"] }, { by: "assets" }, "assets"],
    ["names of different kinds", { assets: ["btc", "talos:BTC"] }, { by: "assets" }, "assets"],
    ["an item that is too long by itself", { assets: ["a".repeat(9_500)] }, { by: "assets" }, "assets"],
    ["a size of nothing", {}, { by: "assets", size: 0 }, "size"],
    ["a size in pieces", {}, { by: "assets", size: 1.5 }, "size"],
    ["a size that is no number", {}, { by: "assets", size: Number.NaN }, "size"],
    ["a size of no list", {}, { size: 2 }, "size"],
    ["a token to begin at", { next_page_token: "t" }, { by: "assets" }, "next_page_token"],
    ["no length of time", {}, { every: 0 }, "every"],
    ["a length of time below zero", {}, { every: "-1 days" }, "every"],
    ["no end of time", {}, { every: "Infinity" }, "every"],
    ["a word for a length of time", {}, { every: "often" }, "every"],
    ["no start", { start_time: undefined }, { every: "1 day" }, "start_time"],
    ["no end", { end_time: undefined }, { every: "1 day" }, "end_time"],
    [
      "a block to start at",
      { start_time: undefined, start_height: 1, frequency: "1b" },
      { every: "1 day" },
      "start_time"
    ],
    ["an empty range", { end_time: "2024-01-01", end_inclusive: false }, { every: "1 day" }, "end_time"],
    ["the latest of each asset", { limit_per_asset: 3 }, { every: "1 day" }, "limit_per_asset"],
    ["hours that come twice", { timezone: "America/New_York" }, { every: "1 day" }, "timezone"],
    ["parts without number", {}, { every: "1 milli" }, undefined]
  ] as const)("refuses %s", ([, params, how, parameter]) =>
    Effect.gen(function* () {
      const refused = yield* reasonOf("/timeseries/asset-metrics", { ...year, ...params }, how)
      assert.deepInclude(refused, { _tag: "BadSplit", parameter })
    })
  )

  it.effect("refuses what the endpoint cannot do, and says what it can", () =>
    Effect.gen(function* () {
      const chains = yield* reasonOf("/reference-data/protocols", { chains: ["a"] }, { by: "chains" })
      assert.include(chains.reason, "what can: protocols, markets")
      const none = yield* reasonOf("/taxonomy-metadata/assets", {}, { by: "assets" })
      assert.include(none.reason, "no list can")
      const all = yield* reasonOf("/reference-data/pairs", {}, { by: "pairs" })
      assert.include(all.reason, "list the items")
      const time = yield* reasonOf(
        "/taxonomy-metadata/assets",
        { start_time: "2020-01-01", end_time: "2021-01-01" },
        { every: "1 day" }
      )
      assert.deepInclude(time, { _tag: "BadSplit", parameter: "every" })
      const limit = yield* reasonOf("/catalog/market-trades", { markets: ["a", "b"], limit: 5 }, { by: "markets" })
      assert.deepInclude(limit, { _tag: "BadSplit", parameter: "limit" })
      assert.lengthOf(
        yield* trySplit("/catalog/market-trades", { markets: ["a", "b"], limit: "none" }, { by: "markets" }),
        2
      )
    })
  )

  it.effect("says in its message which endpoint cannot be split, by what and why", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Bulk.split(Taxonomy.assets, { assets: "*" }, { by: "assets" }))
      assert.strictEqual(
        error.message,
        '/taxonomy/assets: cannot be split: "assets" has "*", which stands for items that are not known here; list them'
      )
    })
  )

  it("can split by lists alone, and by none that the endpoint does not have", () => {
    for (const { path, splits } of Endpoints.all) {
      const lists = Object.entries(Table.find(path).parameters).flatMap(([name, { isList }]) => (isList ? [name] : []))
      assert.includeMembers(lists, [...splits], path)
      for (const columns of ["include", "exclude"]) assert.notInclude(splits, columns, path)
    }
    // A market of a protocol lives on several chains, but has metrics on one at a time.
    const chained = Endpoints.all.filter(({ splits }) => splits.includes("chains")).map(({ path }) => path)
    for (const path of chained) assert.isTrue(Table.find(path).record["chain"]?.isKey, path)
    assert.notInclude(chained, "/reference-data/protocols")
  })
})
