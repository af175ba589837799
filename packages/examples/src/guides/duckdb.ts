import { DuckDBInstance } from "@duckdb/node-api"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

/** Hourly rates of two assets as Parquet, a file of each asset and month. */
const download = (folder: string) =>
  Download.run({
    endpoint: Timeseries.assetMetrics,
    params: {
      assets: ["btc", "eth"],
      metrics: ["ReferenceRateUSD"],
      frequency: "1h",
      start_time: "2026-09-01",
      end_time: "2026-10-31"
    },
    split: { by: "assets", every: "1 month" },
    to: folder,
    format: { as: "parquet" }
  }).pipe(Stream.runDrain)

/** Runs a query in a database in memory, which is closed after it. */
export const query = (sql: string) =>
  Effect.acquireUseRelease(
    Effect.promise(() => DuckDBInstance.create(":memory:")),
    (database) =>
      Effect.promise(async () => {
        const connection = await database.connect()
        const result = await connection.runAndReadAll(sql)
        return result.getRowObjectsJson()
      }),
    (database) => Effect.sync(() => database.closeSync())
  )

/**
 * The lowest, the mean and the highest rate of each month. Rates are DOUBLE; `numbers` in the format can keep all their
 * digits.
 */
export const months = (folder: string) =>
  Effect.andThen(
    download(folder),
    query(`
      SELECT asset, strftime(time, '%Y-%m') AS month, count(*) AS hours,
        round(min(ReferenceRateUSD), 2) AS low, round(avg(ReferenceRateUSD), 2) AS mean, round(max(ReferenceRateUSD), 2) AS high
      FROM read_parquet('${folder}/*.parquet')
      GROUP BY ALL ORDER BY ALL`)
  )

if (import.meta.main) {
  months("out/rates").pipe(
    Effect.tap((rows) => Effect.forEach(rows, (row) => Console.log(...Object.values(row)))),
    Effect.provide([NodeClient.layerConfig(), NodeServices.layer]),
    NodeRuntime.runMain
  )
}
