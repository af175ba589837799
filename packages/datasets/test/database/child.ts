/**
 * A change of a dataset in DuckDB in a process of its own, which kills itself before a statement. Writes the number of statements
 * to standard output where it gets to the end.
 */
import { DuckDBConnection } from "@duckdb/node-api"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import { Effect } from "effect"
import { writeSync } from "node:fs"
import { argv, kill, pid } from "node:process"
import * as Prices from "./Prices.ts"

const [, , file = "", at = "0"] = argv

const run = DuckDBConnection.prototype.runAndReadAll
let count = 0
DuckDBConnection.prototype.runAndReadAll = function (...args) {
  count++
  if (count === Number(at)) kill(pid, "SIGKILL")
  return run.apply(this, args)
}

const { open } = DatasetDuckdb.make({ file, table: "prices" })

await Effect.runPromise(
  Effect.scoped(Effect.flatMap(open(Prices.prices), ({ apply }) => apply(Prices.changeOf(Prices.second))))
)
writeSync(1, String(count))
