/**
 * Reads a file whose records a change replaces or keeps. Of a file of lines only few records are built.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Unreadable } from "@sluice/core/internal/columns/FormatError"
import type * as Format from "@sluice/files/Format"
import type { Files, FilesError } from "@sluice/files/internal/folder/Files"
import * as Compressed from "@sluice/files/internal/format/Compressed"
import * as HeldLines from "../versions/HeldLines.ts"
import * as ReadBack from "./ReadBack.ts"

/** Reads the records of a file that is as it was written. `json` names the columns that hold JSON. */
export const records = (
  files: Files,
  path: string,
  format: Format.Options,
  json: ReadonlySet<string>
): Stream.Stream<unknown, FilesError | Unreadable> => {
  const { as, compression } = format
  if (as !== "ndjson") return ReadBack.records(files, path, format, json)
  const bytes = Effect.map(files.openAt(path), ReadBack.piecesOf)
  const plain = Stream.unwrap(
    compression === undefined ? bytes : Effect.map(bytes, (pieces) => Compressed.decompress(pieces, compression))
  )
  // Type boundary: there are as many records as lines.
  return Stream.mapArray(
    Stream.splitLines(Stream.decodeText(plain)),
    (lines) => HeldLines.make(lines) as Arr.NonEmptyReadonlyArray<unknown>
  )
}
