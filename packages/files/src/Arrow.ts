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
  const last = all.at(-1) ?? []
  const { schema } = Flechette.tableFromIPC(Ipc.make("stream").begin(last))
  const columns = schema.fields.map(({ type }, index) => {
    const Made = Flechette.batchType(type, { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true })
    // A word keeps its code in all batches, and the last has all words.
    const column = last[index]!
    const words =
      column.type === "word" && "dictionary" in type
        ? Flechette.columnFromArray([...column.words], type.dictionary)
        : undefined
    const data = all.map((columns) => {
      const { length, nulls } = columns[index]!
      // Flechette writes only tables whose buffers are all there.
      const [validity = new Uint8Array(0), ...others] = Ipc.buffersOf(columns[index]!)
      const [own, offsets] = others.toReversed()
      const values = column.type === "decimal" ? new BigUint64Array(own!.buffer, own!.byteOffset, 2 * length) : own
      const made = new Made({ length, nullCount: nulls, type, validity, offsets, values })
      return words === undefined ? made : made.setDictionary(words)
    })
    return new Flechette.Column(data, type)
  })
  return new Flechette.Table(schema, columns)
}
