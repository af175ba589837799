/**
 * A server of PostgreSQL in this process, pglite, to which simulated processes have connections. A statement runs at once, in no
 * time of its own.
 *
 * The engine knows one session. So what sessions have apart is kept here: who has an advisory lock, whose a temporary table is, and
 * that a transaction is followed by another. Within a transaction no other session runs a statement: it waits, as where the
 * transaction had locked all that there is.
 */
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { PGlite, protocol } from "@electric-sql/pglite"
import { Simulation } from "@sluice/sandbox"
import { Clock, Effect, Semaphore } from "effect"
import { StoreFailed } from "../../../datasets/src/internal/model/DatasetError.ts"
import * as Session from "../../../datasets/src/internal/postgres/Session.ts"
import type { Process } from "./Process.ts"

interface Answer {
  readonly command: string
  readonly rows: ReadonlyArray<Readonly<Record<string, string | null>>>
}

/** A statement, and the rows that it copies. */
interface Statement {
  readonly sql: string
  readonly values: ReadonlyArray<string>
  readonly rows: Uint8Array | undefined
}

interface Connection {
  readonly number: number
  readonly process: number
  isOpen: boolean
  /** Whether it is in a transaction, in which no other runs a statement. */
  isInTransaction: boolean
}

/** Where rows of a COPY wait, which the engine reads from a file. */
const rowsFile = "/tmp/rows"

/** The engine: it runs one statement after another, without a promise. */
export const engine = Effect.runSync(
  Effect.cached(
    Effect.map(
      Effect.promise(() => PGlite.create()),
      (database) => {
        const { serialize } = protocol
        const run = (sql: string, values: ReadonlyArray<string> = []): Answer => {
          const sent = [
            serialize.parse({ text: sql }),
            serialize.bind({ values: [...values] }),
            serialize.describe({ type: "P" }),
            serialize.execute({}),
            serialize.sync()
          ]
          const rows: Array<Record<string, string | null>> = []
          let names: ReadonlyArray<string> = []
          let command = ""
          let failure: Error | undefined
          new protocol.Parser().parse(database.execProtocolRawSync(Buffer.concat(sent)), (message) => {
            if (message instanceof protocol.messages.DatabaseError) failure = message
            if (message instanceof protocol.messages.RowDescriptionMessage) {
              names = message.fields.map(({ name }) => name)
            }
            if (message instanceof protocol.messages.DataRowMessage) {
              rows.push(Object.fromEntries(message.fields.map((value, at) => [names[at], value])))
            }
            if (message instanceof protocol.messages.CommandCompleteMessage) {
              command = message.text.split(" ", 1)[0] ?? ""
            }
          })
          if (failure !== undefined) throw failure
          return { command, rows }
        }
        run("SET timezone = 'UTC'")
        run("SET datestyle = 'ISO'")
        return { run, putRows: (rows: Uint8Array) => database.Module.FS.writeFile(rowsFile, rows) }
      }
    )
  )
)

const lost = () =>
  new SqlError({ reason: new ConnectionError({ cause: new Error("the server closed the connection") }) })

/** How likely something happens to the connection at a statement: once in so many. */
const rarity = 150

/** How long a restart may take, in milliseconds. */
const restarts = [0, 1_000, 40_000] as const

/** Makes a server without tables. */
export const make = Effect.gen(function* () {
  const { putRows, run } = yield* engine
  // That of no process, whose own may be wrong.
  const clock = yield* Clock.Clock
  run("ROLLBACK")
  run("DISCARD TEMP")
  run("DROP SCHEMA public CASCADE")
  run("CREATE SCHEMA public")
  const inTurn = yield* Semaphore.make(1)
  const connections = new Set<Connection>()
  const locks = new Map<string, Connection>()
  let count = 0
  let isCalm = false
  /** When a server that restarts lets anybody connect again. */
  let startsAt = Number.NEGATIVE_INFINITY

  const leave = (connection: Connection) => {
    connection.isInTransaction = false
    return inTurn.release(1)
  }

  /** Ends a connection, as the server sees it: its transaction is undone, and what it has taken is free. */
  const end = (connection: Connection) =>
    Effect.suspend(() => {
      if (!connection.isOpen) return Effect.void
      connection.isOpen = false
      connections.delete(connection)
      for (const [name, holder] of locks) if (holder === connection) locks.delete(name)
      if (!connection.isInTransaction) return Effect.void
      run("ROLLBACK")
      return Effect.asVoid(leave(connection))
    })

  const endAll = (chosen: (connection: Connection) => boolean) =>
    Effect.suspend(() => Effect.forEach([...connections].filter(chosen), end, { discard: true }))

  /** Runs a statement that the server has received, when it is the turn of its connection. */
  const execute = (connection: Connection, { rows, sql, values }: Statement): Answer => {
    const [name = ""] = values
    if (sql.includes("pg_try_advisory_lock(")) {
      const holder = locks.get(name)
      if (holder === undefined) locks.set(name, connection)
      return { command: "SELECT", rows: [{ taken: String((holder ?? connection) === connection) }] }
    }
    if (sql.includes("pg_advisory_unlock(")) {
      if (locks.get(name) === connection) locks.delete(name)
      return { command: "SELECT", rows: [] }
    }
    const own = `sluice_stage_${connection.number}`
    if (rows !== undefined) putRows(rows)
    return run(sql.replaceAll("sluice_stage", own).replace("FROM STDIN", `FROM '${rowsFile}'`), values)
  }

  const inItsTurn = (connection: Connection, statement: Statement) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (!connection.isInTransaction) yield* restore(inTurn.take(1))
        const isBegin = statement.sql.startsWith("BEGIN")
        const isEnd = ["COMMIT", "ROLLBACK"].includes(statement.sql)
        const wasIn = connection.isInTransaction
        if (!connection.isOpen) {
          if (!wasIn) yield* inTurn.release(1)
          return yield* Effect.fail(lost())
        }
        const answer = yield* Effect.result(
          Effect.try({
            try: () => execute(connection, statement),
            catch: (cause) => new SqlError({ reason: new UnknownError({ cause }) })
          })
        )
        if (isBegin) connection.isInTransaction = true
        else if (isEnd || !wasIn) yield* leave(connection)
        return yield* Effect.fromResult(answer)
      })
    )

  /** The server restarts: all connections end, within transactions too, and none begins for some time. */
  const restart = Effect.gen(function* () {
    yield* endAll(() => true)
    startsAt = clock.currentTimeMillisUnsafe() + restarts[yield* Simulation.below(restarts.length)]!
  })

  /** What happens to the connection of a statement, before it is run, or before it is answered: mostly nothing. */
  const mishap = (connection: Connection) =>
    Effect.gen(function* () {
      const drawn = isCalm ? 0 : yield* Simulation.below(rarity)
      if (drawn === 1) yield* end(connection)
      if (drawn === 2) yield* restart
      // Of the connections of the process another one is ended, of which it hears when it uses that.
      if (drawn === 3) yield* endAll((other) => other.process === connection.process && other !== connection)
    })

  /** Opens a connection of a process, and closes it with the scope. */
  const connect = (process: Process, dataset: string) =>
    Effect.gen(function* () {
      yield* process.turn()
      if (clock.currentTimeMillisUnsafe() < startsAt && !isCalm) {
        return yield* new StoreFailed({ dataset, operation: "connect", reason: "the database system is starting up" })
      }
      const connection: Connection = {
        number: count++,
        process: process.number,
        isOpen: true,
        isInTransaction: false
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => connections.add(connection)),
        () => Effect.andThen(process.alive, end(connection))
      )
      const turn = Effect.suspend(() => process.turn(connection.isInTransaction ? "added" : undefined))
      let waiting: Uint8Array | undefined
      return Session.of(
        {
          load: (rows) => {
            waiting = rows
          },
          query: (sql, values = []) =>
            Effect.gen(function* () {
              const rows = waiting
              waiting = undefined
              yield* turn
              yield* mishap(connection)
              const { command, rows: given } = yield* inItsTurn(connection, { sql, values: values.map(String), rows })
              yield* mishap(connection)
              yield* turn
              if (!connection.isOpen) return yield* Effect.fail(lost())
              return { command, rows: given, rowCount: given.length, oid: null, fields: [] }
            })
        },
        dataset
      )
    })

  return {
    connect,
    /** Notices that a process has ended: its connections end. */
    notice: (process: Process) => endAll((connection) => connection.process === process.number),
    /** Whether from now on nothing happens to connections. */
    leaveAlone: (isLeftAlone: boolean) =>
      Effect.sync(() => {
        isCalm = isLeftAlone
      }),
    /** Reads, without a connection. */
    read: (sql: string) => inTurn.withPermit(Effect.sync(() => run(sql).rows))
  }
})
