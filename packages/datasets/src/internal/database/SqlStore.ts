/**
 * A dataset as a table of a database.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { type StoreError, StoreFailed } from "../model/DatasetError.ts"
import type { Definition } from "../model/Definition.ts"
import type { Verifying } from "../model/Event.ts"
import type {
  HeldColumnReader,
  HeldRange,
  HeldRecords,
  HeldRows,
  OpenStore,
  Series,
  Setup,
  Store
} from "../model/Store.ts"
import { identifier } from "@sluice/files/internal/format/Ddl"
import type { BadFormat } from "@sluice/core/internal/columns/FormatError"
import * as KeptColumns from "../held/KeptColumns.ts"
import * as Apply from "./Apply.ts"
import * as Bookkeeping from "./Bookkeeping.ts"
import type { Dialect } from "./Dialect.ts"
import type { Current } from "./Statements.ts"
import * as KeptTables from "./KeptTables.ts"
import { type Connections, momentary, type Session } from "./Session.ts"
import * as Table from "./Table.ts"
import * as TableRead from "./TableRead.ts"

/** A database, and the table in it. */
export interface Database {
  /** The table, as messages name it. */
  readonly name: string
  readonly place: Table.TableAddress
  readonly options: Table.TableOptions
  readonly dialect: Dialect
  /** Fails where an option is none. */
  readonly check: Effect.Effect<void, StoreError>
  /** Opens the database, which is created where it is a file that is missing. */
  readonly connect: Effect.Effect<Connections, StoreError, Scope.Scope>
  /** Opens the database to read it; nothing where it is a file that is missing. */
  readonly look: Effect.Effect<Session | undefined, StoreError, Scope.Scope>
  /** Takes the table until the scope closes. */
  readonly take: (main: Session, kept: KeptTables.KeptTables) => Effect.Effect<unknown, StoreError, Scope.Scope>
  /** What could let a record be there twice, or has. */
  readonly issues: (session: Session, current: Current) => Effect.Effect<ReadonlyArray<string>, StoreFailed>
}

/** Records of an entity in a change. A run that is stopped has lost no more, and a transaction waits for no more. */
const rows = 250_000

/** In DuckDB, of two that make the tables of Sluice at once the second fails, and finds them afterwards. */
const isLate = (error: StoreError) => error._tag === "StoreFailed" && error.reason.includes("write-write conflict")

/** Builds the store. Nothing is opened before it is used. */
export const make = ({ dialect, name, options, place, ...database }: Database): Store => {
  const bookkeeping = KeptTables.make(dialect, place, name)

  const refuseNames = (names: ReadonlyArray<string>) => {
    const bad = dialect.badName(names)
    return bad === undefined
      ? Effect.void
      : Effect.fail(new StoreFailed({ dataset: name, operation: `use the name "${bad.name}"`, reason: bad.reason }))
  }

  const ready = Effect.andThen(database.check, refuseNames([place.schema, place.table]))

  const currentOf = Effect.fnUntraced(function* (
    series: Series,
    definition: Definition,
    settings: Table.TableOptions
  ): Effect.fn.Return<Current, StoreFailed | BadFormat> {
    const table = yield* Effect.fromResult(Table.of(series, definition, settings))
    yield* refuseNames(table.columns.map((column) => column.name))
    return { table, statements: dialect.statements(table, place) }
  })

  /** Reads what is kept, or begins a dataset. */
  const begin = Effect.fnUntraced(function* (main: Session, { definition, series }: Setup) {
    const found = yield* bookkeeping.read(main)
    if (found !== undefined) {
      yield* Bookkeeping.refuseOther(name, found.settings, options)
      return found
    }
    const { statements, table } = yield* currentOf(series, definition, Bookkeeping.chosen(options))
    const settings = Bookkeeping.settingsOf(options, table)
    const create = main.transaction(bookkeeping.create(main, definition, settings, statements.create))
    yield* Effect.retry(create, { while: isLate, ...momentary })
    return { definition, settings, cursors: new Map() }
  })

  const open = Effect.fnUntraced(function* (setup: Setup): Effect.fn.Return<OpenStore, StoreError, Scope.Scope> {
    yield* ready
    const { main, writer } = yield* database.connect
    yield* database.take(main, bookkeeping)
    const { cursors, definition, settings } = yield* begin(main, setup)
    const run = yield* bookkeeping.begin(main)
    let current = yield* currentOf(setup.series, definition, settings)
    const inTurn = yield* Semaphore.make(1)
    const fence = (session: Session) => bookkeeping.fence(session, run)
    const keeper: Apply.Bookkeeper = { ...bookkeeping, fence }

    return {
      kept: { definition, cursors },
      lost: Effect.never,
      define: Effect.fnUntraced(function* (definition: Definition) {
        const next = yield* currentOf(setup.series, definition, settings)
        const extend = Effect.gen(function* () {
          yield* fence(main)
          for (const sql of Table.extend(place, current.table, next.table, dialect.name)) {
            yield* main.run("add a column", sql)
          }
          yield* bookkeeping.define(main, definition, settings)
        })
        yield* main.transaction(extend)
        current = next
      }),
      apply: (change) =>
        Effect.scoped(
          Effect.flatMap(writer, (writer) =>
            Apply.apply({ dataset: name, writer, current, bookkeeping: keeper, inTurn }, change)
          )
        )
    }
  })

  const reading = <A, E>(read: (session: Session) => Effect.Effect<A, E>, none: A) =>
    Effect.scoped(
      Effect.flatMap(Effect.andThen(ready, database.look), (session) =>
        session === undefined ? Effect.succeed(none) : read(session)
      )
    )

  const heldIn = Effect.fnUntraced(function* (session: Session) {
    const found = yield* bookkeeping.read(session)
    if (found === undefined) return []
    const { entity, isGrid } = found.settings
    const sql = `SELECT ${identifier(entity)} AS entity, count(*)::text AS rows, ${dialect.timeText(isGrid, "time", "min")} AS first,
        ${dialect.timeText(isGrid, "time", "max")} AS last
      FROM ${Table.nameOf(place)} GROUP BY ${identifier(entity)} ORDER BY ${identifier(entity)} COLLATE "C"`
    return (yield* session.run("count the records", sql)).flatMap(Bookkeeping.heldOf)
  })

  const readerOf = Effect.fnUntraced(function* (session: Session) {
    const found = yield* bookkeeping.read(session)
    if (found === undefined) return undefined
    const { cursors, definition, settings } = found
    const read = (series: Series, range: HeldRange): HeldRecords =>
      Stream.unwrap(
        Effect.map(currentOf(series, definition, settings), ({ table }) =>
          TableRead.records({ dialect, place, table }, range, database.look)
        )
      )
    const columns: HeldColumnReader = {
      check: (series, wanted) =>
        Effect.flatMap(currentOf(series, definition, settings), ({ table }) => {
          const kept = table.columns.map(({ name, type }) => ({ name, isDouble: type._tag === "Double" }))
          return KeptColumns.check(kept, wanted)
        }),
      read: (series, range) =>
        Stream.mapArray(read(series, range), (records): [HeldRows] => [
          { _tag: "Records", records, from: 0, to: records.length }
        ])
    }
    return { kept: { definition, cursors }, read, columns }
  })

  const verify = Effect.fnUntraced(function* (
    session: Session,
    series: Series,
    emit: (event: Verifying) => Effect.Effect<unknown>
  ) {
    const found = Effect.gen(function* () {
      const kept = yield* bookkeeping.read(session)
      const written = yield* bookkeeping.written(session)
      const held = yield* heldIn(session)
      if (kept === undefined) return { written, held, issues: [] }
      const current = yield* currentOf(series, kept.definition, kept.settings)
      return { written, held, issues: yield* database.issues(session, current) }
    })
    yield* emit(yield* Bookkeeping.verified(name, yield* session.snapshot(found)))
  })

  return {
    name,
    cut: { byEntity: true, period: undefined, rows },
    look: reading(bookkeeping.read, undefined),
    open,
    held: reading(heldIn, []),
    reader: reading(readerOf, undefined),
    verify: (series, emit) => reading((session) => verify(session, series, emit), undefined)
  }
}
