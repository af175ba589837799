/**
 * Reads a Delta table as its protocol says, by DuckDB alone: the log as JSON and as Parquet, and the files of a version.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Duck from "../../../files/test/formats/Duck.ts"

interface Action {
  readonly commitInfo?: { readonly operation: string } | null
  readonly protocol?: { readonly minReaderVersion: number } | null
  readonly metaData?: {
    readonly id: string
    readonly schemaString: string
    readonly partitionColumns: ReadonlyArray<string>
  } | null
  readonly add?: {
    readonly path: string
    readonly size: number | string
    readonly partitionValues: Readonly<Record<string, string>>
    readonly stats: string
    readonly dataChange: boolean
  } | null
  readonly remove?: { readonly path: string; readonly dataChange: boolean } | null
}

/** A version of a table. */
export interface Version {
  readonly version: number
  readonly protocol: Action["protocol"]
  readonly metaData: NonNullable<Action["metaData"]>
  readonly files: ReadonlyMap<string, NonNullable<Action["add"]>>
}

const numbered = (version: number) => String(version).padStart(20, "0")

/** The versions of which the log has a file, in order. */
export const versions = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* fs.readDirectory(`${root}/_delta_log`)
  return names
    .flatMap((name) => (/^\d{20}\.json$/.test(name) ? [Number(name.slice(0, 20))] : []))
    .toSorted((a, b) => a - b)
})

/** The actions of a version. */
export const commit = Effect.fnUntraced(function* (root: string, version: number) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs.readFileString(`${root}/_delta_log/${numbered(version)}.json`)
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Action => JSON.parse(line))
})

const checkpoint = Effect.fnUntraced(function* (root: string, version: number) {
  const file = `${root}/_delta_log/${numbered(version)}.checkpoint.parquet`
  const actions = `{protocol: protocol, metaData: metaData, "add": "add", "remove": "remove"}`
  const rows = yield* Duck.query(`select to_json(${actions})::varchar from '${file}'`)
  return rows.map(([text]): Action => JSON.parse(String(text)))
})

/** A version: the last one where none is named. Begins with a checkpoint where `from` says so. */
export const read = Effect.fnUntraced(function* (root: string, version?: number, from?: number) {
  const last = version ?? (yield* versions(root)).at(-1)!
  const files = new Map<string, NonNullable<Action["add"]>>()
  let found: Pick<Version, "protocol" | "metaData"> | undefined
  const see = ({ add, metaData, protocol, remove }: Action) => {
    if (remove) files.delete(remove.path)
    if (add) files.set(add.path, add)
    if (protocol) found = { ...found!, protocol }
    if (metaData) found = { ...found!, metaData }
  }
  if (from !== undefined) (yield* checkpoint(root, from)).forEach(see)
  for (let at = from === undefined ? 0 : from + 1; at <= last; at++) (yield* commit(root, at)).forEach(see)
  const whole: Version = { version: last, ...found!, files }
  return whole
})

/** SQL that reads the files of a version, with the columns of its folders. */
export const source = (root: string, { files, metaData }: Version) => {
  const [entity] = metaData.partitionColumns
  const all = [...files].map(([path, { partitionValues }]) => {
    const value = entity === undefined ? "" : `'${partitionValues[entity]}' as "${entity}", `
    return `select ${value}* from read_parquet('${root}/${path}')`
  })
  return `(${all.join(" union all by name ")})`
}
