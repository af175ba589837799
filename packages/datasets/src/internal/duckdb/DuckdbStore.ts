/**
 * A dataset as a table of a DuckDB file.
 */
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import * as Stream from "effect/Stream"
import { createHash, randomUUID } from "node:crypto"
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { momentary, type Session as DatabaseSession, type Writer } from "../database/Session.ts"
import * as SqlStore from "../database/SqlStore.ts"
import * as StoreOptions from "../database/StoreOptions.ts"
import type * as Table from "../database/Table.ts"
import { StoreFailed, StoreInUse } from "../model/DatasetError.ts"
import type { Store } from "../model/Store.ts"
import { identifier, qualified } from "@sluice/files/internal/format/Ddl"
import * as FileStream from "@sluice/files/internal/format/FileStream"
import * as Parquet from "@sluice/files/internal/parquet/Parquet"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Shape from "@sluice/node/internal/options/Shape"
import * as Session from "./Session.ts"
import * as Statements from "./Statements.ts"

/** Where the table is, and how records become rows. */
export interface Options extends Table.TableOptions {
  /** The file; created if missing. */
  readonly file: string
  /** Name of the table. */
  readonly table: string
  /** The schema; created if missing. Default `main`. */
  readonly schema?: string | undefined
}

const check = StoreOptions.checker(Shape.of<Options>()({ ...StoreOptions.fields, file: Kinds.file }))

/** Builds the store. Nothing is opened before it is used. */
export const make = (options: Options): Store => {
  const place: Table.TableAddress = { schema: options.schema ?? "main", table: options.table }
  const name = `${options.file} ${qualified(place)}`
  const lock = identifier(`sluice ${place.schema}.${place.table}`)
  const folder = `${options.file}.${createHash("sha256").update(lock).digest("hex").slice(0, 16)}`
  const attempt = <A>(operation: string, run: () => A) => Session.attempt(name, operation, run)
  const clear = attempt("remove staged records", () => {
    for (const file of readdirSync(folder))
      if (file.endsWith(".parquet")) rmSync(resolve(folder, file), { force: true })
  })

  /**
   * Takes the table until the scope closes. A file of DuckDB beside it serves as the lock: it excludes other processes, also until one
   * that was killed is gone. Names of attached databases are unique among all connections to a file, so an empty one excludes this
   * process.
   */
  const take = Effect.gen(function* () {
    yield* attempt("make the folder of staged records", () => mkdirSync(folder, { recursive: true }))
    const { connect } = yield* Session.openToWrite(resolve(folder, "lock.duckdb"), name)
    const session = yield* connect
    yield* Effect.acquireRelease(
      Effect.mapError(session.run("take the table", `ATTACH ':memory:' AS ${lock}`), (error) =>
        error.reason.includes("already exists") ? new StoreInUse({ dataset: name }) : error
      ),
      // Removed while it is still locked: whoever comes next makes another.
      () => Effect.ignore(attempt("leave the table", () => rmSync(folder, { recursive: true, force: true })))
    )
    // A sync that was killed leaves files.
    yield* clear
  })

  return SqlStore.make({
    name,
    place,
    options,
    dialect: Statements.dialect,
    check: check(options),
    // The table is taken for the whole run, and the file open only while something is read from it or written to it, so that others
    // may read it while the run waits for the service.
    connect: Effect.gen(function* () {
      yield* attempt("make the folder of the file", () => mkdirSync(dirname(options.file), { recursive: true }))
      yield* take
      const opened = yield* RcRef.make({ acquire: reopened(options.file, name), idleTimeToLive: "1 second" })
      const connect = Effect.flatMap(RcRef.get(opened), ({ connect }) => connect)
      // What has the file for long is told before anything is requested.
      yield* Effect.scoped(Session.openToWrite(options.file, name))
      const writer = Effect.gen(function* () {
        const file = yield* stageFile(name, folder)
        return writerOf(name, yield* Session.later(connect), file)
      })
      return { main: Session.momentarily(connect), writer }
    }),
    look: Effect.suspend(() =>
      existsSync(options.file)
        ? Effect.flatMap(Session.openToRead(options.file, name), ({ connect }) => connect)
        : Effect.undefined
    ),
    take: () => Effect.void,
    issues: Effect.fnUntraced(function* (session, current) {
      const sql = Statements.repeats(current, place)
      const found = sql === undefined ? [] : yield* session.run("look for repeats", sql)
      return found.map(({ entity }) => `${String(entity)} has a record twice`)
    })
  })
}

/** Opens the file, which may be open elsewhere for a moment. */
const reopened = (file: string, dataset: string) =>
  Effect.retry(Session.openToWrite(file, dataset), { while: ({ _tag }) => _tag === "StoreInUse", ...momentary }).pipe(
    Effect.catchTag("StoreInUse", ({ message }) =>
      Effect.fail(new StoreFailed({ dataset, operation: "open the file", reason: message }))
    )
  )

/** The file of the records of a change, until the scope closes. */
const stageFile = (dataset: string, folder: string) =>
  Effect.acquireRelease(
    Session.attempt(dataset, "copy records", () => {
      mkdirSync(folder, { recursive: true })
      // A name of its own: DuckDB may remember what another file of the same name had.
      const path = resolve(folder, `${randomUUID()}.parquet`)
      return { path, descriptor: openSync(path, "wx", 0o600) }
    }),
    // A file that stays is removed by the next sync.
    ({ descriptor, path }) =>
      Effect.andThen(
        Effect.ignore(Session.attempt(dataset, "close staged records", () => closeSync(descriptor))),
        Effect.ignore(Session.attempt(dataset, "remove staged records", () => rmSync(path, { force: true })))
      )
  )

/** A connection that is of one change. */
const writerOf = (
  dataset: string,
  session: DatabaseSession,
  { descriptor, path }: Effect.Success<ReturnType<typeof stageFile>>
): Writer => ({
  ...session,
  stage: Effect.fnUntraced(function* ({ table }, records) {
    const { columns, numbers } = table
    let count = 0
    const counted = Stream.mapArray(records, (some) => {
      count += some.length
      return some
    })
    const file = Parquet.make(columns, { numbers, reader: "DuckDB" })()
    yield* Stream.runForEach(FileStream.make(file, counted, true), (bytes) =>
      Session.attempt(dataset, "copy records", () => writeFileSync(descriptor, bytes))
    )
    yield* session.run("copy records", Statements.stage(table, path))
    return count
  })
})
