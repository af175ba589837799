/** Records as the bytes of a file: NDJSON, CSV, Parquet or Arrow, compressed or not. */
import "@sluice/node/internal/runtime/NodeVersion"
import { harmless } from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Columns from "@sluice/core/internal/columns/Column"
import * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import * as ArrowFile from "./internal/arrow/ArrowFile.ts"
import * as Compressed from "./internal/format/Compressed.ts"
import * as Csv from "./internal/format/Csv.ts"
import * as FileStream from "./internal/format/FileStream.ts"
import { BadFormat, type Unwritable } from "@sluice/core/internal/columns/FormatError"
import * as JsonText from "@sluice/core/internal/columns/JsonText"
import * as UnknownKeys from "./internal/format/UnknownKeys.ts"
import * as Ndjson from "./internal/format/Ndjson.ts"
import * as FormatOptions from "./internal/format/Options.ts"
import type { Options } from "./internal/format/Options.ts"
import * as Parquet from "./internal/parquet/Parquet.ts"

export type { Kind } from "@sluice/core/Field"
export type { Column, Source } from "@sluice/core/internal/columns/Column"
export { BadFormat, FormatError, Unwritable } from "@sluice/core/internal/columns/FormatError"
export { Compression, Name, Numbers, Options, Times } from "./internal/format/Options.ts"

/**
 * Turns the records of one file into its bytes. With `reuse` a chunk is valid only until the next is pulled, because its memory
 * is used again: for programs that write or copy each chunk before they pull another.
 */
export type Encoder = <E, R>(
  records: Stream.Stream<unknown, E, R>,
  options?: { readonly reuse?: boolean | undefined }
) => Stream.Stream<Uint8Array, E | Unwritable, R>

/**
 * Gives the columns that all formats but NDJSON have for these parameters.
 *
 * **Details**
 *
 * They follow from the interface and the parameters, never from the data. First the fields that identify a record
 * (`asset`, `time`), then the other fields in the order of the interface, metrics in the order of the request, last the
 * review status of each metric. With `chosen` gives only these columns, in this order. Fails with {@link BadFormat} for a
 * metric that is a wildcard, for a chosen name that is no column, and where the parameter that names the columns is absent.
 */
export const columns = (
  endpoint: Columns.Source,
  params: object,
  chosen?: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<Columns.Column>, BadFormat> => Effect.fromResult(Columns.of(endpoint, params, chosen))

/**
 * The text of a record's field: text unchanged, any other value as JSON, however deeply nested; `undefined` where the
 * record lacks the field.
 */
export const textOf = (record: unknown, name: string): string | undefined => {
  const value = Columns.valueOf(record, name)
  return value === undefined || Predicate.isString(value) ? value : JsonText.write(value)
}

/** The extension of a file's name: `.ndjson`, `.csv.gz`, `.parquet`, `.arrow`. */
export const extension = ({ as, compression }: Options): string =>
  as === "parquet" || compression === undefined ? `.${as}` : `.${as}${compression === "gzip" ? ".gz" : ".zst"}`

type Encode = (endpoint: Columns.Source, params: object, options: Options) => Effect.Effect<Encoder, BadFormat>

/**
 * Builds an encoder, which turns records of an endpoint into the bytes of a file.
 *
 * **Details**
 *
 * The same records give the same bytes, whatever their batches. Compressed bytes may differ in another version of Node.js or
 * on another kind of processor.
 *
 * NDJSON keeps records unchanged: null, absent, and keys the interface does not know. The others have the columns of
 * {@link columns}; a key without a column is left out, and logged once as a warning. CSV follows RFC 4180: CRLF, null and
 * absent as an empty cell, empty text as `""`, values with structure as JSON text. In a CSV file of one column null and
 * absent are `""` too, since many readers skip an empty line. Parquet has null for both, times of series to the
 * nanosecond, whole numbers as `INT64`, and decimals as `DOUBLE`, the nearest one, unless `numbers` says otherwise. A decimal
 * field with a text that is no number, such as `N/A`, or beyond the greatest double fails; with `numbers: "text"` it is kept.
 * Arrow has the same values, in the types of `Arrow`.
 *
 * Fails with {@link BadFormat} where an option does not fit the format, or the columns are not known before the data. The
 * stream fails with {@link Unwritable} at a value that the format cannot hold.
 *
 * **Example** (Writing a year of prices to a Parquet file)
 *
 * ```ts
 * const program = Effect.gen(function* () {
 *   const files = yield* FileSystem.FileSystem
 *   const params = { assets: "btc", metrics: "PriceUSD", start_time: "2020-01-01", end_time: "2020-12-31" }
 *   const encode = yield* Format.encode(Timeseries.assetMetrics, params, { as: "parquet" })
 *   yield* encode(Timeseries.assetMetrics(params)).pipe(Stream.run(files.sink("btc.parquet")))
 * })
 * ```
 */
export const encode: Encode = Effect.fnUntraced(function* (endpoint: Columns.Source, params: object, options: Options) {
  yield* check(options)
  const { as, compression } = options
  const table = as === "ndjson" ? undefined : yield* Effect.fromResult(tableOf(endpoint, params, options))
  // Of all files together: each would say the same again.
  const unknownKeys = UnknownKeys.make(table?.names ?? [])
  const encoder: Encoder = (records, { reuse = false } = {}) =>
    Stream.suspend(() => {
      const isCompressed = as !== "parquet" && compression !== undefined
      // What compresses copies each chunk before it pulls the next.
      const isReused = reuse || isCompressed
      const bytes =
        table === undefined
          ? FileStream.make(Ndjson.make(), records, isReused)
          : FileStream.make(table.begin(), warning(`${endpoint.path} as ${as}`, unknownKeys, records), isReused)
      return isCompressed ? Compressed.compress(bytes, compression) : bytes
    })
  return encoder
})

const tableOf = (endpoint: Columns.Source, params: object, options: Options) =>
  Result.gen(function* () {
    const { as } = options
    const all = yield* Columns.of(endpoint, params)
    const chosen = yield* columnsOf(endpoint, params, options)
    const names = all.map(({ name }) => name)
    if (as === "arrow" || as === "arrows")
      return { names, begin: ArrowFile.make(endpoint, params, chosen, { ...options, as }) }
    return { names, begin: as === "csv" ? Csv.make(chosen, options) : Parquet.make(chosen, options) }
  })

const columnsOf = (endpoint: Columns.Source, params: object, options: Options) => {
  const { columns, statusColumns } = FormatOptions.withDefaults(options)
  const found = Columns.of(endpoint, params, columns)
  return columns !== undefined || statusColumns === true ? found : Result.map(found, Columns.withoutStatus)
}

/** Passes records on, and logs a warning for each key without a column, once. */
const warning = <E, R>(what: string, unknown: UnknownKeys.UnknownKeys, records: Stream.Stream<unknown, E, R>) =>
  Stream.mapArrayEffect(records, (batch) => {
    const keys = unknown.see(batch)
    return keys.length === 0
      ? Effect.succeed(batch)
      : Effect.as(
          Effect.logWarning(`${what} has no column for ${harmless(keys.join(", "))}; ndjson keeps every key`),
          batch
        )
  })

const check = Effect.fnUntraced(function* (options: Options) {
  yield* FormatOptions.check(options)
  if (options.compression === "zstd" && !Compressed.hasZstd()) {
    return yield* new BadFormat({ option: "compression", reason: "zstd needs Node.js 22.15 or newer" })
  }
  yield* Effect.fromResult(ColumnType.check(options))
})
