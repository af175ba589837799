/**
 * Parquet, read by DuckDB: integers and decimals as text, times as the service writes them, doubles as numbers.
 */
import { DuckDBDecimalValue, DuckDBInstance, DuckDBTimestampNanosecondsValue } from "@duckdb/node-api"
import { Effect } from "effect"

/** Started once: it takes longer than most files. */
const database = Effect.runSync(
  Effect.cached(Effect.promise(() => DuckDBInstance.create(":memory:", { threads: "1" })))
)

const written = (nanos: bigint): string => {
  const millis = nanos / 1_000_000n
  const [date = ""] = new Date(Number(millis)).toISOString().split(".")
  return `${date}.${String(((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n).padStart(9, "0")}Z`
}

/** A value as the service writes it; a double as a number. */
export const plain = (value: unknown): unknown => {
  if (value instanceof DuckDBTimestampNanosecondsValue) return written(value.nanos)
  if (value instanceof DuckDBDecimalValue || typeof value === "bigint") return value.toString()
  return value
}

/** A table: the names of its columns, and its rows. */
export interface Table {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
}

/** Reads files, or what a pattern stands for, with the folders of their path as columns where asked for. */
export const read = Effect.fnUntraced(function* (pattern: string, withFolders = false) {
  const instance = yield* database
  return yield* Effect.promise(async (): Promise<Table> => {
    const connection = await instance.connect()
    try {
      const hive = withFolders
        ? ", hive_partitioning = true, hive_types_autocast = false"
        : ", hive_partitioning = false"
      const reader = await connection.runAndReadAll(`from read_parquet('${pattern.replaceAll("'", "''")}'${hive})`)
      return { columns: reader.columnNames(), rows: reader.getRows().map((row) => row.map(plain)) }
    } finally {
      connection.closeSync()
    }
  })
})
