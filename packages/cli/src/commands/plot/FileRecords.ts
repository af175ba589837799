/**
 * The records of a file that sluice writes, or of standard input. What the first bytes are decides how they are read.
 */
import * as Compressed from "@sluice/files/internal/format/Compressed"
import * as Csv from "@sluice/files/internal/format/Csv"
import * as Ndjson from "@sluice/files/internal/format/Ndjson"
import * as ParquetFile from "@sluice/files/internal/parquet/ParquetFile"
import * as LocalFiles from "@sluice/files/internal/storage/LocalFiles"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Predicate from "effect/Predicate"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { NotDrawable } from "./Layout.ts"

const isOf = (format: keyof typeof magic, bytes: Uint8Array) =>
  magic[format].every((byte, index) => bytes[index] === byte)

const magic = {
  parquet: [0x50, 0x41, 0x52, 0x31],
  arrow: [0x41, 0x52, 0x52, 0x4f, 0x57],
  arrows: [0xff, 0xff, 0xff, 0xff],
  gzip: [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd]
}

const unreadable = (name: string, reason: string) =>
  new NotDrawable({ reason: `${name} cannot be read: ${reason}`, drawable: [] })

/** Errors of the platform and of formats, as sentences. */
const named = (name: string) => (error: unknown) =>
  error instanceof NotDrawable
    ? error
    : unreadable(
        name,
        Predicate.hasProperty(error, "reason") && Predicate.isString(error.reason) ? error.reason : String(error)
      )

export const ofInput = Stream.unwrap(
  Effect.map(Stdio.Stdio, ({ stdin }) => Stream.mapError(ofBytes("standard input", stdin), named("standard input")))
)

export const of = (path: string) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const files = yield* LocalFiles.make
      // Other links than the last are not followed by what reads a download; here any may lead to the file.
      const file = yield* fs.realPath(path)
      if ((yield* fs.stat(file)).type !== "File") return ofBytes(path, fs.stream(file))
      const opened = yield* files.openAt(file)
      const start = yield* opened.read(0, Math.min(8, opened.size))
      const isParquet = isOf("parquet", start)
      const records: Stream.Stream<unknown, unknown> = isParquet
        ? ParquetFile.records(opened, new Set())
        : ofBytes(path, fs.stream(file))
      return records
    })
  ).pipe(Stream.mapError(named(path)))

const ofBytes = <E, R>(name: string, bytes: Stream.Stream<Uint8Array, E, R>) =>
  peeked(bytes, (start, all): Stream.Stream<unknown, unknown> => {
    if (isOf("gzip", start)) return ofText(name, Compressed.decompress(all, "gzip"))
    if (isOf("zstd", start)) {
      return Compressed.hasZstd()
        ? ofText(name, Compressed.decompress(all, "zstd"))
        : Stream.fail(unreadable(name, "zstd needs Node.js 22.15 or newer"))
    }
    if (isOf("parquet", start)) return Stream.fail(unreadable(name, "Parquet is read from its end, so name the file"))
    if (isOf("arrow", start) || isOf("arrows", start)) {
      return Stream.fail(unreadable(name, "it is Arrow; NDJSON, CSV and Parquet can be drawn"))
    }
    return ofText(name, all)
  })

/** NDJSON begins with a brace, and CSV with several names. Lines of CSV may end as those of other programs do. */
const ofText = <E, R>(name: string, bytes: Stream.Stream<Uint8Array, E, R>) =>
  peeked(bytes, (start, all): Stream.Stream<unknown, unknown, R> => {
    const text = Stream.decodeText(all)
    const begin = new TextDecoder().decode(start)
    if (/^(?:\uFEFF)?\s*\{/.test(begin)) return Ndjson.records(text)
    if (/^[^,\n]+(?:\n|$)/.test(begin)) return Stream.fail(unreadable(name, "it is neither NDJSON nor CSV nor Parquet"))
    return Csv.records(Stream.map(Stream.splitLines(text), (line) => `${line}\r\n`))
  })

/** Looks at the first chunk that has bytes, which stays in the stream. */
const peeked = <E, R, B, E2, R2>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  use: (start: Uint8Array, all: Stream.Stream<Uint8Array, E>) => Stream.Stream<B, E2, R2>
) =>
  Stream.unwrap(
    Effect.map(
      Stream.peel(
        Stream.filter(bytes, ({ length }) => length > 0),
        Sink.take<Uint8Array>(1)
      ),
      ([[start = new Uint8Array()], rest]) => use(start, Stream.concat(Stream.make(start), rest))
    )
  )
