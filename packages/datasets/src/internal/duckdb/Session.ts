/**
 * A DuckDB file, and connections to it.
 *
 * A file that a process opens twice is damaged: each writes as if it were alone, and the lock of the file does not exclude the
 * own process. So it is opened from the cache of the library, which gives everybody in the process the same instance.
 */
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import { basename } from "node:path"
import { inTransaction, momentary, type Session } from "../database/Session.ts"
import { StoreFailed, StoreInUse } from "../model/DatasetError.ts"

/** A file that is open. */
export interface Database {
  readonly connect: Effect.Effect<Session, StoreFailed, Scope.Scope>
}

const reasonOf = (cause: unknown) => (Predicate.isError(cause) ? cause.message : "the database gave no reason")

/** Runs what ends at once, such as writing to a file. */
export const attempt = <A>(dataset: string, operation: string, run: () => A): Effect.Effect<A, StoreFailed> =>
  Effect.try({ try: run, catch: (cause) => new StoreFailed({ dataset, operation, reason: reasonOf(cause) }) })

/** Another process has the file, or another sync of this process has the name. */
const isTaken = (reason: string) => reason.includes("Could not set lock on file") || reason.includes("already exists")

/** The process that has the file open, also where it only reads it. */
const holderOf = (reason: string) => {
  const [, program = "", id] = /held in (\S+) \(PID (\d+)\)/.exec(reason) ?? []
  return id === undefined ? {} : { by: `process ${id} (${basename(program)}), which has the file open` }
}

/** Opens a file, which is created if missing, until the scope closes. `dataset` is what errors name. */
const open = Effect.fnUntraced(function* (
  file: string,
  dataset: string,
  mode: "READ_WRITE" | "READ_ONLY" = "READ_WRITE"
): Effect.fn.Return<Database, StoreFailed | StoreInUse, Scope.Scope> {
  const instance = yield* Effect.acquireRelease(
    Effect.tryPromise({
      // With no options the instance is that of others in the process, who have opened it without any.
      try: () =>
        mode === "READ_ONLY" ? DuckDBInstance.fromCache(file, { access_mode: mode }) : DuckDBInstance.fromCache(file),
      catch: (cause) => {
        const reason = reasonOf(cause)
        return isTaken(reason)
          ? new StoreInUse({ dataset, ...holderOf(reason) })
          : new StoreFailed({ dataset, operation: "open the file", reason })
      }
    }),
    (instance) => Effect.sync(() => instance.closeSync())
  )
  const connection = Effect.acquireRelease(
    Effect.tryPromise({
      try: () => instance.connect(),
      catch: (cause) => new StoreFailed({ dataset, operation: "connect", reason: reasonOf(cause) })
    }),
    (connection) => Effect.sync(() => connection.closeSync())
  )
  const connect = Effect.map(connection, (connection) => sessionOf(connection, dataset))
  // DuckDB would remember something of each staged file for as long as the instance lives. Whoever locks its settings keeps that.
  if (mode === "READ_WRITE") {
    const forget = Effect.flatMap(connect, ({ run }) =>
      run("turn the cache off", "SET enable_external_file_cache = false")
    )
    yield* Effect.ignore(Effect.scoped(forget))
  }
  return { connect }
})

/** This process has the file open to read it, or to write it, and not both; or it has not closed it yet. */
const isOtherwise = (error: StoreFailed | StoreInUse) =>
  error._tag === "StoreFailed" && /different configuration|file handle conflict/.test(error.reason)

/** Opens a file to write it. Who reads it in this process does so for a moment. */
export const openToWrite = (file: string, dataset: string) =>
  Effect.retry(open(file, dataset), { while: isOtherwise, ...momentary })

/** Opens a file to read it, where it may be open for writing in this process. */
export const openToRead = (file: string, dataset: string) =>
  Effect.catchIf(open(file, dataset, "READ_ONLY"), isOtherwise, () => openToWrite(file, dataset))

type Connect = Database["connect"]

/** Connects for each statement, and for each transaction. */
export const momentarily = (connect: Connect): Session => {
  /** Of the transaction that runs. */
  let current: Session | undefined
  const within = (kind: "transaction" | "snapshot"): Session["transaction"] => {
    return (effect) =>
      Effect.scoped(
        Effect.flatMap(connect, (session) => {
          const own = Effect.suspend(() => {
            current = session
            return effect
          })
          return session[kind](
            Effect.ensuring(
              own,
              Effect.sync(() => {
                current = undefined
              })
            )
          )
        })
      )
  }
  return {
    run: (...statement) =>
      Effect.suspend(() =>
        current === undefined
          ? Effect.scoped(Effect.flatMap(connect, ({ run }) => run(...statement)))
          : current.run(...statement)
      ),
    transaction: within("transaction"),
    snapshot: within("snapshot")
  }
}

/** Connects with the first statement, until the scope closes. */
export const later = (connect: Connect): Effect.Effect<Session, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const once = yield* Effect.cached(Scope.provide(connect, scope))
    return {
      run: (...statement) => Effect.flatMap(once, ({ run }) => run(...statement)),
      transaction: (effect) => Effect.flatMap(once, ({ transaction }) => transaction(effect)),
      snapshot: (effect) => Effect.flatMap(once, ({ snapshot }) => snapshot(effect))
    }
  })

const sessionOf = (connection: DuckDBConnection, dataset: string): Session => {
  const run: Session["run"] = (operation, sql, ...values) =>
    Effect.callback((resume) => {
      const rows = connection.runAndReadAll(sql, [...values]).then((reader) => reader.getRowObjectsJS())
      const done = rows.then(
        (rows) => resume(Effect.succeed(rows)),
        (cause) => resume(Effect.fail(new StoreFailed({ dataset, operation, reason: reasonOf(cause) })))
      )
      // A connection that is closed while a statement runs crashes the process, so an interruption waits for its end.
      return Effect.andThen(
        Effect.sync(() => connection.interrupt()),
        Effect.promise(() => done)
      )
    })

  return {
    run,
    transaction: inTransaction(run, "BEGIN TRANSACTION"),
    snapshot: inTransaction(run, "BEGIN TRANSACTION READ ONLY")
  }
}
