/**
 * A dataset as a table of a DuckDB file.
 */
import { DuckDBTimestampNanosecondsValue } from "@duckdb/node-api"
import type { ApiError } from "@sluice/core/ApiError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import * as Bookkeeping from "../database/Bookkeeping.ts"
import * as StoreOptions from "../database/StoreOptions.ts"
import * as Table from "../database/Table.ts"
import { type StoreError, StoreFailed, StoreInUse } from "../dataset/DatasetError.ts"
import type { Definition } from "../dataset/Definition.ts"
import type { Verifying } from "../dataset/Event.ts"
import type { Applied, Change, OpenStore, Series, Setup, Span, Store } from "../dataset/Store.ts"
import type { BadFormat } from "../format/FormatError.ts"
import * as EpochNanos from "../format/EpochNanos.ts"
import { identifier, qualified } from "../format/Ddl.ts"
import * as Kinds from "../options/Kinds.ts"
import * as Shape from "../options/Shape.ts"
import * as Chunks from "./Chunks.ts"
import * as KeptTables from "./KeptTables.ts"
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

/** The table as a definition makes it. */
interface Current {
  readonly table: Table.Table
  readonly statements: Statements.Statements
}

/** Builds the store. Nothing is opened before it is used. */
export const make = (options: Options): Store => {
  const place: Table.TableAddress = { schema: options.schema ?? "main", table: options.table }
  const name = `${options.file} ${qualified(place)}`
  const bookkeeping = KeptTables.make(place, name)

  const currentOf = (
    series: Series,
    definition: Definition,
    settings: Table.TableOptions
  ): Effect.Effect<Current, BadFormat> =>
    Effect.map(Effect.fromResult(Table.of(series, definition, settings)), (table) => ({
      table,
      statements: Statements.of(table, place)
    }))

  /** Reads what is kept, or begins a dataset. */
  const begin = Effect.fnUntraced(function* (main: Session.Session, { definition, series }: Setup) {
    const found = yield* bookkeeping.read(main)
    if (found !== undefined) {
      yield* Bookkeeping.refuseOther(name, found.settings, options)
      return found
    }
    const { statements, table } = yield* currentOf(series, definition, Bookkeeping.chosen(options))
    const settings = Bookkeeping.settingsOf(options, table)
    yield* main.transaction(bookkeeping.create(main, definition, settings, statements.create))
    return { definition, settings, cursors: new Map() }
  })

  /**
   * Takes the table in this process: the file excludes other processes. Names of attached databases are unique among all
   * connections to a file, so an empty one serves as the lock.
   */
  const take = (main: Session.Session) => {
    const lock = identifier(`sluice ${place.schema}.${place.table}`)
    return Effect.acquireRelease(
      Effect.mapError(main.run("take the table", `ATTACH ':memory:' AS ${lock}`), (error) =>
        error.reason.includes("already exists") ? new StoreInUse({ dataset: name }) : error
      ),
      () => Effect.ignore(main.run("leave the table", `DETACH ${lock}`))
    )
  }

  const open = Effect.fnUntraced(function* (setup: Setup): Effect.fn.Return<OpenStore, StoreError, Scope.Scope> {
    yield* check(options)
    yield* Effect.try({
      try: () => mkdirSync(dirname(options.file), { recursive: true }),
      catch: (cause) =>
        new StoreFailed({ dataset: name, operation: "make the folder of the file", reason: String(cause) })
    })
    const database = yield* Session.open(options.file, name)
    const main = yield* database.connect
    yield* take(main)
    const { cursors, definition, settings } = yield* begin(main, setup)
    let current = yield* currentOf(setup.series, definition, settings)
    const inTurn = yield* Semaphore.make(1)

    return {
      kept: { definition, cursors },
      lost: Effect.never,
      define: Effect.fnUntraced(function* (definition: Definition) {
        const next = yield* currentOf(setup.series, definition, settings)
        const extend = Effect.gen(function* () {
          for (const sql of next.statements.extend(current.table)) yield* main.run("add a column", sql)
          yield* bookkeeping.define(main, definition, settings)
        })
        yield* main.transaction(extend)
        current = next
      }),
      apply: (change) =>
        Effect.scoped(Effect.flatMap(database.connect, (session) => apply(session, current, inTurn, change)))
    }
  })

  const apply = Effect.fnUntraced(function* (
    session: Session.Session,
    { statements, table }: Current,
    inTurn: Semaphore.Semaphore,
    change: Change
  ): Effect.fn.Return<Applied, ApiError | StoreError> {
    for (const sql of statements.stage) yield* session.run("create a staging table", sql)
    const records = yield* Effect.scoped(stage(session, table, change.records))
    yield* Effect.scoped(stageSpans(session, change.spans))
    if (statements.twice !== undefined) {
      const [twice] = yield* session.run("compare records", statements.twice)
      if (twice !== undefined) {
        const reason = `the service sent a record of ${String(twice["entity"])} twice`
        return yield* new StoreFailed({ dataset: name, operation: "add records", reason })
      }
    }
    const added = Bookkeeping.countsOf(yield* session.run("count records", Statements.countStaged(table)))
    return yield* inTurn.withPermit(
      Effect.gen(function* () {
        const cursors = yield* change.cursors
        return yield* session.transaction(
          Effect.gen(function* () {
            const removed = Bookkeeping.countsOf(yield* session.run("count records", statements.count))
            yield* session.run("remove records", statements.remove)
            yield* session.run("add records", statements.add)
            yield* bookkeeping.keep(session, Bookkeeping.changesOf(cursors, added, removed))
            yield* bookkeeping.forget(session, change.forget)
            return { records, replaced: Bookkeeping.sum(removed), written: [], deleted: [] }
          })
        )
      })
    )
  })

  const reading = <A, E>(read: (session: Session.Session) => Effect.Effect<A, E>, none: A) =>
    Effect.andThen(check(options), () =>
      existsSync(options.file)
        ? Effect.scoped(
            Effect.flatMap(Session.openToRead(options.file, name), ({ connect }) => Effect.flatMap(connect, read))
          )
        : Effect.succeed(none)
    )

  const heldIn = Effect.fnUntraced(function* (session: Session.Session) {
    const found = yield* bookkeeping.read(session)
    if (found === undefined) return []
    const rows = yield* session.run("count the records", Statements.held(place, found.settings.entity))
    return rows.flatMap(Bookkeeping.heldOf)
  })

  const verify = Effect.fnUntraced(function* (
    session: Session.Session,
    series: Series,
    emit: (event: Verifying) => Effect.Effect<unknown>
  ) {
    const found = Effect.gen(function* () {
      const kept = yield* bookkeeping.read(session)
      const written = yield* bookkeeping.written(session)
      const held = yield* heldIn(session)
      if (kept === undefined) return { written, held, issues: [] }
      const { statements } = yield* currentOf(series, kept.definition, kept.settings)
      const repeats = statements.repeats === undefined ? [] : yield* session.run("look for repeats", statements.repeats)
      return { written, held, issues: repeats.map(({ entity }) => `${String(entity)} has a record twice`) }
    })
    yield* emit(yield* Bookkeeping.verified(name, yield* session.transaction(found)))
  })

  return {
    name,
    cut: { byEntity: true, period: undefined },
    look: reading(bookkeeping.read, undefined),
    open,
    held: reading(heldIn, []),
    verify: (series, emit) => reading((session) => verify(session, series, emit), undefined)
  }
}

/** Appends the records of a change to the staging table. Gives their number. */
const stage = Effect.fnUntraced(function* (session: Session.Session, table: Table.Table, records: Change["records"]) {
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
})

const stageSpans = Effect.fnUntraced(function* (session: Session.Session, spans: ReadonlyArray<Span>) {
  const appender = yield* session.appender("copy spans", Statements.spans)
  const read = EpochNanos.makeReader()
  const bound = (time: string | undefined, none: bigint) =>
    new DuckDBTimestampNanosecondsValue((time === undefined ? undefined : read(time)) ?? none)
  yield* session.at("copy spans", () => {
    for (const { entity, from, to } of spans) {
      appender.appendVarchar(entity)
      appender.appendTimestampNanoseconds(bound(from, -farthest))
      appender.appendTimestampNanoseconds(bound(to, farthest))
      appender.endRow()
    }
  })
})

/** Beyond every time that 64 bits of nanoseconds hold, but for the largest, which is infinity. */
const farthest = 2n ** 63n - 2n
