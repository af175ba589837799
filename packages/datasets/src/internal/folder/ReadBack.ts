/**
 * Reads a file of a dataset back, as records that the same format writes in the same way.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Format from "@sluice/files/Format"
import type { Files, FilesError } from "@sluice/files/internal/folder/Files"
import * as Compressed from "@sluice/files/internal/format/Compressed"
import * as Csv from "@sluice/files/internal/format/Csv"
import type { Unreadable } from "@sluice/core/internal/columns/FormatError"
import * as Ndjson from "@sluice/files/internal/format/Ndjson"
import * as ParquetFile from "@sluice/files/internal/parquet/ParquetFile"
import * as Moment from "../model/Moment.ts"
import * as Pieces from "./Pieces.ts"
import type { Time } from "../model/Store.ts"

/** Times that are read; of a file that others share a row group with, others may come with them. */
export interface Times {
  readonly from: Time | undefined
  readonly to: Time | undefined
}

/**
 * Reads the records of a file in arrays. `json` names the columns that hold JSON. Of Parquet only row groups are read that may have
 * some of these times.
 */
export const records = (
  files: Files,
  path: string,
  format: Format.Options,
  json: ReadonlySet<string>,
  times?: Times
): Stream.Stream<unknown, FilesError | Unreadable> =>
  Stream.unwrap(
    Effect.map(files.openAt(path), (file): Stream.Stream<unknown, FilesError | Unreadable> => {
      const { as, compression } = format
      if (as === "parquet") return ParquetFile.records(file, json, times && mayHave(times))
      const bytes = compression === undefined ? Pieces.of(file) : Compressed.decompress(Pieces.of(file), compression)
      const text = Stream.decodeText(bytes)
      return as === "csv" ? Csv.records(text, format) : Ndjson.records(text)
    })
  )

/** Whether a row group may have some of these times. The bounds are of whole milliseconds, the last one rounded down. */
const mayHave =
  ({ from, to }: Times) =>
  (first: number, last: number): boolean =>
    (from === undefined || last + 1 >= Moment.millisOf(from)) && (to === undefined || first - 1 <= Moment.millisOf(to))
