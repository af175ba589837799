/**
 * One connection to PostgreSQL, with transactions and COPY.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { ConnectionOptions } from "node:tls"
import { inTransaction, type Session } from "../database/Session.ts"
import { StoreFailed } from "../model/DatasetError.ts"
import * as Address from "./Address.ts"
import * as CopySocket from "./CopySocket.ts"

/** How to reach a database. */
export interface Connection {
  /** As libpq takes it, such as `postgres://user:password@host:5432/database?sslmode=require`. */
  readonly url: Redacted.Redacted
  /** Certificates and keys of encrypted connections, where those of Node.js are not enough. */
  readonly tls?: ConnectionOptions | undefined
}

/** A connection, whose rows have text; null is null. */
export interface PostgresSession extends Session {
  /** Runs a `COPY … FROM STDIN` with this data, in the format that it names. */
  readonly copy: (operation: string, sql: string, data: Uint8Array) => Effect.Effect<void, StoreFailed>
}

/** A connection as the client of the protocol has it, and what gives it the data of its next COPY. */
export interface Opened {
  readonly query: PgConnection.PgConnection["query"]
  readonly load: CopySocket.CopySocket["load"]
}

const failed = (dataset: string, operation: string, reason: string, code?: string) =>
  new StoreFailed({ dataset, operation, reason, ...(code === undefined ? {} : { code }) })

const named = (dataset: string, operation: string) =>
  Effect.mapError((error: SqlError) => failed(dataset, operation, reasonOf(error), codeOf(error)))

/** Opens a connection, which closes with the scope. `dataset` is what errors name. */
export const open = Effect.fnUntraced(function* (
  { tls, url }: Connection,
  dataset: string
): Effect.fn.Return<PostgresSession, StoreFailed, Scope.Scope> {
  const address = Address.parse(Redacted.value(url))
  if (address === undefined) return yield* failed(dataset, "connect", notUrl)
  const { load, stream } = CopySocket.make(Address.connector(address, tls))
  const { query } = yield* PgConnection.make({
    url,
    ssl: false,
    stream,
    applicationName: "sluice",
    // A date without a time is the beginning of its day in UTC.
    startupParameters: { timezone: "UTC", datestyle: "ISO" }
  }).pipe(named(dataset, "connect"))
  return of({ query, load }, dataset)
})

/** Builds the session of a connection. `dataset` is what errors name. */
export const of = (opened: Opened, dataset: string): PostgresSession => {
  const query = (operation: string, sql: string, values: ReadonlyArray<string> = []) =>
    opened.query(sql, values, false).pipe(named(dataset, operation))

  /** PostgreSQL answers COMMIT with ROLLBACK where a statement of the transaction has failed. */
  const commit = query("commit", "COMMIT").pipe(
    Effect.filterOrFail(
      ({ command }) => command === "COMMIT",
      () => failed(dataset, "commit", "PostgreSQL has rolled the transaction back")
    ),
    Effect.asVoid
  )

  return {
    run: (operation, sql, ...values) => Effect.map(query(operation, sql, values), ({ rows }) => rows),
    copy: (operation, sql, data) =>
      Effect.suspend(() => {
        opened.load(data)
        return Effect.asVoid(query(operation, sql))
      }),
    transaction: inTransaction(query, "BEGIN", commit),
    snapshot: inTransaction(query, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", commit)
  }
}

const notUrl =
  "the URL is none of PostgreSQL, such as postgres://user:password@host:5432/database, or its port or sslmode is unknown"

/** What the server or the network said. The client's own message only says that it was a query. */
const reasonOf = ({ message, reason: { cause } }: SqlError): string => {
  // A name with several addresses fails with an error for each, and a text of its own that is empty.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return Predicate.isError(first) && first.message !== "" ? first.message : message
}

const codeOf = ({ reason: { cause } }: SqlError): string | undefined =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined
