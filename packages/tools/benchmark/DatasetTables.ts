/**
 * The cases that load a dataset into a table with Sluice. In a file of their own, since the clients of both databases are much to load.
 */
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as CopyByHand from "./CopyByHand.ts"
import { folder, follow, metrics, sync } from "./Datasets.ts"
import { open } from "./Downloads.ts"
import * as DuckdbByHand from "./DuckdbByHand.ts"
import * as Workload from "./Workload.ts"

/** Makes a table. What was touched are its rows. */
export const loadTable = (root: string): Workload.Reader => {
  const runtime = open(root)
  return {
    read: async (workload) => {
      const url = Redacted.make(workload.database?.url ?? "")
      const to = DatasetPostgres.make({ url, table: CopyByHand.nextTable() })
      const seen = await runtime.runPromise(sync(workload, { to }, workload.rows, 60))
      return { ...seen, touched: seen.records }
    },
    close: () => runtime.dispose()
  }
}

/** Makes a table of DuckDB. What was touched is a digest of a column. */
export const duckdb = (root: string): Workload.Reader => {
  const runtime = open(root)
  return {
    read: async (workload) => {
      const to = folder()
      const file = `${to}/records.duckdb`
      const table = DatasetDuckdb.make({ file, table: "records" })
      const options = { to: table, lookBack: "60 minutes" } as const
      const run =
        workload.kind === "trades"
          ? Dataset.sync({
              endpoint: Timeseries.marketTrades,
              params: { markets: workload.assets, start_time: Workload.before(workload.rows) },
              ...options
            })
          : Dataset.sync({ ...metrics(workload, workload.rows), ...options })
      await runtime.runPromise(follow(run))
      const seen = await DuckdbByHand.withFile(file, (connection) => DuckdbByHand.look(connection, workload))
      fs.rmSync(to, { recursive: true })
      return seen
    },
    close: () => runtime.dispose()
  }
}
