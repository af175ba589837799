import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Imports from "../../core/test/Imports.ts"

const source = path.join(import.meta.dirname, "../src")

const files = Imports.below(source)

/** The modules a program may import, the lowest first. */
const modules = [
  "NodeQuota",
  "NodeClient",
  "NodeLive",
  "Format",
  "Download",
  "SharedFolder",
  "TableSchema",
  "Dataset",
  "SharedDataset",
  "DatasetDuckdb",
  "DatasetPostgres",
  "SharedTable",
  "promise",
  "index"
]

/** The rooms of `internal`, and which rooms and modules each may import. */
const rooms: Readonly<Record<string, ReadonlyArray<string>>> = {
  runtime: [],
  memory: [],
  http: [],
  live: ["http"],
  quota: [],
  options: [],
  format: ["options"],
  parquet: ["memory", "format"],
  folder: [],
  progress: [],
  download: ["options", "folder", "progress", "format", "Format"],
  dataset: ["options", "folder", "progress", "format", "Format", "parquet"],
  database: ["options", "folder", "dataset", "format", "Format"],
  duckdb: ["options", "database", "dataset", "format"],
  load: ["dataset"],
  postgres: ["options", "database", "dataset", "format"],
  promise: ["options", "Download"]
}

const roomOf = (name: string) => /^internal\/([^/]+)\//.exec(name)?.[1]

const isOutsideParquet = (name: string) => roomOf(name) !== "parquet"

const own = ({ imports }: Imports.File) => imports.filter((name) => files.some((file) => file.name === name))

const importers = (module: (name: string) => boolean) =>
  files.filter(({ imports }) => imports.some(module)).map(({ name }) => name)

const guard = 'import "./internal/runtime/NodeVersion.ts"'

describe("Architecture", () => {
  it("sees the imports it judges", () => {
    assert.isAbove(files.length, 30)
    const format = files.find(({ name }) => name === "Format")?.imports ?? []
    assert.includeMembers([...format], ["internal/parquet/Parquet", "effect/Stream", "@sluice/core/PlainText"])
  })

  it("has a room for every internal module, which imports its own room and those it may", () => {
    for (const file of files.filter(({ name }) => !modules.includes(name))) {
      const room = roomOf(file.name) ?? ""
      const allowed = rooms[room]
      assert.isDefined(allowed, file.name)
      const others = own(file).map((name) => roomOf(name) ?? name)
      assert.deepStrictEqual(
        others.filter((other) => other !== room && !allowed?.includes(other)),
        [],
        file.name
      )
    }
  })

  it("has public modules that refuse an old Node.js before they import anything else", () => {
    for (const module of modules) {
      assert.strictEqual(
        files.find(({ name }) => name === module)?.text.match(/^(?:import|export) .*/m)?.[0],
        guard,
        module
      )
    }
    // What an old Node.js lacks must not fail to link, which comes before the first module runs.
    for (const { name, text } of files)
      assert.notMatch(text, /\{[^}]*\b(?:getCACertificates|\w*Zstd\w*)\b[^}]*\} from "node:/, name)
  })

  it("has public modules that import only those before them", () => {
    for (const [floor, module] of modules.entries()) {
      const file = files.find(({ name }) => name === module)
      assert.isDefined(file, module)
      const above = own(file as Imports.File).filter((name) => modules.indexOf(name) >= floor)
      assert.deepStrictEqual(above, [], module)
    }
  })

  it("writes Parquet behind one module, which only Format imports, and reads it behind another", () => {
    const seam = "internal/parquet/Parquet"
    const reading = "internal/parquet/ParquetFile"
    assert.deepStrictEqual(
      importers((module) => module === reading),
      ["internal/dataset/ReadBack"]
    )
    assert.deepStrictEqual(importers((module) => module === seam).filter(isOutsideParquet), ["Format"])
    assert.deepStrictEqual(
      importers((module) => module !== seam && module !== reading && roomOf(module) === "parquet").filter(
        isOutsideParquet
      ),
      []
    )
    assert.deepStrictEqual(importers((module) => module.startsWith("hyparquet")).filter(isOutsideParquet), [])
  })

  it("loads the package of a database only in the module of that database", () => {
    const optional = { "@duckdb/": "duckdb", "@effect/sql-pg": "postgres", "effect/sql": "postgres" }
    for (const [name, room] of Object.entries(optional)) {
      const using = importers((module) => module.startsWith(name))
      assert.deepStrictEqual([...new Set(using.map(roomOf))], [room])
    }
    for (const room of ["database", "duckdb", "postgres"]) {
      const outside = importers((module) => roomOf(module) === room).filter((name) => roomOf(name) === undefined)
      assert.isEmpty(outside.filter((name) => !["DatasetDuckdb", "DatasetPostgres", "SharedTable"].includes(name)))
    }
  })
})
