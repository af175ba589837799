/**
 * Records as the bytes of a file: NDJSON, CSV or Parquet, compressed or not.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Columns from "./formats/Columns.ts"
import * as Csv from "./formats/Csv.ts"
import { BadFormat, type Unwritable } from "./formats/FormatError.ts"
import * as Ndjson from "./formats/Ndjson.ts"
import type { Writing } from "./formats/Writing.ts"

export { type Column, type Kind } from "./formats/Columns.ts"
export { BadFormat, FormatError, Unwritable } from "./formats/FormatError.ts"

/** A format: newline-delimited JSON, comma-separated values, or Apache Parquet. */
export const Name = Schema.Literals(["ndjson", "csv", "parquet"])
export type Name = typeof Name.Type

/** How bytes are compressed. */
export const Compression = Schema.Literals(["gzip", "zstd"])
export type Compression = typeof Compression.Type

/** How records are written; plain data, so that it can be kept beside the file. */
export const Options = Schema.Struct({
  as: Name,
  /**
   * Compresses the file; of Parquet, the pages inside it, which are in Snappy when absent. `zstd` needs Node.js 22.15 or
   * newer.
   */
  compression: Schema.optional(Compression),
  /** Of Parquet: writes decimals as `DECIMAL` of so many digits, `scale` of them after the point, instead of text. */
  decimal: Schema.optional(Schema.Struct({ precision: Schema.Int, scale: Schema.Int })),
  /** Of CSV and Parquet: the columns wanted, in the order wanted; all of {@link columns} when absent. */
  columns: Schema.optional(Schema.Array(Schema.String))
})
export interface Options extends Schema.Schema.Type<typeof Options> {}

/** Turns the records of one file into its bytes. */
export type Encoder = <E, R>(records: Stream.Stream<unknown, E, R>) => Stream.Stream<Uint8Array, E | Unwritable, R>

/**
 * Tells the columns that CSV and Parquet have for these parameters.
 *
 * **Details**
 *
 * They follow from the interface and the parameters, never from the data: first what names a record (`asset`, `time`),
 * then the fields in the order of the interface, metrics in the order asked for, last the review status of each metric.
 */
export const columns = (endpoint: Endpoint.Info, params: object) => Effect.fromResult(Columns.of(endpoint, params))

/** The end of a file's name: `.ndjson`, `.csv.gz`, `.parquet`. */
export const extension = ({ as, compression }: Options): string =>
  as === "parquet" || compression === undefined ? `.${as}` : `.${as}${compression === "gzip" ? ".gz" : ".zst"}`

/**
 * Builds what turns records of an endpoint into the bytes of a file.
 *
 * **Details**
 *
 * The same records give the same bytes, however they come in batches.
 *
 * Fails with {@link BadFormat} where the options do not fit the format or the parameters leave the columns open.
 */
export const encode = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: object, options: Options) {
  const begin = yield* writingOf(endpoint, params, options)
  const encoder: Encoder = (records) =>
    Stream.suspend(() => {
      const file = begin()
      return records.pipe(
        Stream.mapAccumArrayEffect(
          () => file,
          (file, batch) => Effect.fromResult(Result.map(file.write(batch), (bytes) => [file, bytes] as const))
        ),
        Stream.concat(Stream.suspend(() => Stream.fromIterable(file.end())))
      )
    })
  return encoder
})

const writingOf = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: object, options: Options) {
  if (options.as === "ndjson") return Ndjson.make
  const columns = yield* Effect.fromResult(Columns.of(endpoint, params, options.columns))
  if (options.as === "csv") return (): Writing => Csv.make(columns)
  return yield* new BadFormat({ option: "as", reason: "parquet is not written yet" })
})
