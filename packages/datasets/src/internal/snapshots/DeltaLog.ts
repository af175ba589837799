/**
 * The transaction log of a Delta table, as text: the actions of a version, and all of them together as a checkpoint.
 *
 * Source: the Delta transaction log protocol, of readers of version 1 and writers of version 2, which every reader knows.
 */
import type { ColumnType } from "@sluice/core/internal/columns/ColumnType"
import * as NestedFile from "@sluice/files/internal/parquet/NestedFile"
import * as Moment from "../model/Moment.ts"
import type { Column, File, Named as Gone, Next } from "../model/VersionLog.ts"

/** What every version of a table has alike. */
export interface Table {
  readonly id: string
  /** When it began, in milliseconds since 1970. */
  readonly created: number
  /** {@link schemaOf} its columns. */
  readonly schema: string
  /** The column that the folders of the dataset name; absent where files have it. */
  readonly entity: string | undefined
}

const types = {
  Text: "string",
  Json: "string",
  Boolean: "boolean",
  Int64: "long",
  Double: "double",
  Time: "timestamp"
} as const

const typeOf = (type: ColumnType): string =>
  type._tag === "Decimal" ? `decimal(${type.shape.precision},${type.shape.scale})` : types[type._tag]

/** The schema of columns, as the log has it. A column that the folders name comes first. */
export const schemaOf = (columns: ReadonlyArray<Column>, entity: string | undefined): string => {
  const all = [...(entity === undefined ? [] : [{ name: entity, type: { _tag: "Text" } as const }]), ...columns]
  return JSON.stringify({
    type: "struct",
    fields: all.map(({ name, type }) => ({ name, type: typeOf(type), nullable: true, metadata: {} }))
  })
}

const protocol = { minReaderVersion: 1, minWriterVersion: 2 }

const metaDataOf = ({ created, entity, id, schema }: Table) => ({
  id,
  format: { provider: "parquet", options: {} },
  schemaString: schema,
  partitionColumns: entity === undefined ? [] : [entity],
  configuration: {},
  createdTime: created
})

/** Bounds of the times of a file, in the milliseconds that readers compare. */
const statsOf = ({ first, last, rows }: File["entry"]): string => {
  const end = Moment.floor(last) === last ? last : Moment.nextMilli(last)
  const [from, to] = [Moment.floor(first), end].map((time) => `${time.slice(0, 23)}Z`)
  return JSON.stringify({
    numRecords: rows,
    minValues: { time: from },
    maxValues: { time: to },
    nullCount: { time: 0 }
  })
}

const partitionOf = (entity: string | undefined, values: File["entry"]): Readonly<Record<string, string>> =>
  entity === undefined || values.entity === undefined ? {} : { [entity]: values.entity }

const addOf = ({ entity }: Table, { at, entry, path }: File, dataChange: boolean) => ({
  path,
  partitionValues: partitionOf(entity, entry),
  size: entry.bytes,
  modificationTime: at,
  dataChange,
  stats: statsOf(entry)
})

const removeOf = ({ at, path }: Gone, dataChange: boolean) => ({ path, deletionTimestamp: at, dataChange })

/** What changes with a version. Columns of the first one are others than before. */
export interface Version extends Pick<Next, "at" | "added" | "removed" | "isOther" | "isRewrite"> {
  readonly isFirst: boolean
}

/** The actions of a version, one a line. */
export const commitOf = (table: Table, { added, at, isFirst, isOther, isRewrite, removed }: Version): string => {
  const operation = isRewrite ? "OPTIMIZE" : "WRITE"
  const actions = [
    { commitInfo: { timestamp: at, operation, operationParameters: {}, engineInfo: "sluice" } },
    ...(isFirst ? [{ protocol }] : []),
    ...(isOther ? [{ metaData: metaDataOf(table) }] : []),
    ...removed.map((path) => ({ remove: removeOf({ path, at }, !isRewrite) })),
    ...added.map((file) => ({ add: addOf(table, file, !isRewrite) }))
  ]
  return actions.map((action) => `${JSON.stringify(action)}\n`).join("")
}

const digits = 20

const numbered = (version: number) => String(version).padStart(digits, "0")

/** The name of the file of a version. */
export const commitName = (version: number) => `${numbered(version)}.json`

/** The name of the checkpoint of a version. */
export const checkpointName = (version: number) => `${numbered(version)}.checkpoint.parquet`

/** A file of the log. */
export interface Named {
  readonly name: string
  readonly version: number
  readonly isCheckpoint: boolean
}

/** What the name of a file of the log says; nothing of other files. */
export const versionOf = (name: string): ReadonlyArray<Named> => {
  const [, version, checkpoint] = /^(\d{20})(\.checkpoint\.parquet|\.json)$/.exec(name) ?? []
  return version === undefined ? [] : [{ name, version: Number(version), isCheckpoint: checkpoint !== ".json" }]
}

/** The name of the file that says which checkpoint is the last. */
export const lastName = "_last_checkpoint"

const text = (name: string): NestedFile.SchemaElement => ({
  name,
  type: "BYTE_ARRAY",
  converted_type: "UTF8",
  repetition_type: "OPTIONAL"
})
const long = (name: string): NestedFile.SchemaElement => ({ name, type: "INT64", repetition_type: "OPTIONAL" })
const int = (name: string): NestedFile.SchemaElement => ({ name, type: "INT32", repetition_type: "OPTIONAL" })
const flag = (name: string): NestedFile.SchemaElement => ({ name, type: "BOOLEAN", repetition_type: "OPTIONAL" })
const group = (name: string, count: number): NestedFile.SchemaElement => ({
  name,
  num_children: count,
  repetition_type: "OPTIONAL"
})
const map = (name: string): ReadonlyArray<NestedFile.SchemaElement> => [
  { ...group(name, 1), converted_type: "MAP" },
  { name: "key_value", num_children: 2, repetition_type: "REPEATED" },
  { ...text("key"), repetition_type: "REQUIRED" },
  text("value")
]
const list = (name: string): ReadonlyArray<NestedFile.SchemaElement> => [
  { ...group(name, 1), converted_type: "LIST" },
  { name: "list", num_children: 1, repetition_type: "REPEATED" },
  text("element")
]

const checkpointSchema: ReadonlyArray<NestedFile.SchemaElement> = [
  { name: "root", num_children: 4 },
  group("protocol", 2),
  int("minReaderVersion"),
  int("minWriterVersion"),
  group("metaData", 6),
  text("id"),
  group("format", 2),
  text("provider"),
  ...map("options"),
  text("schemaString"),
  ...list("partitionColumns"),
  ...map("configuration"),
  long("createdTime"),
  group("add", 6),
  text("path"),
  ...map("partitionValues"),
  long("size"),
  long("modificationTime"),
  flag("dataChange"),
  text("stats"),
  group("remove", 3),
  text("path"),
  long("deletionTimestamp"),
  flag("dataChange")
]

/** A row of a checkpoint has whole numbers of 64 bits as such, and nothing but one action. */
const longs = new Set(["createdTime", "size", "modificationTime", "deletionTimestamp"])
const withLongs = (value: object) =>
  Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [name, longs.has(name) ? BigInt(Number(one)) : one])
  )

/** All files of a version, and those that went lately, as a file that readers begin with. */
export const checkpointOf = (table: Table, files: ReadonlyArray<File>, gone: ReadonlyArray<Gone>) => {
  const rows = [
    { protocol },
    { metaData: withLongs(metaDataOf(table)) },
    ...files.map((file) => ({ add: withLongs(addOf(table, file, false)) })),
    ...gone.map((file) => ({ remove: withLongs(removeOf(file, false)) }))
  ]
  const columns = ["protocol", "metaData", "add", "remove"]
  return { bytes: NestedFile.write(checkpointSchema, columns, rows), size: rows.length }
}
