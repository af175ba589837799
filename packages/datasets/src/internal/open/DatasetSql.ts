/**
 * The past of a dataset, as SQL.
 */
import * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import * as Format from "@sluice/files/Format"
import * as Files from "@sluice/files/internal/folder/Files"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as FolderPast from "../folder/FolderPast.ts"
import * as FolderStore from "../folder/FolderStore.ts"
import * as Table from "../folder/Table.ts"
import * as Layout from "../ledger/Layout.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as Past from "../ledger/Past.ts"
import { BadDefinition, type DatasetError, NoDataset } from "../model/DatasetError.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Series } from "../model/Store.ts"
import * as Prepare from "../plan/Prepare.ts"
import * as VersionsSql from "../versions/VersionsSql.ts"

/** What a folder has at one moment, and the size that its changes have then. */
const lookAt = Effect.fnUntraced(function* (files: Files.Files, folder: string) {
  const paths = FolderStore.pathsOf(files, folder)
  for (;;) {
    const ledger = yield* FolderStore.whole(files, paths)
    if (ledger === undefined) return yield* new NoDataset({ dataset: folder })
    const path = files.join(paths.bookkeeping, Ledger.changesName(ledger.moment))
    const size = yield* files.size(path)
    const now = yield* FolderStore.whole(files, paths)
    if (size !== undefined && now?.moment === ledger.moment && now.changes === ledger.changes) {
      return { ledger, bookkeeping: paths.bookkeeping, changes: { path, size } }
    }
  }
})

/** Writes the statements of a dataset, whose records are told apart as those of a series: of its endpoint where none is given. */
export const statements = Effect.fnUntraced(function* (folder: string, name: string, given?: Series) {
  const files = yield* Files.make
  const { bookkeeping, changes, ledger } = yield* lookAt(files, folder)
  const { definition, format, layout, looked } = ledger
  const refuse = (reason: string) =>
    new BadDefinition({ endpoint: definition.endpoint, kind: "reading", setting: "sql", reason })
  const endpoint = Prepare.endpointAt(definition.endpoint)
  if (endpoint === undefined) return yield* refuse("is of an endpoint that this version does not know")
  const series = given ?? (yield* SeriesParams.make(endpoint, definition.params))
  const { entity, identity } = series
  if (definition.versions === undefined) return yield* refuse('needs a dataset that keeps versions (versions: "keep")')
  if (looked?.at === undefined) return yield* refuse("needs a sync that has ended")
  if (format.as === "csv") return yield* refuse("is for Parquet and NDJSON, and the files are CSV")
  if (identity?.length === 0) return yield* refuse("is for records that an id tells apart; read these with asOf")
  const isNdjson = format.as === "ndjson"
  const table = yield* Table.make(endpoint, definition, ledger)
  const all = yield* Format.columns(endpoint, definition.params)
  const columns = all.flatMap((column) => {
    const kept = table.columns.find((one) => one.name === column.name)
    if (kept === undefined && !isNdjson && column.name !== entity) return []
    return [{ name: column.name, type: kept?.type ?? ColumnType.of(column, { numbers: "text" }) }]
  })
  const partitions = new Map<string, number>()
  const fileOf = (within: string, entry: Ledger.FileEntry | Past.HistoryEntry): VersionsSql.PartitionFile => {
    const { entity, path, period } = entry
    const id = Layout.idOf({ entity, period })
    const partition = partitions.get(id) ?? partitions.size
    partitions.set(id, partition)
    return { path: files.join(within, path), partition, entity }
  }
  const histories = [...Past.byPartition(ledger.histories?.values() ?? []).values()].flat()
  return VersionsSql.statements({
    name,
    entity,
    identity,
    isFixed: layout.byEntity,
    isNdjson,
    columns,
    files: [...ledger.files.values()].map((entry) => fileOf(folder, entry)),
    histories: histories.map((entry) => fileOf(files.join(bookkeeping, Past.histories), entry)),
    knowing: FolderPast.knowingOf(series, ledger),
    looked: looked.at,
    changes
  })
})

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
 * After the next sync both fail, and have to be written again. So does `known_at` for a moment at which no sync had looked yet.
 *
 * **Gotchas**
 *
 * Entities that were removed are there too, and `read` with a wildcard leaves them out. CSV, tables, and series whose records only all
 * their fields tell apart, such as order books, fail with `BadDefinition`.
 */
export const sql = Effect.fn("Dataset.sql")(function* (
  folder: string,
  { name = "known_at" }: { readonly name?: string | undefined } = {}
): Effect.fn.Return<string, DatasetError, FileSystem.FileSystem | Path.Path> {
  return yield* statements(folder, name)
})
