/**
 * The cases that read a dataset which is held: as records, as columns, and its files by DuckDB into vectors of the same columns. What was
 * touched is a column.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as path from "node:path"
import * as ColumnsByHand from "./ColumnsByHand.ts"
import * as Datasets from "./Datasets.ts"
import { folder, open } from "./Downloads.ts"
import * as DuckdbByHand from "./DuckdbByHand.ts"
import * as Workload from "./Workload.ts"

type Format = "ndjson" | "parquet"

interface Held {
  readonly from: string
  readonly as: Format
  readonly params: { readonly markets: ReadonlyArray<string>; readonly start_time: string }
}

type Read = (held: Held) => Effect.Effect<Workload.Seen, unknown, Effect.Services<ReturnType<typeof Datasets.follow>>>

/** Makes a case of a read. The dataset of a workload is made before its first read, which warms up. */
const reader =
  (as: Format, read: Read) =>
  (root: string): Workload.Reader => {
    const runtime = open(root)
    const { remove, to } = folder()
    const datasets = new Map<number, Held>()
    const heldOf = async ({ assets, rows }: Workload.Workload): Promise<Held> => {
      const known = datasets.get(rows)
      if (known !== undefined) return known
      const from = path.join(to, String(rows))
      const held = { from, as, params: { markets: assets, start_time: Workload.before(rows) } }
      const job = {
        endpoint: Timeseries.marketTrades,
        params: held.params,
        to: held.from,
        lookBack: "60 minutes"
      } as const
      await runtime.runPromise(Datasets.follow(Dataset.sync({ ...job, format: { as } })))
      datasets.set(rows, held)
      return held
    }
    return {
      read: async (workload) => runtime.runPromise(read(await heldOf(workload))),
      close: async () => {
        await runtime.dispose()
        remove()
      }
    }
  }

const records: Read = ({ from, params }) =>
  Effect.gen(function* () {
    const seen = Workload.nothing()
    const all = Dataset.read(Timeseries.marketTrades, params, { from, offline: true })
    yield* Stream.runForEachArray(all, (records) =>
      Effect.sync(() => {
        seen.records += records.length
        seen.touched += ColumnsByHand.touch(records.map(({ price }) => Number(price)))
      })
    )
    return seen
  })

const columns: Read = ({ from, params }) =>
  Effect.gen(function* () {
    const seen = Workload.nothing()
    const all = Dataset.columns(Timeseries.marketTrades, params, { from, offline: true })
    yield* Stream.runForEach(all, ({ columns, length }) =>
      Effect.sync(() => {
        seen.records += length
        seen.touched += ColumnsByHand.touch(columns.price.values)
      })
    )
    return seen
  })

const duckdb: Read = ({ as, from }) =>
  Effect.promise(async () => {
    const seen = Workload.nothing()
    const instance = await DuckDBInstance.create(":memory:")
    const connection = await instance.connect()
    const files = `${from}/**/*.${as}`
    const result = await connection.stream(
      as === "ndjson" ? DuckdbByHand.tradesOf(files) : `SELECT * FROM read_parquet('${files}')`
    )
    const price = result.columnNames().indexOf("price")
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      seen.records += chunk.rowCount
      for (let column = 0; column < chunk.columnCount; column++) {
        const vector = chunk.getColumnVector(column)
        if (column !== price) continue
        for (let row = 0; row < vector.itemCount; row++) seen.touched += Math.trunc(Number(vector.getItem(row)))
      }
    }
    connection.closeSync()
    instance.closeSync()
    return seen
  })

export const ndjsonRecords = reader("ndjson", records)
export const ndjsonColumns = reader("ndjson", columns)
export const ndjsonByDuckdb = reader("ndjson", duckdb)
export const parquetRecords = reader("parquet", records)
export const parquetColumns = reader("parquet", columns)
export const parquetByDuckdb = reader("parquet", duckdb)
