import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Decimal, Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import { Effect, Exit, FileSystem, Layer, Result, Stream } from "effect"
import { months, query } from "../src/guides/duckdb.ts"
import { load } from "../src/guides/duckdbTable.ts"
import { inMemory, shownAfter } from "./Guides.ts"

const rates = (month: string) =>
  Timeseries.assetMetrics({
    assets: ["btc"],
    metrics: ["ReferenceRateUSD"],
    frequency: "1h",
    start_time: `${month}-01`,
    end_time: `${month}-30T23:59:59`
  }).pipe(
    Stream.map(({ ReferenceRateUSD }) => Result.getOrThrow(Decimal.toNumber(ReferenceRateUSD ?? ""))),
    Stream.runCollect
  )

const cast = (text: string) => query(`SELECT CAST('${text}' AS DECIMAL(38, 18)) AS n`)

describe("the programs with databases", () => {
  it.live("ask DuckDB about the months of a download", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const rows = yield* months(`${folder}/rates`)
      assert.deepStrictEqual(
        rows.map(({ asset, month, hours }) => [asset, month, hours]),
        ["btc", "eth"].flatMap((asset) => [
          [asset, "2026-09", String(30 * 24)],
          [asset, "2026-10", String(31 * 24)]
        ])
      )
      assert.deepStrictEqual(
        rows.map((row) => Object.values(row).join(" ")),
        shownAfter("docs/databases.md", "guides/duckdb.ts")
      )
      const september = yield* rates("2026-09")
      const mean = september.reduce((sum, rate) => sum + rate, 0) / september.length
      const [first] = rows
      assert.strictEqual(first?.["low"], Math.round(Math.min(...september) * 100) / 100)
      assert.closeTo(Number(first?.["mean"]), mean, 0.01)
    }).pipe(Effect.provide(Layer.merge(inMemory, NodeServices.layer)))
  )

  it.live("keep a table of DuckDB current", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped()}/rates.duckdb`
      const assets = yield* load(file)
      assert.deepStrictEqual(
        assets.map(({ entity, first, last, rows }) => [entity, rows, first, last].join(" ")),
        shownAfter("docs/databases.md", "guides/duckdbTable.ts")
      )
      assert.deepStrictEqual(yield* load(file), assets)
    }).pipe(Effect.provide(Layer.merge(inMemory, NodeServices.layer)))
  )

  it.live("read NDJSON in DuckDB to the last digit", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const params = { assets: "btc", metrics: "PriceUSD", start_time: "2026-10-01", end_time: "2026-10-02" } as const
      yield* Download.run({
        endpoint: Timeseries.assetMetrics,
        params,
        to: `${folder}/prices`,
        format: { as: "ndjson", compression: "gzip" }
      }).pipe(Stream.runDrain)
      const rows = yield* query(`
        SELECT CAST(time AS TIMESTAMP_NS) AS time, PriceUSD
        FROM read_ndjson('${folder}/prices/*.ndjson.gz', columns = {time: 'VARCHAR', PriceUSD: 'VARCHAR'}) ORDER BY time`)
      const prices = yield* Stream.runCollect(Timeseries.assetMetrics(params))
      assert.deepStrictEqual(
        rows,
        prices.map(({ time, PriceUSD }) => ({ time: time.slice(0, 19).replace("T", " "), PriceUSD: PriceUSD ?? null }))
      )
    }).pipe(Effect.provide(Layer.merge(inMemory, NodeServices.layer)))
  )

  it.live("know what DECIMAL(38, 18) holds", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* cast("12345678901234567890.1234567890123456789"), [
        { n: "12345678901234567890.123456789012345679" }
      ])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(cast("123456789012345678901"))))
    })
  )
})
