/**
 * A query of DuckDB over the file that the command writes, or over the service where it needs no key.
 */
import * as TableSchema from "@sluice/files/TableSchema"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { NotAsCode, type Reading } from "./Reading.ts"

const text = (value: string) => `'${value.replaceAll("'", "''")}'`

/** The columns with their types: text of the wire would stay text otherwise. Nothing where they are not known before the data. */
const columnsOf = Effect.fnUntraced(function* ({ entry, format, params }: Reading) {
  const { columns, decimal, numbers, statusColumns } = format
  const isCsv = format.as === "csv"
  const options = { columns: isCsv ? columns : undefined, decimal, numbers, statusColumns: isCsv || statusColumns }
  const schema = yield* Effect.result(TableSchema.make(entry.endpoint, params, options))
  if (Result.isFailure(schema)) return undefined
  const all = schema.success.columns.map(
    (column) => `${TableSchema.identifier(column.name)}: ${text(TableSchema.typeOf(column, "duckdb"))}`
  )
  return `{\n${all.map((one) => `    ${one}`).join(",\n")}\n  }`
})

/** What reads a file, or the reply to a URL. */
const sourceOf = Effect.fnUntraced(function* (reading: Reading, place: string) {
  const { as } = reading.format
  if (as === "parquet") return `read_parquet(${text(place)})`
  if (as === "csv" || as === "ndjson") {
    const columns = yield* columnsOf(reading)
    const typed = columns === undefined ? "" : `,\n  ${as === "csv" ? "types" : "columns"} = ${columns}`
    return as === "csv"
      ? `read_csv(${text(place)}, header = true${typed})`
      : `read_json(${text(place)}, format = 'newline_delimited'${typed})`
  }
  return yield* new NotAsCode({
    language: "SQL",
    reason: "DuckDB reads no Arrow files without an extension",
    next: "Name csv, ndjson or parquet with --format, or the file so."
  })
})

/** Writes the query. `command` writes the file. */
export const print = Effect.fnUntraced(function* (reading: Reading, command: string) {
  const { count, file, format, root, url } = reading
  const isStream = new URL(url).searchParams.get("format") === "json_stream"
  if (file === undefined && root.key === "unused" && isStream && format.as === "ndjson" && count === undefined) {
    return `SELECT *\nFROM ${yield* sourceOf(reading, url)};`
  }
  const name = file ?? `${reading.entry.endpoint.path.split("/").at(-1)}.parquet`
  const read = file === undefined ? { ...reading, format: { ...format, as: "parquet" as const } } : reading
  return [`-- ${command}`, `SELECT *\nFROM ${yield* sourceOf(read, name)};`].join("\n")
})
