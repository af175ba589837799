/**
 * Files of records: written under another name until they are complete, and read back as streams.
 */
import { Effect, FileSystem, Path, Record, type Schema, Stream } from "effect"
import { Csv, Ndjson } from "effect/encoding"

/**
 * Writes bytes to a file that has its name only once it is complete: until then it is `path.part`, and is removed when
 * the stream fails or is interrupted.
 */
const write = Effect.fn("Files.write")(function* <E, R>(path: string, bytes: Stream.Stream<Uint8Array, E, R>) {
  const fs = yield* FileSystem.FileSystem
  const part = `${path}.part`
  yield* fs.makeDirectory((yield* Path.Path).dirname(path), { recursive: true })
  yield* Stream.run(bytes, fs.sink(part)).pipe(
    Effect.andThen(fs.rename(part, path)),
    Effect.onError(() => Effect.ignore(fs.remove(part, { force: true })))
  )
})

/** Writes one JSON object a line. */
export const writeNdjson = <A, E, R>(path: string, records: Stream.Stream<A, E, R>) =>
  write(path, Stream.pipeThroughChannel(records, Ndjson.encode()))

/** A record as a table has it: text, or nothing. */
export interface Cells {
  readonly [column: string]: string | null | undefined
}

/** Writes a table with a header; a value that is null or absent leaves its cell empty. */
export const writeCsv = <E, R>(path: string, columns: ReadonlyArray<string>, records: Stream.Stream<Cells, E, R>) =>
  records.pipe(
    Stream.map(Record.map((cell) => cell ?? undefined)),
    Stream.pipeThroughChannel(Csv.encode({ columns, headers: true, newline: "\n" })),
    (bytes) => write(path, bytes)
  )

const open = (path: string) => Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(path)))

/** Reads a file of one JSON object a line. */
export const readNdjson = <S extends Schema.Constraint>(path: string, schema: S) =>
  open(path).pipe(Stream.decodeText(), Stream.pipeThroughChannel(Ndjson.decodeSchemaString(schema)()))

/** Reads a table with a header; an empty cell of an optional field is an absent one. */
export const readCsv = <S extends Schema.Constraint>(path: string, schema: S) =>
  open(path).pipe(Stream.pipeThroughChannel(Csv.decodeSchema(schema)({ headers: true })))
