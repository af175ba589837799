import { assert, describe, it } from "@effect/vitest"
import { Bulk, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as FileName from "../../src/internal/download/FileName.ts"

const nameOf = (params: Record<string, string | ReadonlyArray<string>>, cut: { by?: string; every?: string }) =>
  FileName.all(Timeseries.assetMetrics, cut as {}, [{ index: 0, params }], ".csv.gz")[0]

const start = (start_time: string, every = "1 day") => nameOf({ start_time }, { every })

const assets = (...assets: ReadonlyArray<string>) => nameOf({ assets }, { by: "assets" })

const namesOf = (items: ReadonlyArray<string>) =>
  FileName.all(
    Timeseries.assetMetrics,
    { by: "assets" },
    items.map((assets, index) => ({ index, params: { assets } })),
    ".ndjson"
  )

describe("the name of a file", () => {
  it("shows the start of its part, with as many digits as needed", () => {
    assert.strictEqual(start("2024-01-01T00:00:00.000000000"), "2024-01-01.csv.gz")
    assert.strictEqual(start("2024-01-01"), "2024-01-01.csv.gz")
    assert.strictEqual(start("2024-01-01T10:00:00.000000000"), "2024-01-01T100000.csv.gz")
    assert.strictEqual(start("2024-01-01T10:20:30.100000000Z"), "2024-01-01T102030.1.csv.gz")
    assert.strictEqual(start("2024-01-01T00:00:00.000000001"), "2024-01-01T000000.000000001.csv.gz")
  })

  it("shows the period of the calendar, also of a part that begins in it", () => {
    assert.strictEqual(start("2024-03-01T00:00:00.000000000Z", "1 month"), "2024-03.csv.gz")
    assert.strictEqual(start("2024-03-17T10:00:00.000000000Z", "1 month"), "2024-03.csv.gz")
    assert.strictEqual(start("2024-05-17T00:00:00.000000000Z", "3 months"), "2024-04_2024-06.csv.gz")
    assert.strictEqual(start("2024-05-17T00:00:00.000000000Z", "1 year"), "2024.csv.gz")
    assert.strictEqual(start("2024-05-17T00:00:00.000000000Z", "12 months"), "2024.csv.gz")
    assert.strictEqual(start("2024-05-17T00:00:00.000000000Z", "5 years"), "2020_2024.csv.gz")
    const month = { assets: ["btc"], start_time: "2025-01-01T00:00:00.000000000Z" }
    assert.strictEqual(nameOf(month, { by: "assets", every: "1 month" }), "btc_2025-01.csv.gz")
  })

  it("shows its items, if they are few, and without a split what was asked for", () => {
    assert.strictEqual(assets("btc"), "btc.csv.gz")
    assert.strictEqual(assets("btc", "eth"), "btc+eth.csv.gz")
    const many = Array.from({ length: 100 }, (_, index) => `asset${index}`)
    assert.strictEqual(assets(...many), "asset0+99.csv.gz")
    assert.strictEqual(assets("a".repeat(500)), `${"a".repeat(60)}.csv.gz`)
    assert.strictEqual(nameOf({ assets: ["btc"] }, {}), "asset-metrics.csv.gz")
  })

  it("is valid on every file system", () => {
    assert.strictEqual(assets("coinbase-btc-usd-spot"), "coinbase-btc-usd-spot.csv.gz")
    assert.strictEqual(assets("../../etc/passwd"), "_._.._etc_passwd.csv.gz")
    assert.strictEqual(assets('a:b*c?"<>|\\'), "a_b_c______.csv.gz")
    assert.strictEqual(assets("ü€"), "__.csv.gz")
    assert.strictEqual(assets("-rf"), "_rf.csv.gz")
    assert.strictEqual(assets(".sluice"), "_sluice.csv.gz")
    assert.strictEqual(assets("con"), "con_.csv.gz")
    assert.strictEqual(assets("Com1.x"), "Com1_.x.csv.gz")
    assert.strictEqual(assets("cons"), "cons.csv.gz")
  })

  it("is unique, whatever the file system takes for the same", () => {
    const names = namesOf(Array.from({ length: 1_001 }, (_, index) => ["A/", "A?", "a?"][index % 3]!))
    assert.strictEqual(new Set(names.map((name) => name.toLowerCase())).size, 1_001)
    assert.strictEqual(names[7], "0007-A_.ndjson")
    assert.deepStrictEqual(namesOf(["a?", "b", "a*"]), ["0-a_.ndjson", "b.ndjson", "2-a_.ndjson"])
    assert.deepStrictEqual(namesOf(["a?", "a*", "0-a_"]), ["0-a_.ndjson", "1-a_.ndjson", "2-0-a_.ndjson"])
  })

  it.effect("tells apart the parts of any split of the calendar", () =>
    Effect.gen(function* () {
      const params = {
        assets: "btc,eth",
        metrics: "PriceUSD",
        start_time: "2019-11-30T23:00:00",
        end_time: "2022-01-01"
      }
      for (const every of ["1 month", "3 months", "5 months", "1 year", "2 years"] as const) {
        const parts = yield* Bulk.split(Timeseries.assetMetrics, params, { by: "assets", every })
        const names = FileName.all(Timeseries.assetMetrics, { by: "assets", every }, parts, ".csv")
        assert.strictEqual(new Set(names).size, parts.length)
        for (const name of names) assert.match(name, /^(?:btc|eth)_20[12]\d/)
      }
    })
  )
})
