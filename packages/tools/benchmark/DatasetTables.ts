/**
 * The cases that load a dataset into a table with Sluice. In a file of their own, since the clients of both databases are much to load.
 */
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as CopyByHand from "./CopyByHand.ts"
import { follow, metrics, sync } from "./Datasets.ts"
import { reader } from "./Downloads.ts"
import * as DuckdbByHand from "./DuckdbByHand.ts"
import * as Workload from "./Workload.ts"

/** Makes a table. What was touched are its rows. */
export const loadTable = reader((workload) => {
  const url = Redacted.make(workload.database?.url ?? "")
  const to = DatasetPostgres.make({ url, table: CopyByHand.nextTable() })
  return Effect.map(sync(workload, { to }, workload.rows, 60), (seen) => ({ ...seen, touched: seen.records }))
})

/** Makes a table of DuckDB. What was touched is a digest of a column. */
export const duckdb = reader((workload, folder) => {
  const file = `${folder}/records.duckdb`
  const options = { to: DatasetDuckdb.make({ file, table: "records" }), lookBack: "60 minutes" } as const
  const run =
    workload.kind === "trades"
      ? Dataset.sync({
          endpoint: Timeseries.marketTrades,
          params: { markets: workload.assets, start_time: Workload.before(workload.rows) },
          ...options
        })
      : Dataset.sync({ ...metrics(workload, workload.rows), ...options })
  const look = Effect.promise(() =>
    DuckdbByHand.withFile(file, (connection) => DuckdbByHand.look(connection, workload))
  )
  return Effect.andThen(follow(run), look)
})
