/**
 * The past of a dataset, as SQL.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as FolderSql from "../folder/FolderSql.ts"
import { BadDefinition, type HeldError, NoDataset } from "../model/DatasetError.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import * as Prepare from "../plan/Prepare.ts"
import * as Open from "./Open.ts"

/**
 * Writes SQL for DuckDB, in which the folder of a dataset that keeps versions answers as of a moment.
 *
 * **Example** (Asking for prices as they were known on a morning)
 *
 * ```ts
 * const prices = Dataset.sql("closes").pipe(
 *   Effect.map((sql) => `${sql} FROM known_at('2026-10-05T06:00:00Z') WHERE asset = 'btc'`)
 * )
 * ```
 *
 * **Details**
 *
 * `known_at(moment)` gives the records that {@link read} gives with `asOf`, of all entities and metrics that are held, in no order, and
 * `known_at_versions` all that were ever held, each with `known_from` and `known_until`. `name` is another name than `known_at`. Nothing is
 * copied: both read the files of the folder, by the path that is given here. Of NDJSON numbers are text.
 *
 * After the next sync both fail, some with the "No files found" of DuckDB, and have to be written again. So does `known_at` for a moment at which no sync had looked yet.
 *
 * **Gotchas**
 *
 * Entities that were removed are there too, and `read` with a wildcard leaves them out. CSV, tables, lists, and series whose records only
 * all their fields tell apart, such as order books, fail with `BadDefinition`. So do folders in buckets: by the size of the file that grows
 * with each change the SQL notices a sync, and there each change is an object of its own.
 */
export const sql = Effect.fn("Dataset.sql")(function* (
  folder: string,
  { name = "known_at" }: { readonly name?: string | undefined } = {}
): Effect.fn.Return<string, HeldError, FileSystem.FileSystem | Path.Path> {
  const store = yield* Open.storeOf({ to: folder })
  const definition = (yield* store.look)?.definition
  if (definition === undefined) return yield* new NoDataset({ dataset: folder, kind: "reading" })
  const { endpoint: path, params } = definition
  const endpoint = Prepare.endpointAt(path)
  if (endpoint === undefined) {
    return yield* new BadDefinition({ endpoint: path, setting: "endpoint", reason: "is none that this version knows" })
  }
  return yield* FolderSql.statements(folder, name, yield* SeriesParams.make(endpoint, params))
})
