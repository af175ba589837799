/**
 * A connection to a database. Statements run one after the other.
 */
import type { ApiError } from "@sluice/core/ApiError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { StoreError, StoreFailed } from "../model/DatasetError.ts"
import type { Change } from "../model/Store.ts"
import type { Current } from "./Statements.ts"

/** A row by column. */
export type Row = Readonly<Record<string, unknown>>

/** Runs an effect in a transaction: all of it is kept, or nothing where it fails or is interrupted. */
export type InTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailed, R>

/** A connection. */
export interface Session {
  /** Runs a statement, with text in the place of `$1`, `$2` and so on. `operation` is what an error says it was for. */
  readonly run: (
    operation: string,
    sql: string,
    ...values: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Row>, StoreFailed>
  readonly transaction: InTransaction
  /** A transaction that reads the state of one moment, even while a sync runs. */
  readonly snapshot: InTransaction
}

/** A connection that writes records. */
export interface Writer extends Session {
  /** Copies records to the staging table, which has no others then. Gives their number. `see` gets the bytes of rows. */
  readonly stage: (
    current: Current,
    records: Change["records"],
    see?: (rows: Uint8Array) => void
  ) => Effect.Effect<number, ApiError | StoreError>
}

/** How to reach a database. */
export interface Connections {
  /** For the bookkeeping. */
  readonly main: Session
  /** For one change. */
  readonly writer: Effect.Effect<Writer, StoreFailed, Scope.Scope>
}

/** How to retry what others of this process prevent for a moment. */
export const momentary = { times: 100, schedule: Schedule.spaced("50 millis") }

/** Makes transactions of the statements that begin and end them. */
export const inTransaction =
  (
    run: (operation: string, sql: string) => Effect.Effect<unknown, StoreFailed>,
    begin: string,
    commit: Effect.Effect<unknown, StoreFailed> = run("commit", "COMMIT")
  ): InTransaction =>
  (effect) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* run("begin a transaction", begin)
        const result = yield* restore(effect).pipe(
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(run("roll back", "ROLLBACK"))))
        )
        yield* commit
        return result
      })
    )
