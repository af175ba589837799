/**
 * Writes the past of a folder as SQL.
 */
import * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import * as Format from "@sluice/files/Format"
import * as Files from "@sluice/files/internal/folder/Files"
import { isObject } from "@sluice/files/internal/storage/Objects"
import * as Effect from "effect/Effect"
import * as Layout from "../ledger/Layout.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as Past from "../ledger/Past.ts"
import { BadDefinition, NoDataset } from "../model/DatasetError.ts"
import type { Series } from "../model/Store.ts"
import * as VersionsSql from "../versions/VersionsSql.ts"
import * as FolderPast from "./FolderPast.ts"
import * as Look from "./Look.ts"
import * as Table from "./Table.ts"

/** What a folder has at one moment, and the size that its changes have then. */
const lookAt = Effect.fnUntraced(function* (files: Files.Files, folder: string) {
  const paths = Look.pathsOf(files, folder)
  for (;;) {
    const ledger = yield* Look.whole(files, paths)
    if (ledger === undefined) return yield* new NoDataset({ dataset: folder })
    const path = files.join(paths.bookkeeping, Ledger.changesName(ledger.moment))
    const size = yield* files.size(path)
    const now = yield* Look.whole(files, paths)
    if (size !== undefined && now?.moment === ledger.moment && now.changes === ledger.changes) {
      return { ledger, bookkeeping: paths.bookkeeping, changes: { path, size } }
    }
  }
})

/** Writes the statements of a dataset, whose records are told apart as those of a series. */
export const statements = Effect.fnUntraced(function* (folder: string, name: string, series: Series) {
  const files = yield* Files.make
  const { bookkeeping, changes, ledger } = yield* lookAt(files, folder)
  const { definition, format, layout, looked } = ledger
  const refuse = (reason: string) =>
    new BadDefinition({ endpoint: definition.endpoint, kind: "reading", setting: "sql", reason })
  const { endpoint, entity, identity } = series
  if (isObject(folder)) return yield* refuse("is for folders of a disk, and this one is in a bucket; read it with asOf")
  if (definition.versions === undefined) return yield* refuse('needs a dataset that keeps versions (versions: "keep")')
  const synced = Past.syncedOf(looked)
  if (synced === undefined) return yield* refuse("needs a sync that has ended")
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
    compression: format.compression,
    columns,
    files: [...ledger.files.values()].map((entry) => fileOf(folder, entry)),
    histories: histories.map((entry) => fileOf(files.join(bookkeeping, Past.histories), entry)),
    knowing: FolderPast.knowingOf(series, ledger),
    looked: synced,
    changes
  })
})
