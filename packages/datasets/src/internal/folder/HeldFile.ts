/**
 * Reads a file whose records a change replaces or keeps. Of a file of lines only few records are built.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Unreadable } from "@sluice/core/internal/columns/FormatError"
import type * as Format from "@sluice/files/Format"
import type { Files, FilesError } from "@sluice/files/internal/folder/Files"
import { FileChanged } from "@sluice/files/internal/folder/FolderError"
import * as Compressed from "@sluice/files/internal/format/Compressed"
import type * as Ledger from "../ledger/Ledger.ts"
import type { StoreError } from "../model/DatasetError.ts"
import * as HeldLines from "../versions/HeldLines.ts"
import * as FolderVerify from "./FolderVerify.ts"
import * as ReadBack from "./ReadBack.ts"

/** Reads a file that is as it was written: the records of another would get a checksum that says so. */
export const checked = (
  files: Files,
  folder: string,
  { path, sha256 }: Ledger.FileEntry,
  format: Format.Options,
  json: ReadonlySet<string>
): Stream.Stream<unknown, StoreError> => {
  const file = files.join(folder, path)
  const changed = (reason: string) => new FileChanged({ folder, file: path, reason })
  const read = Stream.mapError(records(files, file, format, json), (error): StoreError =>
    error._tag === "Unreadable" ? changed(error.reason) : error
  )
  return Stream.unwrap(
    Effect.map(FolderVerify.checksumOf(files, file), (found) =>
      found === sha256 ? read : Stream.fail(changed(FolderVerify.differs))
    )
  )
}

/** `json` names the columns that hold JSON. */
const records = (
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
