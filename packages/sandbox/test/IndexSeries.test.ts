import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { get, refused, type Row, rows } from "./Harness.ts"

const from = (path: string) => rows(`/timeseries/index-${path}&paging_from=start&page_size=10000`)

const number = (row: Row | undefined, field: string) => Number(row?.[field])

// Type boundary, here and in `part`: the tests look at what was sent.
const items = (row: Row | undefined, field = "constituents") => (row?.[field] ?? []) as ReadonlyArray<Row>

const part = (row: Row | undefined, field: string) => (row?.[field] ?? {}) as Row

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, one) => total + one, 0)

const hours = (path: string) => Effect.map(from(path), (all) => all.map((row) => String(row["time"]).slice(11, 16)))

const message = (name: string, value: string) => `Bad parameter '${name}'. Value '${value}' is not supported.`

const year = "start_time=2024-01-01&end_time=2025-01-01"

layer(Sandbox.layerMemory())("The series of indexes", (it) => {
  it.effect.each(["CMBI10", "CMBI10E", "CMBI10EX", "CMBIBE", "CMBIDEFI", "CMBIETH", "CMBIETHT"])(
    "the level of %s is what its constituents are worth, also where they change",
    (index) =>
      Effect.gen(function* () {
        const levels = yield* from(`levels?indexes=${index}&${year}`)
        const constituents = yield* from(`constituents?indexes=${index}&frequency=1d&${year}`)
        assert.lengthOf(levels, 367)
        assert.deepStrictEqual(
          constituents.map((row) => row["time"]),
          levels.map((row) => row["time"])
        )
        constituents.forEach((row, day) => {
          const level = number(levels[day], "level")
          const worth = items(row).map((item) => number(item, "price") * number(item, "quantity"))
          assert.closeTo(sum(worth) / level, 1, 1e-9)
          assert.closeTo(sum(items(row).map((item) => number(item, "weight"))), 1, 1e-9)
          items(row).forEach((item, n) => assert.closeTo(number(item, "weight"), worth[n]! / level, 1e-9))
        })
      })
  )

  it.effect("weigh assets by their basis, or evenly, at the beginning of a month", () =>
    Effect.gen(function* () {
      const [large, even, without] = yield* from(
        "constituents?indexes=CMBI10,CMBI10E,CMBI10EX&frequency=1d&start_time=2024-03-01&end_time=2024-03-01"
      )
      const basis = items(large).map((item) => number(item, "weight_basis_value"))
      items(large).forEach((item, n) => assert.closeTo(number(item, "weight"), basis[n]! / sum(basis), 1e-9))
      assert.lengthOf(items(even), 10)
      for (const item of items(even)) assert.closeTo(number(item, "weight"), 0.1, 1e-9)
      assert.deepStrictEqual(
        items(even).map((item) => item["asset"]),
        items(large).map((item) => item["asset"])
      )
      assert.notInclude(
        items(without).map((item) => item["asset"]),
        "btc"
      )
    })
  )

  it.effect("have without a frequency what changes, when it does", () =>
    Effect.gen(function* () {
      const march = "start_time=2024-02-15&end_time=2024-04-15"
      const changed = yield* from(`constituents?indexes=CMBI10,CMBIBTC&${march}`)
      assert.deepStrictEqual(
        changed.map((row) => [row["index"], String(row["time"]).slice(0, 10)]),
        ["2024-03-01", "2024-04-01"].map((day) => ["CMBI10", day])
      )
      const [whole] = yield* from("constituents?indexes=CMBI10&frequency=1d&start_time=2024-03-01&end_time=2024-03-01")
      assert.includeDeepMembers([...items(whole)], [...items(changed[0])])
      const [first, ...others] = yield* from("constituents?indexes=CMBIBTC")
      assert.lengthOf(items(first), 1)
      assert.isEmpty(others)
    })
  )

  it.effect("price an asset as its own metric does", () =>
    Effect.gen(function* () {
      const range = "start_time=2024-03-01&end_time=2024-03-01"
      const [row] = yield* from(`constituents?indexes=CMBIBE&frequency=1h&${range}`)
      const prices = yield* rows(`/timeseries/asset-metrics?assets=btc,eth&metrics=PriceUSD&${range}`)
      items(row).forEach((item, n) => assert.closeTo(number(item, "price"), number(prices[n], "PriceUSD"), 1e-5))
    })
  )

  it.effect("have levels of every frequency the catalog names, equal where they meet", () =>
    Effect.gen(function* () {
      const [entry] = yield* rows("/catalog-all/indexes?indexes=CMBIBTC")
      const names = items(entry, "frequencies").map((one) => String(one["frequency"]))
      assert.includeMembers(names, ["1s", "15s", "1h", "1d"])
      for (const one of items(entry, "frequencies")) {
        const all = `/timeseries/index-levels?indexes=CMBIBTC&frequency=${one["frequency"]}&page_size=1`
        assert.strictEqual((yield* rows(`${all}&paging_from=start`))[0]?.["time"], one["min_time"])
        assert.strictEqual((yield* rows(all))[0]?.["time"], one["max_time"])
      }
      const midnight = "start_time=2024-03-01&end_time=2024-03-01T00:00:00"
      const expected = yield* from(`levels?indexes=CMBIBTC&${midnight}`)
      assert.lengthOf(expected, 1)
      for (const name of ["1s", "15s", "1h", "1d-00:00"]) {
        assert.deepStrictEqual(yield* from(`levels?indexes=CMBIBTC&frequency=${name}&${midnight}`), expected)
      }
    })
  )

  it.effect("have a day of the hour that is asked for, and one of noon in New York", () =>
    Effect.gen(function* () {
      const march = "start_time=2024-03-09&end_time=2024-03-11"
      assert.deepStrictEqual(yield* hours(`levels?indexes=CMBI10&frequency=1d-16:00&${march}`), Array(3).fill("16:00"))
      const noon = yield* hours(`constituents?indexes=CMBI10&frequency=1d-ny-midday&${march}`)
      assert.deepStrictEqual(noon, ["17:00", "16:00", "16:00"])
    })
  )

  it.effect("are signed, thinned out and limited where that is asked for", () =>
    Effect.gen(function* () {
      const hour = "indexes=CMBI10,CMBIBTC&frequency=15s&start_time=2024-03-01T09:00:00&end_time=2024-03-01T10:00:00"
      const all = yield* from(`levels?${hour}`)
      const march = "indexes=CMBI10&frequency=15s&start_time=2024-03-01&end_time=2024-03-01"
      for (const [granularity, time] of [
        ["1d-ny-close", "21:00:00"],
        ["1d-ldn-close", "16:00:00"],
        ["1d-sg-close", "08:00:00"],
        ["1d-ldn-close-last-second", "15:59:59"],
        ["1d-05:00", "05:00:00"]
      ]) {
        const [close, ...more] = yield* from(`levels?${march}&granularity=${granularity}`)
        assert.strictEqual(close?.["time"], `2024-03-01T${time}.000000000Z`)
        assert.isEmpty(more)
      }
      const [first, ...others] = yield* from(`levels?${hour}&include_verification=true&limit_per_index=1`)
      assert.lengthOf(others, 1)
      const { signature, ...signed } = part(first, "verification")
      assert.match(String(signature), /^[0-9a-f]{128}$/)
      assert.deepStrictEqual(signed, { timestamp: first?.["time"], level: first?.["level"] })
      assert.deepStrictEqual(Object.keys(all[0] ?? {}), ["index", "time", "level"])
    })
  )

  it.effect.each(["CMBI10", "CMBIBTCT"])("fold the levels of %s into candles, as they are sent", (index) =>
    Effect.gen(function* () {
      const range = "start_time=2024-03-01T09:00:00&end_time=2024-03-01T10:00:00&end_inclusive=false"
      const levels = yield* from(`levels?indexes=CMBI10&frequency=15s&${range}`)
      const [hour, ...others] = yield* from(`candles?indexes=${index}&frequency=1h&${range}`)
      const minutes = yield* from(`candles?indexes=${index}&frequency=1m&${range}`)
      assert.deepStrictEqual([others.length, minutes.length], [0, 60])
      assert.deepInclude(hour, { price_open: minutes[0]?.["price_open"], candle_trades_count: "240" })
      assert.strictEqual(hour?.["price_close"], minutes[59]?.["price_close"])
      assert.strictEqual(number(hour, "price_high"), Math.max(...minutes.map((row) => number(row, "price_high"))))
      assert.strictEqual(number(hour, "price_low"), Math.min(...minutes.map((row) => number(row, "price_low"))))
      if (index !== "CMBI10") return
      assert.deepInclude(hour, { price_open: levels[0]?.["level"], price_close: levels.at(-1)?.["level"] })
      assert.strictEqual(number(hour, "price_high"), Math.max(...levels.map((row) => number(row, "level"))))
    })
  )

  it.effect("refuse what an index does not have", () =>
    Effect.gen(function* () {
      for (const [path, name, value] of [
        ["levels?indexes=CMBINONE", "indexes", "CMBINONE"],
        ["levels?indexes=CMBIBTCT&frequency=15s", "indexes", "CMBIBTCT"],
        ["levels?indexes=CMBIBTC&frequency=5m", "frequency", "5m"],
        ["levels?indexes=CMBIBTC&granularity=1m", "granularity", "1m"],
        ["constituents?indexes=CMBIHASH", "indexes", "CMBIHASH"],
        ["constituents?indexes=CMBI10&frequency=15s", "frequency", "15s"]
      ] as const) {
        refused(yield* get(`/timeseries/index-${path}`), 400, "bad_parameter", message(name, value))
      }
    })
  )
})
