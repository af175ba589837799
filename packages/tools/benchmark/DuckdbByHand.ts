/**
 * The case that loads a table of DuckDB by hand: one json_stream to a file, which DuckDB reads. No Effect in the process.
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { reader } from "./HandWritten.ts"
import * as Workload from "./Workload.ts"

const trades = {
  market: "VARCHAR",
  time: "TIMESTAMP_NS",
  coin_metrics_id: "VARCHAR",
  amount: "DOUBLE",
  price: "DOUBLE",
  side: "VARCHAR",
  block_hash: "VARCHAR",
  block_height: "BIGINT",
  txid: "VARCHAR",
  initiator: "VARCHAR",
  sender: "VARCHAR",
  beneficiary: "VARCHAR",
  database_time: "TIMESTAMP_NS",
  mark_price: "DOUBLE",
  index_price: "DOUBLE",
  iv_trade: "DOUBLE",
  liquidation: "VARCHAR"
}

/** The columns that Sluice makes. */
const columnsOf = (workload: Workload.Workload): Readonly<Record<string, string>> =>
  workload.kind === "trades"
    ? trades
    : {
        asset: "VARCHAR",
        time: "TIMESTAMP_NS",
        ...Object.fromEntries(Workload.metricsOf(workload).map((name) => [name, "DOUBLE"]))
      }

/** What reads columns of NDJSON. */
const queryOf = (files: string, types: Readonly<Record<string, string>>): string => {
  const columns = Object.entries(types)
  const read = columns.map(([name, type]) => `"${name}": '${type === "TIMESTAMP_NS" ? "VARCHAR" : type}'`)
  const names = columns.map(([name, type]) => `CAST("${name}" AS ${type}) AS "${name}"`)
  return `SELECT ${names.join()} FROM read_ndjson('${files}', columns = {${read.join()}})`
}

export const tradesOf = (files: string): string => queryOf(files, trades)

export const withFile = async <A>(file: string, use: (connection: DuckDBConnection) => Promise<A>): Promise<A> => {
  const instance = await DuckDBInstance.create(file)
  try {
    return await use(await instance.connect())
  } finally {
    instance.closeSync()
  }
}

/** What the table has: its records, and a digest of the column that is read of each, whatever their order. */
export const look = async (connection: DuckDBConnection, workload: Workload.Workload): Promise<Workload.Seen> => {
  const { touched } = Workload.kindOf(workload)
  const sql = `SELECT count(*), sum(hash("${touched}") % 1000003) FROM records`
  const [[records, digest] = []] = (await connection.runAndReadAll(sql)).getRows()
  return { records: Number(records), touched: Number(digest) }
}

/** Loads a table. What was touched is a digest of a column. */
export const duckdb = reader(async (get, workload) => {
  const folder = await mkdtemp(join(tmpdir(), "by-hand-"))
  const reply = join(folder, "records.ndjson")
  const { body } = await get(workload.assets, { format: "json_stream" })
  await pipeline(body, createWriteStream(reply))
  const seen = await withFile(join(folder, "records.duckdb"), async (connection) => {
    await connection.run(`CREATE TABLE records AS ${queryOf(reply, columnsOf(workload))}`)
    return look(connection, workload)
  })
  await rm(folder, { recursive: true })
  return seen
})
