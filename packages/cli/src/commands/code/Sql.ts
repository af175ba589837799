/** A query of DuckDB over the file that the command writes, or over the service where it needs no key. */
import type * as Format from "@sluice/files/Format"
import * as Ddl from "@sluice/files/internal/format/Ddl"
import * as TableSchema from "@sluice/files/TableSchema"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { NotAsCode, type Reading } from "./Reading.ts"

type Reply = Pick<Reading, "count" | "root" | "url">

/** Whether DuckDB may ask the service itself: without a key, for all records, each on a line. */
export const isServed = ({ count, root, url }: Reply): boolean =>
  root.key === "unused" && count === undefined && new URL(url).searchParams.get("format") === "json_stream"

const ends = { gzip: ".gz", zstd: ".zst" }

/** The name of a file of this format, where none is given. */
export const fileOf = ({ path }: { readonly path: string }, { as, compression }: Format.Options): string => {
  const name = path.replace(/^.*\//, "").replaceAll(/[{}]/g, "")
  return `${name}.${as}${compression === undefined || as === "parquet" ? "" : ends[compression]}`
}

/** The columns with their types: text of the wire would stay text otherwise. Nothing where they are not known before the data. */
const columnsOf = Effect.fnUntraced(function* ({ entry, format, params }: Reading) {
  const { columns, decimal, numbers, statusColumns } = format
  const isCsv = format.as === "csv"
  const options = { columns: isCsv ? columns : undefined, decimal, numbers, statusColumns: statusColumns ?? isCsv }
  const schema = yield* Effect.result(TableSchema.make(entry.endpoint, params, options))
  if (Result.isFailure(schema)) return undefined
  const all = schema.success.columns.map(
    (column) => `${TableSchema.identifier(column.name)}: ${Ddl.literal(TableSchema.typeOf(column, "duckdb"))}`
  )
  return `{\n${all.map((one) => `    ${one}`).join(",\n")}\n  }`
})

/** What reads a file, or the reply to a URL: `place`, as SQL has it. */
const sourceOf = Effect.fnUntraced(function* (reading: Reading, place: string) {
  const { as, compression } = reading.format
  if (as === "parquet") return `read_parquet(${place})`
  if (as === "csv" || as === "ndjson") {
    const columns = yield* columnsOf(reading)
    const typed = columns === undefined ? "" : `,\n  ${as === "csv" ? "types" : "columns"} = ${columns}`
    // The name of the file may say another one, or none.
    const packed = compression === undefined ? "" : `, compression = '${compression}'`
    return as === "csv"
      ? `read_csv(${place}, header = true${packed}${typed})`
      : `read_json(${place}, format = 'newline_delimited'${packed}${typed})`
  }
  return yield* new NotAsCode({
    language: "SQL",
    reason: "DuckDB reads no Arrow files without an extension",
    next: "Name csv, ndjson or parquet with --format, or the file so."
  })
})

/** Writes the query: over a file, which `command` writes and which is on one line, else over the service. */
export const print = Effect.fnUntraced(function* (reading: Reading, command: string) {
  const { file, url } = reading
  return file === undefined
    ? `SELECT *\nFROM ${yield* sourceOf(reading, Ddl.literal(url))};`
    : `-- ${command}\nSELECT *\nFROM ${yield* sourceOf(reading, Ddl.path(file))};`
})
