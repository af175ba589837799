/**
 * Datasets in folders of several formats and layouts, on a machine that loses power, and whose files somebody removes.
 */
import { Dataset } from "@sluice/datasets"
import { Simulation } from "@sluice/sandbox"
import { Effect } from "effect"
import { parquetReadObjects } from "hyparquet"
import { zstdDecompressSync } from "node:zlib"
import * as Days from "./Days.ts"
import { isDeepStrictEqual } from "node:util"
import * as Auditor from "./Auditor.ts"
import * as Disk from "../../../files/test/storage/Disk.ts"
import type { Fields } from "./Kept.ts"
import type * as Process from "./Process.ts"

const layouts: ReadonlyArray<Dataset.Layout> = [
  { period: "month" },
  { byEntity: false, period: "none", rows: 7 },
  { byEntity: false, period: "day" },
  { period: "year", rows: 20 }
]

const periods = ["day", "month", "year", "none"] as const

const formats = ["ndjson", "csv", "parquet"] as const

const linesOf = (bytes: Uint8Array, end: string) => {
  const lines = new TextDecoder().decode(bytes).split(end)
  if (lines.pop() !== "") throw new Error("the last line of a file does not end")
  return lines
}

const cellsOf = (line: string) => line.split(",").map((cell) => (cell === "" ? null : cell === '""' ? "" : cell))

const plain = (value: unknown) => {
  if (value instanceof Date) return `${value.toISOString().slice(0, -1)}000000Z`
  return typeof value === "bigint" ? String(value) : value
}

/** The records of a file, as a reader has them that knows nothing of the library. */
const recordsOf = Effect.fnUntraced(function* (as: (typeof formats)[number], bytes: Uint8Array) {
  if (as === "ndjson") return linesOf(bytes, "\n").map((line): Fields => JSON.parse(line))
  if (as === "csv") {
    const [head = [], ...rows] = linesOf(bytes, "\r\n").map(cellsOf)
    return rows.map((row): Fields => Object.fromEntries(row.map((cell, at) => [head[at], cell])))
  }
  const { buffer } = bytes.slice()
  const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) }
  // The bytes are there, so this takes no time outside of the run.
  const rows = yield* Effect.promise(() => parquetReadObjects({ file: buffer as ArrayBuffer, compressors }))
  return rows.map((row): Fields => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
})

/** The entity that a path names, for files that do not repeat it. */
const partitionsOf = (path: string): Fields =>
  Object.fromEntries(
    [...path.matchAll(/\/(\w+)=([^/]+)/g)]
      .filter(([, name]) => !["year", "month", "day"].includes(name ?? ""))
      .map(([, name, value]) => [name, decodeURIComponent(value ?? "")])
  )

/** The bytes of the files of a version. Fails where one is missing. */
const bytesOf = (files: ReadonlyMap<string, Uint8Array>, folder: string, paths: ReadonlyArray<string>) =>
  paths.map((path) => {
    const bytes = files.get(`${folder}/${path}`)
    if (bytes === undefined) throw new Error(`${path} of the last version is missing`)
    return Buffer.from(bytes).toString("base64")
  })

/**
 * The files of the last version of a Delta table, by its log; nothing where versions were removed by their age. Fails where a version is
 * missing, or a file of the last.
 */
const lastVersion = (folder: string, files: ReadonlyMap<string, Uint8Array>) => {
  const versions = [...files.keys()]
    .flatMap((path) => /_delta_log\/(\d{20})\.json$/.exec(path)?.slice(1) ?? [])
    .toSorted()
  const found = new Set<string>()
  for (const [index, version] of versions.entries()) {
    if (Number(version) !== Number(versions[0]) + index) throw new Error(`version ${version} comes after a missing one`)
    for (const line of linesOf(files.get(`${folder}.delta/_delta_log/${version}.json`)!, "\n")) {
      const { add, remove } = JSON.parse(line)
      if (remove) found.delete(remove.path)
      if (add) found.add(add.path)
    }
  }
  return Number(versions[0]) > 0 ? undefined : bytesOf(files, `${folder}.delta`, [...found])
}

/** A catalog of versions, and the paths of the files of the last one; nothing where there is none yet. */
export interface Catalog {
  readonly lakeOf: (process: Process.Process) => Dataset.Lake
  readonly files: Effect.Effect<ReadonlyArray<string> | undefined>
}

/** A folder on a disk, whose format and layout the run chooses; of Parquet where a catalog has its versions. */
export const place: (disk: Disk.Disk, catalog?: Catalog) => Effect.Effect<Days.Place> = Effect.fnUntraced(
  function* (disk, catalog) {
    const as = catalog === undefined ? formats[yield* Simulation.below(formats.length)]! : "parquet"
    const layout = layouts[yield* Simulation.below(layouts.length)]!
    let isCompacted = false
    const isPublished = catalog === undefined && as === "parquet" && (yield* Simulation.below(2)) === 1
    const versions = (yield* Simulation.below(2)) === 1 ? "keep" : undefined
    const files = Effect.sync(() =>
      [...disk.files()].filter(([path]) => path.endsWith(`.${as}`) && Disk.isRecords(path))
    )
    /** The last version that others read. */
    const published =
      catalog === undefined
        ? Effect.sync(() => (isPublished ? lastVersion(disk.folder, disk.files()) : undefined))
        : Effect.map(catalog.files, (paths) => paths && bytesOf(disk.files(), `${disk.folder}.ducklake`, paths))
    const made: Days.Place = {
      job: (process) => ({
        to: disk.folder,
        ...(!isCompacted && { layout }),
        format: { as },
        versions,
        ...(isPublished && { snapshots: "delta" }),
        ...(catalog && { snapshots: catalog.lakeOf(process) })
      }),
      isExact: as === "ndjson",
      compact: Effect.gen(function* () {
        const longer = periods.slice(periods.indexOf(layout.period ?? "none"))
        const period = longer[yield* Simulation.below(longer.length)]!
        const rows = [undefined, 20, 1_000][yield* Simulation.below(3)]
        isCompacted = true
        return Dataset.compact(disk.folder, { layout: { period, rows } })
      }),
      isByDay: layout.period === "day",
      read: Effect.gen(function* () {
        const all: Array<Fields> = []
        yield* published
        for (const [path, bytes] of yield* files) {
          const own = partitionsOf(path)
          for (const record of yield* recordsOf(as, bytes)) all.push(as === "ndjson" ? record : { ...own, ...record })
        }
        return all
      }),
      state: Effect.gen(function* () {
        const all = (yield* files).map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")])
        const version = yield* published
        // A run that came to its end has told others all that it has.
        const whole =
          version === undefined || isDeepStrictEqual(version.toSorted(), all.map(([, bytes]) => bytes).toSorted())
        yield* Auditor.released({ "a file that is in no version": whole ? 0 : 1 })
        return JSON.stringify(all)
      }),
      leave: () => Effect.void,
      disturb: Effect.flatMap(Simulation.below(4), (nth) =>
        nth === 1 ? disk.damage(`.${as}`, "removed") : Effect.succeed(false)
      ),
      leaveAlone: () => Effect.void
    }
    return made
  }
)

/** Datasets in folders. */
export const make = Effect.succeed(Days.make(place))
