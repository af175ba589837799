import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Record from "effect/Record"
import * as Imports from "../../core/test/Imports.ts"

interface Package {
  /** The modules that a program may import, the lowest first. */
  readonly modules: ReadonlyArray<string>
  /** The rooms of `internal`, and which rooms and modules each imports: of another package with its name before. */
  readonly rooms: { readonly [room: string]: ReadonlyArray<string> }
}

/** The packages for programs on Node.js. Each may import those before it. */
const packages: { readonly [name: string]: Package } = {
  node: {
    modules: ["NodeQuota", "NodeClient", "NodeLive", "index"],
    rooms: { runtime: [], http: [], live: ["http"], quota: [], options: [] }
  },
  files: {
    modules: ["Format", "Arrow", "Download", "ObjectStorage", "SharedFolder", "TableSchema", "index"],
    rooms: {
      format: ["node/options"],
      parquet: ["format"],
      arrow: ["format"],
      storage: [],
      folder: ["storage"],
      progress: [],
      download: ["node/options", "storage", "folder", "progress", "format", "Format"]
    }
  },
  datasets: {
    modules: ["Dataset", "SharedDataset", "DatasetDuckdb", "DatasetPostgres", "SharedTable", "index"],
    rooms: {
      model: ["node/options", "files/folder", "files/format", "files/Format", "files/progress"],
      plan: ["model", "files/folder"],
      read: ["model", "plan", "files/folder"],
      load: ["model", "plan", "read"],
      versions: ["model", "files/format", "files/Format"],
      ledger: ["model", "files/storage", "files/folder", "files/Format"],
      rewrite: ["model", "ledger", "versions"],
      snapshots: ["model", "ledger", "files/storage", "files/folder", "files/Format", "files/parquet"],
      folder: [
        "model",
        "plan",
        "load",
        "held",
        "rewrite",
        "versions",
        "ledger",
        "snapshots",
        "files/storage",
        "files/folder",
        "files/format",
        "files/Format",
        "files/parquet"
      ],
      run: ["model", "plan", "read", "versions", "files/progress"],
      held: ["model", "plan", "files/folder"],
      open: [
        "model",
        "node/options",
        "plan",
        "run",
        "folder",
        "held",
        "ledger",
        "versions",
        "files/progress",
        "files/storage",
        "files/folder"
      ],
      audit: ["model", "plan", "read", "ledger", "folder", "open", "files/storage", "files/folder", "files/Format"],
      database: ["held", "model", "node/options", "files/folder", "files/format", "files/Format"],
      duckdb: ["model", "database", "node/options", "files/format", "files/parquet"],
      postgres: ["model", "load", "database", "node/options", "files/format"]
    }
  },
  promise: {
    modules: ["index"],
    rooms: { "": ["node/options", "files/Download"] }
  }
}

const names = Object.keys(packages)

const sources = new Map(
  names.map((name) => [name, Imports.below(path.join(import.meta.dirname, `../../${name}/src`))] as const)
)

const filesOf = (name: string) => sources.get(name) ?? []

/** The room of an internal module. Where a package has one room, its files are right under `internal`. */
const roomOf = (module: string) => /^internal\/(?:([^/]+)\/)?/.exec(module)?.slice(1)[0] ?? ""

const isInternal = (module: string) => module.startsWith("internal/")

/** Where an import of a package's file leads: a room or a module, of another package with its name before. */
const targetOf = (name: string, module: string): ReadonlyArray<string> => {
  const [, other, inner = "index"] = /^@sluice\/(\w+)(?:\/(.+))?$/.exec(module) ?? []
  if (other !== undefined) {
    return other in packages ? [`${other}/${isInternal(inner) ? roomOf(inner) : inner}`] : []
  }
  if (!filesOf(name).some((file) => file.name === module)) return []
  return [isInternal(module) ? roomOf(module) : module]
}

const importers = (name: string, is: (module: string) => boolean) =>
  filesOf(name).flatMap((file) => (file.imports.some(is) ? [file.name] : []))

describe.each(names)("@sluice/%s", (name) => {
  const { modules, rooms } = packages[name]!
  const lower = names.slice(0, names.indexOf(name))

  it("has files whose imports are seen", () => {
    assert.isNotEmpty(filesOf(name).flatMap(({ imports }) => imports))
    assert.sameMembers(
      filesOf(name).flatMap((file) => (isInternal(file.name) ? [] : [file.name])),
      [...modules]
    )
  })

  it("has the internal rooms that are listed, each of which imports the listed ones", () => {
    const found: { [room: string]: ReadonlyArray<string> } = {}
    for (const file of filesOf(name).filter((file) => isInternal(file.name))) {
      const room = roomOf(file.name)
      const others = file.imports.flatMap((module) => targetOf(name, module)).filter((other) => other !== room)
      found[room] = [...new Set([...(found[room] ?? []), ...others])].toSorted()
    }
    assert.deepStrictEqual(
      found,
      Record.map(rooms, (allowed) => allowed.toSorted())
    )
  })

  it("has rooms of at most twenty files", () => {
    for (const room of Object.keys(rooms)) {
      const files = filesOf(name).filter((file) => isInternal(file.name) && roomOf(file.name) === room)
      assert.isNotEmpty(files, room)
      assert.isAtMost(files.length, 20, room)
    }
  })

  it("has public modules that import only those before them, and packages below", () => {
    for (const [floor, module] of modules.entries()) {
      const { imports } = filesOf(name).find((file) => file.name === module)!
      const others = imports.flatMap((other) => targetOf(name, other)).filter((other) => !(other in rooms))
      for (const other of others) {
        if (other.includes("/")) assert.include(lower, other.split("/")[0], module)
        else assert.isBelow(modules.indexOf(other), floor, `${module} imports ${other}`)
      }
    }
  })

  it("has public modules that refuse an old Node.js before they import anything else", () => {
    const guard = `import "${name === "node" ? "." : "@sluice/node"}/internal/runtime/NodeVersion${name === "node" ? ".ts" : ""}"`
    for (const module of modules) {
      const first = filesOf(name)
        .find((file) => file.name === module)
        ?.text.match(/^(?:import|export) .*/m)?.[0]
      assert.strictEqual(first, guard, module)
    }
    // What an old Node.js lacks must not fail to link, which comes before the first module runs.
    for (const file of filesOf(name))
      assert.notMatch(file.text, /\{[^}]*\b(?:getCACertificates|\w*Zstd\w*)\b[^}]*\} from "node:/, file.name)
  })
})

const isOfParquet = (module: string) => roomOf(module) === "parquet"

it("Parquet is written behind one module, which Format and the store of DuckDB import, and read behind another", () => {
  const outside = (is: (module: string) => boolean) => importers("files", is).filter((file) => !isOfParquet(file))
  assert.deepStrictEqual(
    outside((module) => module === "internal/parquet/Parquet"),
    ["Format"]
  )
  assert.isEmpty(outside((module) => isOfParquet(module) && module !== "internal/parquet/Parquet"))
  assert.isEmpty(outside((module) => module.startsWith("hyparquet")))
  const users = (module: string) =>
    importers("datasets", (other) => other === `@sluice/files/internal/parquet/${module}`)
  assert.deepStrictEqual(users("ParquetFile"), ["internal/folder/ReadBack"])
  assert.deepStrictEqual(users("Parquet"), ["internal/duckdb/DuckdbStore"])
  assert.deepStrictEqual(users("NestedFile"), ["internal/snapshots/DeltaLog"])
  assert.lengthOf(
    importers("datasets", (module) => module.includes("/parquet/")),
    3
  )
})

it("the package of a database is loaded only in the modules of that database", () => {
  const optional = { "@duckdb/": "duckdb", "@effect/sql-pg": "postgres", "effect/sql": "postgres" }
  for (const [module, room] of Object.entries(optional)) {
    for (const name of names) {
      const using = importers(name, (other) => other.startsWith(module))
      assert.deepStrictEqual([...new Set(using.map(roomOf))], name === "datasets" ? [room] : [])
    }
  }
  for (const room of ["database", "duckdb", "postgres"]) {
    const outside = importers("datasets", (module) => isInternal(module) && roomOf(module) === room)
    assert.isEmpty(
      outside.filter((file) => !isInternal(file) && !["DatasetDuckdb", "DatasetPostgres", "SharedTable"].includes(file))
    )
  }
})
