import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import * as FileName from "../../src/internal/download/FileName.ts"

const nameOf = (params: Record<string, string | ReadonlyArray<string>>, cut: { by?: string; every?: string }) =>
  FileName.all(Timeseries.assetMetrics, cut as {}, [{ index: 0, params }], ".csv.gz")[0]

const start = (start_time: string) => nameOf({ start_time }, { every: "1 day" })

const assets = (...assets: ReadonlyArray<string>) => nameOf({ assets }, { by: "assets" })

describe("the name of a file", () => {
  it("shows the start of its part, with as many digits as needed", () => {
    assert.strictEqual(start("2024-01-01T00:00:00.000000000"), "0-2024-01-01.csv.gz")
    assert.strictEqual(start("2024-01-01"), "0-2024-01-01.csv.gz")
    assert.strictEqual(start("2024-01-01T10:00:00.000000000"), "0-2024-01-01T100000.csv.gz")
    assert.strictEqual(start("2024-01-01T10:20:30.100000000Z"), "0-2024-01-01T102030.1.csv.gz")
    assert.strictEqual(start("2024-01-01T00:00:00.000000001"), "0-2024-01-01T000000.000000001.csv.gz")
  })

  it("shows its items, if they are few", () => {
    assert.strictEqual(assets("btc"), "0-btc.csv.gz")
    assert.strictEqual(assets("btc", "eth"), "0-btc+eth.csv.gz")
    const many = Array.from({ length: 100 }, (_, index) => `asset${index}`)
    assert.strictEqual(assets(...many), "0-asset0+99.csv.gz")
    assert.strictEqual(assets("a".repeat(500)), `0-${"a".repeat(60)}.csv.gz`)
  })

  it("is valid on every file system", () => {
    assert.strictEqual(assets("coinbase-btc-usd-spot"), "0-coinbase-btc-usd-spot.csv.gz")
    assert.strictEqual(assets("../../etc/passwd"), "0-.._.._etc_passwd.csv.gz")
    assert.strictEqual(assets('a:b*c?"<>|\\'), "0-a_b_c______.csv.gz")
    assert.strictEqual(assets("ü€"), "0-__.csv.gz")
  })

  it("sorts as the parts do, and is unique", () => {
    const parts = Array.from({ length: 1_001 }, (_, index) => ({
      index,
      params: { assets: ["A/", "A?", "a?"][index % 3]! }
    }))
    const names = FileName.all(Timeseries.assetMetrics, { by: "assets" }, parts, ".ndjson")
    assert.deepStrictEqual(names.toSorted(), names)
    assert.strictEqual(new Set(names.map((name) => name.toLowerCase())).size, 1_001)
    assert.strictEqual(names[7], "0007-A_.ndjson")
  })
})
