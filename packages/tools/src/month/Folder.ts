/**
 * What a folder holds for a reader that knows nothing of the library: the files that have a name, and the partitions in their
 * path.
 */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as zlib from "node:zlib"
import * as CsvTable from "./CsvTable.ts"
import * as ParquetTable from "./ParquetTable.ts"

/** A record of a file. */
export type Cells = Readonly<Record<string, unknown>>

/** The records of a folder, and what is wrong with it. */
export interface Contents {
  readonly records: ReadonlyArray<Cells>
  /** Files with their size and the moment they were written, by name. */
  readonly files: ReadonlyMap<string, string>
  readonly wrong: ReadonlyArray<string>
}

/** Files that readers see, by their path below the folder. */
const filesOf = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.split(path.sep).some((part) => part.startsWith(".")))
    .filter((name) => fs.statSync(path.join(folder, name)).isFile())
    .toSorted()

const form = /\.(ndjson|csv|parquet)(\.gz|\.zst)?$/

const unpacked = (file: string, coding: string | undefined): string => {
  const bytes = fs.readFileSync(file)
  if (coding === ".gz") return zlib.gunzipSync(bytes).toString()
  return (coding === ".zst" ? zlib.zstdDecompressSync(bytes) : bytes).toString()
}

const lines = (text: string): ReadonlyArray<Cells> => {
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line does not end")
  // Type boundary, here and below: what a file holds is compared, whatever it is.
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Cells)
}

/** Records of rows. */
export const table = (
  columns: ReadonlyArray<unknown>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>
): ReadonlyArray<Cells> => rows.map((row) => Object.fromEntries(columns.map((name, at) => [String(name), row[at]])))

const recordsOf = Effect.fnUntraced(function* (file: string) {
  const [, as, coding] = form.exec(file) ?? []
  if (as === "parquet") {
    const { columns, rows } = yield* ParquetTable.read(file)
    return table(columns, rows)
  }
  return yield* Effect.sync(() => {
    const text = unpacked(file, coding)
    if (as === "ndjson") return lines(text)
    const [head = [], ...rows] = CsvTable.parse(text)
    return table(head, rows)
  })
})

/** The partitions in the path of a file. */
const partitionsOf = (name: string): ReadonlyArray<readonly [name: string, value: string]> =>
  name
    .split(path.sep)
    .slice(0, -1)
    .flatMap((part) => {
      const [, key, value] = /^(\w+)=(.*)$/.exec(part) ?? []
      return key === undefined || value === undefined ? [] : [[key, decodeURIComponent(value)] as const]
    })

const periods: Readonly<Record<string, (time: string) => string>> = {
  year: (time) => time.slice(0, 4),
  month: (time) => time.slice(5, 7),
  day: (time) => time.slice(8, 10)
}

/** Reads a folder as a reader of files does. */
export const read = Effect.fnUntraced(function* (folder: string) {
  const records: Array<Cells> = []
  const files = new Map<string, string>()
  const wrong: Array<string> = []
  if (!fs.existsSync(folder)) return { records, files, wrong } satisfies Contents
  for (const name of filesOf(folder)) {
    const file = path.join(folder, name)
    const { mtimeMs, size } = fs.statSync(file)
    files.set(name, `${size} ${mtimeMs}`)
    if (!form.test(name)) {
      wrong.push(`${name} is no file of records`)
      continue
    }
    const partitions = partitionsOf(name)
    const found = yield* Effect.catchCause(recordsOf(file), (cause) =>
      Effect.sync(() => {
        wrong.push(`${name} is no whole file: ${String(cause)}`)
        return []
      })
    )
    for (const record of found) {
      const own: Record<string, unknown> = { ...record }
      for (const [key, value] of partitions) {
        const part = periods[key]?.(String(record["time"]))
        if (part === undefined) own[key] ??= value
        if ((part ?? own[key]) !== value) wrong.push(`${name} has a record of ${String(part ?? own[key])}`)
      }
      records.push(own)
    }
  }
  return { records, files, wrong } satisfies Contents
})
