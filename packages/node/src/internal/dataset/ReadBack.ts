/**
 * Reads a file of a dataset back, as records that the same format writes in the same way.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
// As a namespace: Zstandard came with Node.js 22.15, and an older one would reject an import of its name.
import * as Zlib from "node:zlib"
import type * as Format from "../../Format.ts"
import type { Files, FilesError, RandomAccess } from "../folder/Files.ts"
import * as ParquetFile from "../parquet/ParquetFile.ts"
import * as CsvText from "./CsvText.ts"

/** A file that is not what was written. */
export class Unreadable extends Data.TaggedError("Unreadable")<{ readonly reason: string }> {}

/** Bytes that are read at a time. */
const pieceSize = 1_048_576

/** Reads the records of a file in arrays. `json` names the columns that hold JSON. */
export const records = (
  files: Files,
  path: string,
  { as, compression, guardFormulas }: Format.Options,
  json: ReadonlySet<string>
): Stream.Stream<unknown, FilesError | Unreadable> =>
  Stream.unwrap(
    Effect.map(files.openAt(path), (file): Stream.Stream<unknown, FilesError | Unreadable> => {
      if (as === "parquet") {
        const read = ParquetFile.records(file, json)
        return Stream.mapError(read, (error) => (error._tag === "NotParquet" ? new Unreadable(error) : error))
      }
      const text = Stream.decodeText(decompressed(piecesOf(file), compression))
      return as === "csv" ? ofCsv(text, guardFormulas) : ofLines(text)
    })
  )

const piecesOf = ({ read, size }: RandomAccess) =>
  Stream.range(0, Math.ceil(size / pieceSize) - 1).pipe(
    Stream.rechunk(1),
    Stream.mapEffect((index) => read(index * pieceSize, Math.min(size, (index + 1) * pieceSize)))
  )

const decompressed = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  compression: Format.Compression | undefined
): Stream.Stream<Uint8Array, E | Unreadable> =>
  compression === undefined
    ? bytes
    : NodeStream.pipeThroughDuplex(bytes, {
        evaluate: () => (compression === "gzip" ? Zlib.createGunzip() : Zlib.createZstdDecompress()),
        onError: () => new Unreadable({ reason: "it cannot be decompressed" })
      })

const ofCsv = <E>(text: Stream.Stream<string, E>, guardFormulas?: boolean): Stream.Stream<unknown, E> =>
  Stream.suspend(() => {
    const reader = CsvText.make(guardFormulas)
    return Stream.flatMap(text, (piece) => Stream.fromArray(reader.read(piece)))
  })

const parse = Schema.decodeUnknownResult(Schema.Array(Schema.fromJsonString(Schema.Unknown)))

const ofLines = <E>(text: Stream.Stream<string, E>): Stream.Stream<unknown, E | Unreadable> =>
  Stream.mapArrayEffect(Stream.splitLines(text), (lines) => {
    const records = parse(lines)
    return Result.isSuccess(records) && Arr.isReadonlyArrayNonEmpty(records.success)
      ? Effect.succeed(records.success)
      : Effect.fail(new Unreadable({ reason: "a line is not JSON" }))
  })
