/**
 * Columns as Apache Arrow: a table in memory, and the bytes of the IPC formats, which pandas and Polars read, and DuckDB with
 * an extension.
 *
 * | column | in Arrow |
 * |---|---|
 * | `double` | `Float64`; null is null, not NaN |
 * | `time` | `Timestamp(NANOSECOND, "UTC")` |
 * | `integer` | `Int64` |
 * | `decimal` | `Decimal128(precision, scale)` |
 * | `boolean` | `Bool` |
 * | `word` | `Dictionary<Int32, Utf8>` |
 * | `text` | `Utf8` |
 * | `json` | `Utf8`, whose field has the metadata `content-type: application/json` |
 *
 * A field is nullable where that of the record may be null or absent. Buffers begin at multiples of 64 bytes, little endian,
 * not compressed.
 *
 * **Example** (Writing a day of candles to a file)
 *
 * ```ts
 * const candles = Columns.stream(Timeseries.marketCandles, {
 *   markets: "coinbase-btc-usd-spot",
 *   frequency: "1m",
 *   start_time: "2026-09-01",
 *   end_time: "2026-09-01"
 * })
 * const program = Effect.gen(function* () {
 *   const files = yield* FileSystem.FileSystem
 *   yield* Stream.run(Arrow.file(candles), files.sink("candles.arrow"))
 * })
 * ```
 */
import "@sluice/node/internal/runtime/NodeVersion"
import type * as Columns from "@sluice/core/Columns"
import type { AnyBatch } from "@sluice/core/internal/columns/Collector"
import type { BadFormat } from "@sluice/core/internal/columns/FormatError"
import * as Flechette from "@uwdata/flechette"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Ipc from "./internal/arrow/Ipc.ts"
import * as OneTable from "./internal/arrow/OneTable.ts"

/** Type boundary: the columns of a batch are columns, whatever their keys. */
const anyOf = (batch: Columns.Batch<object>) => batch as AnyBatch

const written = <E, R>(
  format: "stream" | "file",
  batches: Stream.Stream<Columns.Batch<object>, E, R>
): Stream.Stream<Uint8Array, E | BadFormat, R> =>
  Stream.suspend(() => {
    const ipc = Ipc.make(format)
    const columnsOf = OneTable.make()
    return Stream.concat(
      Stream.flatMap(batches, (batch) =>
        Stream.unwrap(
          Effect.map(Effect.fromResult(columnsOf(anyOf(batch))), (columns) =>
            Stream.fromIterable(ipc.batch(columns, batch.length))
          )
        )
      ),
      Stream.suspend(() => Stream.succeed(ipc.end()))
    )
  })

/**
 * Writes batches in the IPC stream format, such as for a pipe or a reply over HTTP; its files are named `.arrows`. It holds one
 * batch at a time.
 *
 * **Details**
 *
 * The batches may be of several calls with the same columns; one with others fails with `BadFormat`. A dictionary is written
 * again, whole, before the first batch that has further words.
 */
export const stream = <E, R>(
  batches: Stream.Stream<Columns.Batch<object>, E, R>
): Stream.Stream<Uint8Array, E | BadFormat, R> => written("stream", batches)

/**
 * Writes batches in the IPC file format, `.arrow`, which readers map into memory and read from any batch on. It holds one batch at
 * a time. Where the stream of batches fails, the file has no end, and readers refuse it.
 *
 * **Gotchas**
 *
 * A file may not replace a dictionary, so further words of it are written as a delta before the batch that has them. Polars reads
 * no deltas: it reads the files of calls whose words are all known before, and every
 * {@link stream}.
 */
export const file = <E, R>(
  batches: Stream.Stream<Columns.Batch<object>, E, R>
): Stream.Stream<Uint8Array, E | BadFormat, R> => written("file", batches)

/**
 * Makes a table of `@uwdata/flechette` from batches, also of several calls with the same columns. It shares their memory, and copies
 * only the words. Without batches it has no columns. Throws `BadFormat` where the columns of a batch are others.
 *
 * **Details**
 *
 * Times are nanoseconds as `bigint`, whole numbers `bigint`, and decimals as `at` of a column gives them: 1.25 with a scale of 3 is
 * `1250n`.
 */
export const table = (batches: ReadonlyArray<Columns.Batch<object>>): Flechette.Table => {
  const columnsOf = OneTable.make()
  const all = batches.map((batch) => Result.getOrThrow(columnsOf(anyOf(batch))))
  const columns = (all.at(-1) ?? []).map((last, index) => {
    const type = typeOf(last, index)
    const Made = Flechette.batchType(type, { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true })
    // A word keeps its code in all batches, and the last has all words.
    const words =
      last.type === "word" && "dictionary" in type
        ? Flechette.columnFromArray([...last.words], type.dictionary)
        : undefined
    const data = all.map((columns) => {
      const column = columns[index]!
      // Flechette writes only tables whose buffers are all there.
      const { length, nulls, validity = new Uint8Array(0) } = column
      const made = new Made({ length, nullCount: nulls, type, validity, ...buffersOf(column) })
      return words === undefined ? made : made.setDictionary(words)
    })
    const metadata = last.type === "json" ? new Map([Ipc.jsonMetadata]) : undefined
    return {
      field: Flechette.field(last.name, type, last.nullable, metadata),
      column: new Flechette.Column(data, type)
    }
  })
  const fields = columns.map(({ field }) => field)
  return new Flechette.Table(
    { version: Flechette.Version.V5, endianness: Flechette.Endianness.Little, fields, metadata: null },
    columns.map(({ column }) => column)
  )
}

const typeOf = (column: Columns.AnyColumn, index: number): Flechette.DataType => {
  switch (column.type) {
    case "double":
      return Flechette.float64()
    case "time":
      return Flechette.timestamp(Flechette.TimeUnit.NANOSECOND, "UTC")
    case "integer":
      return Flechette.int64()
    case "decimal":
      return Flechette.decimal128(column.precision, column.scale)
    case "boolean":
      return Flechette.bool()
    case "word":
      return Flechette.dictionary(Flechette.utf8(), Flechette.int32(), false, index)
    case "text":
    case "json":
      return Flechette.utf8()
  }
}

const buffersOf = (column: Columns.AnyColumn) => {
  switch (column.type) {
    case "word":
      return { values: column.codes }
    case "text":
    case "json":
      return { offsets: column.offsets, values: column.bytes }
    case "decimal": {
      const { buffer, byteOffset, length } = column.values
      return { values: new BigUint64Array(buffer, byteOffset, length) }
    }
    default:
      return { values: column.values }
  }
}
