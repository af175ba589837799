/**
 * Reads a file whose records a change replaces or keeps. Of lines and of Parquet only few records are built.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Unreadable } from "@sluice/core/internal/columns/FormatError"
import type * as Format from "@sluice/files/Format"
import type { Files, FilesError } from "@sluice/files/internal/folder/Files"
import { FileChanged } from "@sluice/files/internal/folder/FolderError"
import * as LazyRows from "@sluice/files/internal/format/LazyRows"
import type * as Ledger from "../ledger/Ledger.ts"
import type { StoreError } from "../model/DatasetError.ts"
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
  const { as } = format
  if (as === "csv") return ReadBack.records(files, path, format, json)
  if (as === "parquet") return LazyRows.ofPages(ReadBack.rows(files, path, json))
  return LazyRows.ofLines(Stream.unwrap(Effect.map(files.openAt(path), (file) => ReadBack.bytesOf(file, format))))
}
