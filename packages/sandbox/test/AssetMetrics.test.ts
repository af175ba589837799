import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { envelope, get, lines, type Row, rows } from "./Harness.ts"

const series = "/timeseries/asset-metrics"
const times = (rows: ReadonlyArray<Row>) => rows.map((row) => String(row["time"]))
const from = (path: string) => rows(`${series}?${path}&paging_from=start&page_size=10000`)

const firstOfJune = (frequency: string) =>
  from(`assets=btc&metrics=ReferenceRateUSD&frequency=${frequency}&start_time=2024-06-01&end_time=2024-06-01T00:00:00`)

const lastHeight = (query: string) =>
  Effect.map(rows(`${series}?assets=btc&metrics=TxCnt&frequency=1b&page_size=1${query}`), ([row]) =>
    Number(row?.["height"])
  )

describe("Asset metrics", () => {
  it.effect("sends asset, nine fractional digits, and text for every value", () =>
    Effect.gen(function* () {
      const [row] = yield* from("assets=btc&metrics=PriceUSD,TxCnt&start_time=2024-06-01&end_time=2024-06-01")
      assert.deepStrictEqual(Object.keys(row ?? {}), ["asset", "time", "PriceUSD", "TxCnt"])
      assert.strictEqual(row?.["time"], "2024-06-01T00:00:00.000000000Z")
      assert.match(String(row?.["PriceUSD"]), /^\d+\.\d{15}$/)
      assert.match(String(row?.["TxCnt"]), /^\d+$/)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("reaches from the first block to the fixed end of the data", () =>
    Effect.gen(function* () {
      const all = yield* from("assets=btc&metrics=PriceUSD,TxCnt")
      assert.strictEqual(times(all)[0], "2009-01-03T00:00:00.000000000Z")
      assert.strictEqual(times(all).at(-1), "2026-11-01T00:00:00.000000000Z")
      // A coin has transactions before it has a price.
      assert.isNull(all[0]?.["PriceUSD"])
      assert.isString(all[0]?.["TxCnt"])
      const minutes = `${series}?assets=btc&metrics=ReferenceRateUSD&frequency=1m&page_size=1&paging_from=start`
      const [first] = yield* rows(minutes)
      assert.strictEqual(first?.["time"], "2017-01-01T00:00:00.000000000Z")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("sends null for no value, nothing for no such metric, and zero on request", () =>
    Effect.gen(function* () {
      const path = "assets=btc,eth,ada&metrics=PriceUSD,HashRate&end_time=2015-08-01"
      const all = yield* from(path)
      const keys = (asset: string) =>
        Object.keys(all.find((row) => row["asset"] === asset && row["time"] === "2015-07-31T00:00:00.000000000Z") ?? {})
      assert.deepStrictEqual(keys("btc"), ["asset", "time", "PriceUSD", "HashRate"])
      assert.deepStrictEqual(keys("ada"), [])
      const early = yield* from("assets=btc&metrics=PriceUSD,TxCnt&end_time=2009-01-03&null_as_zero=true")
      assert.strictEqual(early[0]?.["PriceUSD"], "0")
      const mixed = yield* from("assets=btc,ada&metrics=PriceUSD,HashRate&start_time=2024-01-01&end_time=2024-01-01")
      assert.deepStrictEqual(
        mixed.map((row) => Object.keys(row)),
        [
          ["asset", "time", "PriceUSD"],
          ["asset", "time", "PriceUSD", "HashRate"]
        ]
      )
      const lenient = yield* from(
        "assets=btc,nobody,ada&metrics=HashRate,Nothing&start_time=2026-11-01&ignore_unsupported_errors=true"
      )
      assert.deepStrictEqual(
        lenient.map((row) => row["asset"]),
        ["btc"]
      )
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  const bounds: ReadonlyArray<readonly [query: string, hours: ReadonlyArray<string>]> = [
    ["start_time=2024-06-01T01:00:00&end_time=2024-06-01T03:00:00", ["01", "02", "03"]],
    ["start_time=2024-06-01T01:00:00&end_time=2024-06-01T03:00:00&start_inclusive=false", ["02", "03"]],
    ["start_time=2024-06-01T01:00:00&end_time=2024-06-01T03:00:00&end_inclusive=false", ["01", "02"]],
    ["start_time=2024-06-01T01:00:00.000000001Z&end_time=2024-06-01T03:00:00", ["02", "03"]],
    ["start_time=2024-06-01T01:00:00&end_time=2024-06-01T03:00:00.000000001&end_inclusive=false", ["01", "02", "03"]],
    ["start_time=2024-06-01T005959.999&end_time=2024-06-01T025959.999999", ["01", "02"]],
    ["start_time=20240601&end_time=2024-06-01T00:00:00", ["00"]],
    // Paris is two hours ahead in summer; a trailing Z gives way to the time zone.
    ["start_time=2024-06-01T03:00:00Z&end_time=2024-06-01T04:00:00&timezone=Europe/Paris", ["01", "02"]]
  ]
  for (const [query, hours] of bounds) {
    it.effect(`reads the bounds ${query}`, () =>
      Effect.gen(function* () {
        const found = yield* from(`assets=eth&metrics=ReferenceRateUSD&frequency=1h&${query}`)
        assert.deepStrictEqual(
          times(found),
          hours.map((hour) => `2024-06-01T${hour}:00:00.000000000Z`)
        )
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  }

  it.effect("follows the close of New York through summer time", () =>
    Effect.gen(function* () {
      const found = yield* from(
        "assets=btc&metrics=ReferenceRateUSD&frequency=1d-ny-close&start_time=2024-03-09&end_time=2024-03-10"
      )
      assert.deepStrictEqual(times(found), ["2024-03-09T21:00:00.000000000Z", "2024-03-10T20:00:00.000000000Z"])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("gives one instant the same value at every frequency", () =>
    Effect.gen(function* () {
      const daily = yield* firstOfJune("1d")
      assert.strictEqual(daily.length, 1)
      for (const frequency of ["1s", "1m", "1h", "4h"]) assert.deepStrictEqual(yield* firstOfJune(frequency), daily)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("sends blocks with their hashes, and finds them by height, hash and time", () =>
    Effect.gen(function* () {
      const path = "assets=eth&metrics=TxCnt&frequency=1b"
      const found = yield* from(`${path}&start_height=1000&end_height=1004`)
      assert.deepStrictEqual(Object.keys(found[0] ?? {}), [
        "asset",
        "time",
        "block_hash",
        "parent_block_hash",
        "height",
        "TxCnt"
      ])
      assert.deepStrictEqual(
        found.map((row) => row["height"]),
        ["1000", "1001", "1002", "1003", "1004"]
      )
      assert.deepStrictEqual(
        found.slice(1).map((row) => row["parent_block_hash"]),
        found.slice(0, -1).map((row) => row["block_hash"])
      )
      assert.deepStrictEqual(times(found), times(found).toSorted())
      const hashes = `start_hash=${String(found[1]?.["block_hash"])}&end_hash=${String(found[3]?.["block_hash"])}`
      assert.deepStrictEqual(yield* from(`${path}&${hashes}`), found.slice(1, 4))
      assert.deepStrictEqual(
        yield* from(`${path}&${hashes}&start_inclusive=false&end_inclusive=false`),
        found.slice(2, 3)
      )
      const byTime = `start_time=${String(found[1]?.["time"])}&end_time=${String(found[3]?.["time"])}`
      assert.deepStrictEqual(yield* from(`${path}&${byTime}`), found.slice(1, 4))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("holds back blocks without enough confirmations", () =>
    Effect.gen(function* () {
      const all = yield* lastHeight("&min_confirmations=0")
      assert.strictEqual(yield* lastHeight(""), all - 2)
      assert.strictEqual(yield* lastHeight("&min_confirmations=99"), all - 99)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("says how far a reviewable value has come", () =>
    Effect.gen(function* () {
      const path = "assets=btc&metrics=FlowInExUSD,TxCnt&start_time=2026-10-25"
      const all = yield* from(path)
      assert.deepStrictEqual(Object.keys(all[0] ?? {}), [
        "asset",
        "time",
        "FlowInExUSD",
        "FlowInExUSD-status",
        "FlowInExUSD-status-time",
        "TxCnt"
      ])
      assert.strictEqual(all.at(-1)?.["FlowInExUSD-status"], "flash")
      const reviewed = yield* from(`${path}&status=reviewed`)
      assert.isNull(reviewed.at(-1)?.["FlowInExUSD"])
      assert.isString(reviewed.at(-1)?.["TxCnt"])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("takes a wildcard for every asset that has a metric", () =>
    Effect.gen(function* () {
      const path = `${series}?assets=*&start_time=2026-11-01`
      const prices = lines(yield* get(`${path}&metrics=PriceUSD&format=json_stream`))
      assert.isAtLeast(prices.length, 300)
      const tokens = lines(yield* get(`${path}&metrics=TxTknCnt&format=json_stream`))
      assert.deepStrictEqual(
        tokens.map((row) => row["asset"]),
        ["etc", "eth", "sol"]
      )
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("reaches the last page of a long series by arithmetic", () =>
    Effect.gen(function* () {
      const { stats } = yield* Sandbox.Sandbox
      const page = envelope(yield* get(`${series}?assets=btc&metrics=ReferenceRateUSD&frequency=1s&page_size=3`))
      assert.strictEqual(times(page.data).at(-1), "2026-11-01T00:00:00.000000000Z")
      assert.strictEqual((yield* stats).records, 3)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})
