/**
 * The bytes of a file, a piece at a time.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Files, RandomAccess } from "@sluice/files/internal/folder/Files"
import * as Compressed from "@sluice/files/internal/format/Compressed"

/** Bytes that are read at a time. */
const size = 1_048_576

/** Reads a file that is open. */
export const of = (file: RandomAccess) =>
  Stream.range(0, Math.ceil(file.size / size) - 1).pipe(
    Stream.rechunk(1),
    Stream.mapEffect((index) => file.read(index * size, Math.min(file.size, (index + 1) * size)))
  )

/** Reads a file that is compressed with gzip. */
export const decompressed = (files: Files, path: string) =>
  Stream.unwrap(Effect.map(files.openAt(path), (file) => Compressed.decompress(of(file), "gzip")))
