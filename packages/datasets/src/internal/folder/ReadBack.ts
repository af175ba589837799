/**
 * Reads a file of a dataset back, as records that the same format writes in the same way.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as LazyLines from "@sluice/core/internal/columns/LazyLines"
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Format from "@sluice/files/Format"
import type { Files, FilesError, RandomAccess } from "@sluice/files/internal/folder/Files"
import * as Compressed from "@sluice/files/internal/format/Compressed"
import * as Csv from "@sluice/files/internal/format/Csv"
import type { Unreadable } from "@sluice/core/internal/columns/FormatError"
import * as Ndjson from "@sluice/files/internal/format/Ndjson"
import * as ParquetFile from "@sluice/files/internal/parquet/ParquetFile"
import * as Moment from "../model/Moment.ts"
import type { Time } from "../model/Store.ts"

/** Bytes that are read at a time. */
const pieceSize = 1_048_576

/** Pieces in memory: one that is used, one that waits, one that was read, and one that is being read. */
const atOnce = 4

/** What is read. Others may come with it, that share a row group with it. */
export interface Times {
  readonly from: Time | undefined
  readonly to: Time | undefined
  /** The entity that alone is read, and the field that names it, of a file that entities share. */
  readonly entity?: { readonly field: string; readonly name: string } | undefined
}

/**
 * Reads the records of a file in arrays. `json` names the columns that hold JSON. Of Parquet only row groups are read that may have
 * some of this. `check` is done when the file is open: what it is then, it stays.
 */
export const records = <E = never>(
  files: Files,
  path: string,
  format: Format.Options,
  json: ReadonlySet<string>,
  times?: Times,
  check: Effect.Effect<void, E> = Effect.void
): Stream.Stream<unknown, E | FilesError | Unreadable> =>
  Stream.unwrap(
    Effect.map(Effect.tap(files.openAt(path), check), (file): Stream.Stream<unknown, FilesError | Unreadable> => {
      if (format.as === "parquet") return ParquetFile.records(file, json, times && mayHave(times))
      const text = Stream.decodeText(bytesOf(file, format))
      return format.as === "csv" ? Csv.records(text, format) : Ndjson.records(text)
    })
  )

export type { Page } from "@sluice/files/internal/parquet/ParquetFile"

/** What columns are made of: records, or a page that has them. */
export type Chunk = ReadonlyArray<unknown> | ParquetFile.Page

/** Tells records from a page. */
export const isRecords = (chunk: Chunk): chunk is ReadonlyArray<unknown> => Array.isArray(chunk)

/** What tells the fields of records. */
interface Fields {
  readonly endpoint: Endpoint.Any
  readonly params: Schema.JsonObject
  /** The columns that hold JSON, and those that are read where a file has columns. */
  readonly json: ReadonlySet<string>
  readonly names: ReadonlySet<string>
}

/** Does the same for columns: of NDJSON and CSV in arrays of records, lazy ones of NDJSON, of Parquet in pages. Each is valid until the next is pulled. */
export const chunks = <E = never>(
  files: Files,
  path: string,
  format: Format.Options,
  { endpoint, json, names, params }: Fields,
  times: Times,
  check: Effect.Effect<void, E> = Effect.void
): Stream.Stream<Chunk, E | FilesError | Unreadable> =>
  Stream.unwrap(
    Effect.map(Effect.tap(files.openAt(path), check), (file): Stream.Stream<Chunk, FilesError | Unreadable> => {
      if (format.as === "parquet") return ParquetFile.pages(file, json, mayHave(times), names)
      const bytes = bytesOf(file, format)
      const records =
        format.as === "csv" ? Csv.records(Stream.decodeText(bytes), format) : LazyLines.records(endpoint, params, bytes)
      return Stream.mapArray(records, (some): Arr.NonEmptyReadonlyArray<Chunk> => [some])
    })
  )

/** The rows of a file of Parquet, a page at a time, each made when it is read. */
export const rows = (files: Files, path: string, json: ReadonlySet<string>) =>
  Stream.unwrap(Effect.map(files.openAt(path), (file) => ParquetFile.pages(file, json))).pipe(
    Stream.mapEffect((page) => Effect.fromResult(ParquetFile.rowsOf(page)))
  )

/** The bytes of a text file, without compression. Each piece is valid until the next is pulled. */
export const bytesOf = (file: RandomAccess, { compression }: Format.Options) =>
  compression === undefined ? piecesOf(file, true) : Compressed.decompress(piecesOf(file), compression)

/** Whether a row group may have some of these times, and records of the entity. */
const mayHave =
  ({ entity, from, to }: Times): ParquetFile.MayHave =>
  (boundsOf) => {
    const [first, last] = boundsOf("time")
    if (to !== undefined && first instanceof Date && first.getTime() - 1 > Moment.millisOf(to)) return false
    if (from !== undefined && last instanceof Date && last.getTime() + 1 < Moment.millisOf(from)) return false
    if (entity === undefined) return true
    const [least, greatest] = boundsOf(entity.field)
    if (!Predicate.isString(least) || !Predicate.isString(greatest)) return true
    // The bounds are of texts as their bytes.
    const [own, lower, upper] = [entity.name, least, greatest].map((text) => Buffer.from(text))
    return Buffer.compare(own!, lower!) >= 0 && Buffer.compare(own!, upper!) <= 0
  }

/** The bytes of a file that is open, a piece at a time. With `reuse` each is valid until the next is pulled. */
export const piecesOf = ({ read, size }: RandomAccess, reuse = false) =>
  Stream.suspend(() => {
    const memory = reuse ? Array.from({ length: atOnce }, () => new Uint8Array(Math.min(size, pieceSize))) : []
    return Stream.range(0, Math.ceil(size / pieceSize) - 1).pipe(
      Stream.rechunk(1),
      Stream.mapEffect((index) =>
        read(index * pieceSize, Math.min(size, (index + 1) * pieceSize), memory[index % atOnce])
      ),
      // The next pieces are read while one is used: the time of a read is most of that of a bucket, and a tenth of that of a disk.
      Stream.bufferArray({ capacity: 1 })
    )
  })

/** The bytes that a file has compressed with gzip. */
export const decompressed = (files: Files, path: string) =>
  Stream.unwrap(Effect.map(files.openAt(path), (file) => Compressed.decompress(piecesOf(file), "gzip")))
