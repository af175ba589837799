/**
 * A dataset as a table of a DuckDB file.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash, randomUUID } from "node:crypto"
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { Session as DatabaseSession, Writer } from "../database/Session.ts"
import * as SqlStore from "../database/SqlStore.ts"
import * as StoreOptions from "../database/StoreOptions.ts"
import type * as Table from "../database/Table.ts"
import { StoreInUse } from "../model/DatasetError.ts"
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
  const clear = attempt("remove staged records", () => rmSync(folder, { recursive: true, force: true }))

  return SqlStore.make({
    name,
    place,
    options,
    dialect: Statements.dialect,
    check: check(options),
    connect: Effect.gen(function* () {
      yield* attempt("make the folder of the file", () => mkdirSync(dirname(options.file), { recursive: true }))
      const { connect } = yield* Session.openToWrite(options.file, name)
      const writer = Effect.gen(function* () {
        const file = yield* stageFile(name, folder)
        return writerOf(name, yield* connect, file)
      })
      return { main: yield* connect, writer }
    }),
    look: Effect.suspend(() =>
      existsSync(options.file)
        ? Effect.flatMap(Session.openToRead(options.file, name), ({ connect }) => connect)
        : Effect.undefined
    ),
    // In this process: the file excludes others. Names of attached databases are unique among all connections to a
    // file, so an empty one serves as the lock.
    take: (main) =>
      Effect.acquireRelease(
        Effect.mapError(main.run("take the table", `ATTACH ':memory:' AS ${lock}`), (error) =>
          error.reason.includes("already exists") ? new StoreInUse({ dataset: name }) : error
        ),
        () => Effect.andThen(Effect.ignore(clear), Effect.ignore(main.run("leave the table", `DETACH ${lock}`)))
      ).pipe(
        // A sync that was killed leaves files.
        Effect.andThen(clear)
      ),
    issues: Effect.fnUntraced(function* (session, current) {
      const sql = Statements.repeats(current, place)
      const found = sql === undefined ? [] : yield* session.run("look for repeats", sql)
      return found.map(({ entity }) => `${String(entity)} has a record twice`)
    })
  })
}

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
