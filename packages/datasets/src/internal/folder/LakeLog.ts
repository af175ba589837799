/**
 * Versions of a folder in a catalog of DuckLake, which alone says what there is: what a kill prevented is made by the next run.
 */
import type { ColumnType } from "@sluice/core/internal/columns/ColumnType"
import type { Files } from "@sluice/files/internal/folder/Files"
import { isObject } from "@sluice/files/internal/storage/Objects"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import type { Lake, LakeColumn, LakeVersion } from "../model/Lake.ts"
import { type Column, type File, kept, type Next, type Version, type VersionLog } from "./VersionLog.ts"

const typeOf = (type: ColumnType): string => {
  switch (type._tag) {
    case "Text":
    case "Json":
      return "varchar"
    case "Boolean":
      return "boolean"
    case "Int64":
      return "int64"
    case "Double":
      return "float64"
    case "Decimal":
      return `decimal(${type.shape.precision},${type.shape.scale})`
    case "Time":
      return "timestamptz"
  }
}

/** Bytes at the end of a Parquet file, of which the first four say how long the metadata before them is. */
const tail = 8

const versionOf = ({ at, columns, files, gone }: LakeVersion): Version => ({
  at,
  schema: JSON.stringify(columns),
  files: files.map((path) => ({ path, at })),
  gone
})

/** Begins or goes on with the table of a folder such as `closes.ducklake`, in which there are files of these names. */
export const open = Effect.fnUntraced(function* (
  files: Files,
  root: string,
  /** The column that the folders of files name; absent where files have it. */
  entity: string | undefined,
  lake: Lake,
  names: ReadonlySet<string>
) {
  const [, parent = "", name = ""] = /^(.*[/\\])([^/\\]+)$/s.exec(isObject(root) ? root : resolve(root)) ?? []
  const table = lake.open({ parent, folder: `${name}/`, table: name.replace(/\.ducklake$/, ""), entity })

  const columnsOf = (columns: ReadonlyArray<Column>): ReadonlyArray<LakeColumn> => [
    ...(entity === undefined ? [] : [{ name: entity, type: "varchar" }]),
    ...columns.map(({ name, type }) => ({ name, type: typeOf(type) }))
  ]

  const fileOf = Effect.fnUntraced(function* ({ entry, path }: File) {
    const { read } = yield* files.openAt(files.join(root, path))
    const end = yield* read(entry.bytes - tail, entry.bytes)
    const footer = new DataView(end.buffer, end.byteOffset).getUint32(0, true)
    const { bytes, first, last, rows } = entry
    return { path, entity: entity === undefined ? undefined : entry.entity, rows, bytes, footer, first, last }
  }, Effect.scoped)

  const found = yield* table.read
  // Where files are missing, the dataset was moved, or somebody has removed them: the table begins anew.
  let isLost =
    found !== undefined && [...found.files, ...found.gone.map(({ path }) => path)].some((path) => !names.has(path))
  let snapshot = found?.snapshot ?? 0
  let last = found === undefined || isLost ? undefined : versionOf(found)
  /** Whether it is not known what the catalog has: a commit has failed, or its answer was lost. */
  let isUnknown = false

  const versions: VersionLog = {
    settle: Effect.gen(function* () {
      if (!isUnknown) return last
      const found = yield* table.read
      snapshot = found?.snapshot ?? 0
      last = found === undefined || isLost ? undefined : versionOf(found)
      isUnknown = false
      return last
    }),
    schemaOf: (columns) => JSON.stringify(columnsOf(columns)),
    commit: Effect.fnUntraced(function* (next: Next) {
      const { at, removed } = next
      const added = yield* Effect.forEach(next.added, fileOf, { concurrency: 16 })
      isUnknown = true
      snapshot = yield* table.commit({
        at,
        after: snapshot,
        isLost,
        columns: columnsOf(next.columns),
        added,
        removed,
        expired: at - kept
      })
      isLost = false
      isUnknown = false
      last = next
    })
  }
  return versions
})
