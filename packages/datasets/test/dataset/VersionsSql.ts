/**
 * The SQL of a dataset in DuckDB.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"

/** A time as the service writes it. */
const plain = (value: unknown): unknown => {
  const [, day, time, digits = ""] =
    (typeof value === "string" && /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?$/.exec(value)) || []
  return day === undefined ? value : `${day}T${time}.${digits.padEnd(9, "0")}Z`
}

/** Without nulls. */
const filled = (row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).flatMap(([name, value]) => (value === null ? [] : [[name, plain(value)]])))

/** Each how many moments the macro itself is asked: it goes through all versions every time. */
const each = 16

/** How a query fails. */
export const failureOf = (statements: string, query: string) =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(":memory:")
    const connection = await instance.connect()
    await connection.run(statements)
    const failure = await connection.run(query).then(() => "", String)
    connection.closeSync()
    instance.closeSync()
    return failure
  })

/** The records of each of these moments, without nulls. */
export const asOf = (statements: string, moments: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(":memory:")
    const connection = await instance.connect()
    await connection.run(`${statements} CREATE TABLE every_version AS FROM known_at_versions`)
    const found: Array<ReadonlyArray<Record<string, unknown>>> = []
    for (const [index, moment] of moments.entries()) {
      const at = `TIMESTAMP_NS '${moment}'`
      const all = `SELECT * EXCLUDE (known_from, known_until) FROM every_version
        WHERE known_from <= ${at} AND (known_until IS NULL OR ${at} < known_until)`
      const from = index % each === 0 ? `FROM known_at('${moment}')` : all
      const rows = (await connection.runAndReadAll(from)).getRowObjectsJson()
      found.push(rows.map(filled))
    }
    connection.closeSync()
    instance.closeSync()
    return found
  })
