/**
 * Advisory locks of PostgreSQL, each by a name.
 */
import * as Effect from "effect/Effect"
import type { Session } from "../database/Session.ts"
import { nameOf, type TableAddress } from "../database/Table.ts"

const key = "hashtextextended($1::text, 0)"

/** The lock that a sync of a table has for as long as it runs. */
export const ofTable = (place: TableAddress): string => `sluice ${nameOf(place)}`

/** The lock of whoever writes a part of a table. */
export const ofPart = (place: TableAddress, part: number): string => `${ofTable(place)} ${part}`

/** Waits for a lock, and has it until the end of the transaction. `operation` is what an error says it was for. */
export const wait = (session: Session, operation: string, name: string) =>
  session.run(operation, `SELECT pg_advisory_xact_lock(${key})::text`, name)

/** Lets one at a time make the tables of Sluice in a schema, until the end of its transaction. */
export const schema = (session: Session, schema: string) => wait(session, "lock the schema", `sluice ${schema}`)

/** Takes a lock for as long as the connection or the transaction is there. Tells whether nobody else has it. */
export const take = (session: Session, name: string, until: "connection" | "transaction") =>
  Effect.map(
    session.run(
      "take the table",
      `SELECT pg_try_advisory_${until === "transaction" ? "xact_" : ""}lock(${key})::text AS taken`,
      name
    ),
    ([row]) => row?.["taken"] === "true"
  )

/** Gives back what was taken for the connection. */
export const leave = (session: Session, name: string) =>
  session.run("leave the table", `SELECT pg_advisory_unlock(${key})::text`, name)
