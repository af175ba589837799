/**
 * A dataset as a table of PostgreSQL.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pool from "effect/Pool"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Bookkeeping from "../database/Bookkeeping.ts"
import * as StoreOptions from "../database/StoreOptions.ts"
import * as Table from "../database/Table.ts"
import { StoreFailed, type StoreError } from "../dataset/DatasetError.ts"
import type { Definition } from "../dataset/Definition.ts"
import type { Verifying } from "../dataset/Event.ts"
import type { OpenStore, Series, Setup, Store } from "../dataset/Store.ts"
import * as Ddl from "../format/Ddl.ts"
import type { BadFormat } from "../format/FormatError.ts"
import * as Shape from "../options/Shape.ts"
import * as Apply from "./Apply.ts"
import * as KeptTables from "./KeptTables.ts"
import * as Session from "./Session.ts"
import * as Statements from "./Statements.ts"
import * as TargetOptions from "./TargetOptions.ts"

/** Where the table is, and how records become rows. */
export interface Options extends Session.Connection, Table.TableOptions {
  /** Name of the table, exactly as it is written here. */
  readonly table: string
  /** The schema; created if missing. Default `public`. */
  readonly schema?: string | undefined
  /** Connections that write at the same time, beside the one that has the lock. Default 4. */
  readonly connections?: number | undefined
}

const check = StoreOptions.checker(Shape.of<Options>()(TargetOptions.fields))

/** The table as a definition makes it. */
interface Current {
  readonly table: Table.Table
  readonly statements: Statements.Statements
}

/** Builds the store. Nothing is opened before it is used. */
export const make = (options: Options): Store => {
  const place: Table.TableAddress = { schema: options.schema ?? "public", table: options.table }
  const name = Ddl.qualified(place)
  const bookkeeping = KeptTables.make(place, name)

  const refuseLong = (names: ReadonlyArray<string>) => {
    const long = names.find((one) => one === "" || Buffer.byteLength(one) > Statements.longestName)
    return long === undefined
      ? Effect.void
      : Effect.fail(new StoreFailed({ dataset: name, operation: `use the name "${long}"`, reason: Statements.badName }))
  }

  const connect = Effect.gen(function* () {
    yield* check(options)
    yield* refuseLong([place.schema, place.table])
    return yield* Session.open(options, name)
  })

  const currentOf = Effect.fnUntraced(function* (
    series: Series,
    definition: Definition,
    settings: Table.TableOptions
  ): Effect.fn.Return<Current, StoreFailed | BadFormat> {
    const table = yield* Effect.fromResult(Table.of(series, definition, settings))
    yield* refuseLong(table.columns.map((column) => column.name))
    return { table, statements: Statements.of(table, place) }
  })

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

  const open = Effect.fnUntraced(function* (setup: Setup): Effect.fn.Return<OpenStore, StoreError, Scope.Scope> {
    const main = yield* connect
    yield* Effect.acquireRelease(bookkeeping.take(main), () => bookkeeping.leave(main))
    const { cursors, definition, settings } = yield* begin(main, setup)
    const run = yield* bookkeeping.begin(main)
    let current = yield* currentOf(setup.series, definition, settings)
    const writers = yield* Pool.makeWithTTL({
      acquire: Effect.map(connect, (session): Apply.Writer => ({ session, staged: undefined })),
      min: 0,
      max: options.connections ?? 4,
      timeToLive: "1 minute"
    })
    const inTurn = yield* Semaphore.make(1)
    const keeper: Apply.Bookkeeper = {
      fence: (session) => bookkeeping.fence(session, run),
      keep: bookkeeping.keep,
      forget: bookkeeping.forget
    }

    return {
      kept: { definition, cursors },
      lost: Effect.never,
      define: Effect.fnUntraced(function* (definition: Definition) {
        const next = yield* currentOf(setup.series, definition, settings)
        const extend = Effect.gen(function* () {
          yield* bookkeeping.fence(main, run)
          for (const sql of next.statements.extend(current.table)) yield* main.run("add a column", sql)
          yield* bookkeeping.define(main, definition, settings)
        })
        yield* main.transaction(extend)
        current = next
      }),
      apply: (change) =>
        Effect.scoped(
          Effect.gen(function* () {
            const writer = yield* Pool.get(writers)
            return yield* Apply.apply({ writer, ...current, bookkeeping: keeper, inTurn }, change).pipe(
              // A connection that is lost, or still busy, is not used again.
              Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Pool.invalidate(writers, writer)))
            )
          })
        )
    }
  })

  const look = Effect.scoped(Effect.flatMap(connect, bookkeeping.read))

  const heldIn = Effect.fnUntraced(function* (session: Session.Session) {
    const found = yield* bookkeeping.read(session)
    if (found === undefined) return []
    return (yield* session.run("count the records", Statements.held(place, found.settings))).flatMap(Bookkeeping.heldOf)
  })

  return {
    name,
    cut: { byEntity: true, period: undefined },
    look,
    open,
    held: Effect.scoped(Effect.flatMap(connect, heldIn)),
    verify: (series, emit) => Effect.scoped(Effect.flatMap(connect, (session) => verify(session, series, emit)))
  }

  function verify(session: Session.Session, series: Series, emit: (event: Verifying) => Effect.Effect<unknown>) {
    const found = Effect.gen(function* () {
      // All is of one moment, even while a sync runs.
      yield* session.run("begin to read", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
      const kept = yield* bookkeeping.read(session)
      const written = yield* bookkeeping.written(session)
      const held = yield* heldIn(session)
      if (kept === undefined) return { written, held, issues: [] }
      const { table } = yield* currentOf(series, kept.definition, kept.settings)
      const key = yield* session.run("look for the primary key", Statements.primaryKey, place.schema, place.table)
      const columns = key.map(({ name }) => String(name)).toSorted()
      const expected = Statements.keyOf(table)?.toSorted()
      // It keeps records from being there twice.
      const isOther = expected !== undefined && columns.join() !== expected.join()
      const fault = key.length === 0 ? "its primary key was dropped" : "its primary key has other columns"
      const issues = isOther ? [fault] : []
      return { written, held, issues }
    })
    return Effect.gen(function* () {
      yield* emit(yield* Bookkeeping.verified(name, yield* session.transaction(found)))
    })
  }
}
