/**
 * Advisory locks of PostgreSQL, each by a name.
 */
import * as Effect from "effect/Effect"
import type { TableAddress } from "../database/Table.ts"
import { identifier } from "../format/Ddl.ts"
import type { Session } from "./Session.ts"

const key = "hashtextextended($1::text, 0)"

/** The lock of whoever makes the tables of Sluice in a schema. */
export const ofSchema = (schema: string): string => `sluice ${schema}`

/** The lock that a sync of a table has for as long as it runs. */
export const ofTable = ({ schema, table }: TableAddress): string => `sluice ${identifier(schema)}.${identifier(table)}`

/** The lock of whoever writes a part of a table. */
export const ofPart = (place: TableAddress, part: number): string => `${ofTable(place)} ${part}`

/** Waits for a lock, and has it until the end of the transaction. `operation` is what an error says it was for. */
export const wait = (session: Session, operation: string, name: string) =>
  session.run(operation, `SELECT pg_advisory_xact_lock(${key})::text`, name)

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
