/**
 * Files of records, read back as streams, and folders made ready for new ones.
 */
import { Effect, FileSystem, Path, type Schema, Stream } from "effect"
import { Csv, Ndjson } from "effect/encoding"

const open = (path: string) => Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(path)))

/** Reads a file of one JSON object a line. */
export const readNdjson = <S extends Schema.Constraint>(path: string, schema: S) =>
  open(path).pipe(Stream.decodeText(), Stream.pipeThroughChannel(Ndjson.decodeSchemaString(schema)()))

/** Reads a table with a header; an empty cell of an optional field is an absent one. */
export const readCsv = <S extends Schema.Constraint>(path: string, schema: S) =>
  open(path).pipe(Stream.pipeThroughChannel(Csv.decodeSchema(schema)({ headers: true })))

/** Removes the download that an earlier run has left in a folder: a finished one would not be downloaded again. */
export const forget = Effect.fn("Files.forget")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  // Whatever else has this name is not ours to remove.
  if (yield* fs.exists(join(folder, ".sluice"))) yield* fs.remove(folder, { recursive: true })
})
