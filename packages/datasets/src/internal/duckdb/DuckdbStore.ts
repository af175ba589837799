/**
 * A dataset as a table of a DuckDB file.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import type { Writer } from "../database/Session.ts"
import * as SqlStore from "../database/SqlStore.ts"
import * as StoreOptions from "../database/StoreOptions.ts"
import type * as Table from "../database/Table.ts"
import { StoreFailed, StoreInUse } from "../model/DatasetError.ts"
import type { Store } from "../model/Store.ts"
import { identifier, qualified } from "@sluice/files/internal/format/Ddl"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Shape from "@sluice/node/internal/options/Shape"
import * as Chunks from "./Chunks.ts"
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

  return SqlStore.make({
    name,
    place,
    options,
    dialect: Statements.dialect,
    check: check(options),
    connect: Effect.gen(function* () {
      yield* Effect.try({
        try: () => mkdirSync(dirname(options.file), { recursive: true }),
        catch: (cause) =>
          new StoreFailed({ dataset: name, operation: "make the folder of the file", reason: String(cause) })
      })
      const { connect } = yield* Session.open(options.file, name)
      return { main: yield* connect, writer: Effect.map(connect, writerOf) }
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
        () => Effect.ignore(main.run("leave the table", `DETACH ${lock}`))
      ),
    issues: Effect.fnUntraced(function* (session, current) {
      const sql = Statements.repeats(current, place)
      const found = sql === undefined ? [] : yield* session.run("look for repeats", sql)
      return found.map(({ entity }) => `${String(entity)} has a record twice`)
    })
  })
}

/** A connection that is of one change. */
const writerOf = (session: Session.DuckdbSession): Writer => ({
  ...session,
  stage: Effect.fnUntraced(function* ({ statements, table }, records) {
    for (const sql of statements.stage) yield* session.run("create a staging table", sql)
    const writer = Chunks.make(table, yield* session.appender("copy records", Statements.stage))
    let count = 0
    yield* Stream.runForEachArray(records, (some) =>
      Effect.flatMap(
        session.at("copy records", () => writer.write(some)),
        (written) => {
          count += some.length
          return Effect.fromResult(written)
        }
      )
    )
    yield* session.at("copy records", writer.end)
    return count
  }, Effect.scoped)
})
