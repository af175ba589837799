/**
 * `sluice schema`: the schema of the records of an endpoint or a live stream, for validators and databases. Asks the service nothing.
 */
import type { Entry, LiveEntry } from "@sluice/core/Endpoints"
import * as TableSchema from "@sluice/files/TableSchema"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Descriptions from "../../endpoints/Descriptions.ts"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import { Screen } from "../../terminal/Screen.ts"
import type { About } from "../flags/About.ts"
import type { SchemaInput } from "../flags/Flags.ts"

export const run = Effect.fnUntraced(function* (input: SchemaInput, about: About<Entry | LiveEntry> | undefined) {
  const screen = yield* Screen
  const { endpoint } = about?.entry ?? (yield* EndpointIndex.getRead(input.endpoint))
  const params = Parameters.given(input.parameters)
  const meanings = meaningsOf(yield* Descriptions.load, endpoint.path)
  // Whole numbers are text on the wire alone.
  const dialect = input.as === "json-schema" ? undefined : input.as
  const said = (means: string) => (dialect === undefined ? means : means.replace(/, as text\b/, ""))
  const descriptions = Record.map(meanings, said)
  const schema = yield* TableSchema.make(endpoint, params, { ...input.format, descriptions })
  if (dialect === undefined) return yield* screen.print(JSON.stringify(schema.json, null, 2))
  const statements = TableSchema.ddl(schema, { dialect, table: input.table })
  return yield* screen.print(statements.map((statement) => `${statement};`).join("\n\n"))
})

/** What the fields of an endpoint's records say, by their names. */
const meaningsOf = ({ endpoints, records }: Descriptions.Descriptions, path: string) => {
  const found = endpoints[path]
  const names = found?.record === undefined ? [] : [found.record]
  for (const name of names) names.push(...(records[name]?.includes ?? []).filter((other) => !names.includes(other)))
  const fields = [
    ...names.toReversed().flatMap((name) => records[name]?.fields ?? []),
    ...(found?.additions ?? []).flatMap((addition) => addition.fields)
  ]
  return Object.fromEntries(fields.flatMap(({ means, name }) => (means === undefined ? [] : [[name, means]])))
}
