import { DuckDBInstance, DuckDBTimestampNanosecondsValue, DuckDBDecimalValue } from "@duckdb/node-api"
import { Timestamp } from "@sluice/core"
import { Format } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** Started and connected once: both take longer than most queries. */
const connected = Effect.runSync(
  Effect.cached(
    Effect.promise(async () => {
      const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
      return await instance.connect()
    })
  )
)

/** Runs a query in DuckDB; rows as plain values, times as the service writes them. */
export const query = Effect.fnUntraced(function* (sql: string) {
  const connection = yield* connected
  const reader = yield* Effect.promise(() => connection.runAndReadAll(sql))
  return reader.getRows().map((row) => row.map(plain))
})

const plain = (value: unknown) => {
  if (value instanceof DuckDBTimestampNanosecondsValue) return Timestamp.fromEpochNanos(value.nanos)
  return value instanceof DuckDBDecimalValue ? value.toString() : value
}

/** A folder that goes with the test. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "sluice-format-"))),
  (name) => Effect.sync(() => fs.rmSync(name, { recursive: true }))
)

type Endpoint = Parameters<typeof Format.encode>[0]

/** Records as the bytes of a file. */
export const bytes = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  params: object,
  options: Format.Options,
  records: ReadonlyArray<unknown>,
  batch = 100
) {
  const encode = yield* Format.encode(endpoint, params, options)
  const chunks = yield* Stream.runCollect(encode(Stream.rechunk(Stream.fromIterable(records), batch)))
  return Buffer.concat(chunks)
})

/** Writes records to a file in a folder that goes with the test; gives its name. */
export const file = Effect.fnUntraced(function* (...[endpoint, params, options, records]: Parameters<typeof bytes>) {
  const name = path.join(yield* folder, `records${Format.extension(options)}`)
  fs.writeFileSync(name, yield* bytes(endpoint, params, options, records))
  return name
})

/** How CSV is written, for many small files: to find it out takes DuckDB three times as long as to read one. */
export const asWritten = `, delim = ',', quote = '"', escape = '"'`

/** What reads a file, every value as the file has it; of CSV, DuckDB finds out how it is written where nothing is said. */
export const source = (name: string, csv = "") => {
  if (name.includes(".parquet")) return `read_parquet('${name}')`
  if (name.includes(".csv")) {
    return `read_csv('${name}', header = true, all_varchar = true, allow_quoted_nulls = false${csv})`
  }
  return `read_ndjson_objects('${name}')`
}
