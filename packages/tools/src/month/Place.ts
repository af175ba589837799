/**
 * Where the dataset of a month is kept: a folder, a table of DuckDB, or one of PostgreSQL. Each is read apart from the library.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import type { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import { Context, Effect } from "effect"
import * as fs from "node:fs"
import * as PostgresServer from "../../../datasets/test/database/PostgresServer.ts"
import type { Strike } from "./Disk.ts"
import * as Folder from "./Folder.ts"
import * as ParquetTable from "./ParquetTable.ts"
import type { Scenario } from "./Scenario.ts"

/** A place for one dataset. */
export interface Place {
  /** The place as a process has it that ends where it is struck. */
  readonly of: (strike: Strike | undefined, end: Effect.Effect<unknown>) => string | Dataset.Store
  /** Everything that it holds. */
  readonly read: Effect.Effect<Folder.Contents>
}

/** A server of PostgreSQL. */
export interface Server extends Effect.Success<typeof PostgresServer.make> {}

/** The server for tables of PostgreSQL; where there is none, DuckDB has them. */
export const Postgres: Context.Reference<Server | undefined> = Context.Reference<Server | undefined>("month/Postgres", {
  defaultValue: () => undefined
})

/** The place of a month, whose path is a temporary one. */
export const make = Effect.fnUntraced(function* ({ store }: Pick<Scenario, "store">, path: string) {
  const server = yield* Postgres
  const place: Place =
    store === "folder"
      ? inFolder(path)
      : store === "postgres" && server !== undefined
        ? inPostgres(server, path)
        : inDuckdb(path)
  return place
})

const inFolder = (path: string): Place => ({ of: () => path, read: Folder.read(path) })

const inDuckdb = (path: string): Place => {
  const file = `${path}.duckdb`
  return {
    of: struck(DatasetDuckdb.make({ file, table: "kept" })),
    read: Effect.suspend(() => (fs.existsSync(file) ? readDuckdb(file) : Effect.succeed(nothing)))
  }
}

const nothing: Folder.Contents = { records: [], files: new Map(), wrong: [] }

const readDuckdb = (file: string) =>
  Effect.promise(async (): Promise<Folder.Contents> => {
    const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY", threads: "1" })
    try {
      const connection = await instance.connect()
      const made = await connection.runAndReadAll("SELECT 1 FROM duckdb_tables() WHERE table_name = 'kept'")
      if (made.currentRowCount === 0) return nothing
      const reader = await connection.runAndReadAll("FROM kept")
      const rows = reader.getRows().map((row) => row.map(ParquetTable.plain))
      connection.closeSync()
      return { ...nothing, records: Folder.table(reader.columnNames(), rows) }
    } finally {
      instance.closeSync()
    }
  })

const inPostgres = (server: Server, path: string): Place => {
  const table = path.replaceAll(/\W+/g, "_").slice(-60)
  return {
    of: struck(DatasetPostgres.make({ url: server.url(), table, connections: 2 })),
    read: Effect.orDie(readPostgres(server, table))
  }
}

/** How a value is written as the service writes it, by the type of its column. */
const texts: Readonly<Record<string, (column: string, isEvent: boolean) => string>> = {
  "timestamp with time zone": (column, isEvent) =>
    `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || ` +
    `${isEvent && column === '"time"' ? "lpad(mod(time_ns, 1000)::text, 3, '0')" : "'000'"} || 'Z'`,
  bigint: (column) => `${column}::text`,
  numeric: (column) => `${column}::text`
}

const readPostgres = Effect.fnUntraced(function* (server: Server, table: string) {
  const columns = (yield* PostgresServer.query(
    server,
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = '${table}'`
  )).map(({ name, type }) => ({ name: String(name), type: String(type) }))
  if (columns.length === 0) return nothing
  const isEvent = columns.some(({ name }) => name === "time_ns")
  const list = columns
    .filter(({ name }) => name !== "time_ns")
    .map(({ name, type }) => `${texts[type]?.(`"${name}"`, isEvent) ?? `"${name}"`} AS "${name}"`)
  const records = yield* PostgresServer.query(server, `SELECT ${list.join(", ")} FROM "${table}"`)
  return { ...nothing, records } satisfies Folder.Contents
})

/** Changes after which a strike comes at most: a sync has few. */
const most = 6

/** A store of a process that ends before a change, or behind it. */
const struck =
  (store: Dataset.Store): Place["of"] =>
  (strike, end) => {
    if (strike === undefined) return store
    const at = strike.at % (2 * most)
    let count = 0
    const ends = Effect.andThen(end, Effect.never)
    return {
      ...store,
      open: (setup) =>
        Effect.map(store.open(setup), (opened) => ({
          ...opened,
          apply: (change) =>
            Effect.suspend(() => {
              const number = count++
              if (number * 2 === at) return ends
              const applied = opened.apply(change)
              return number * 2 + 1 === at ? Effect.andThen(applied, ends) : applied
            })
        }))
    }
  }
