/** JSON Schema of an endpoint's records, as the service sends them. */
import * as Field from "@sluice/core/Field"
import type * as Schema from "effect/Schema"
import type { Column, Source } from "@sluice/core/internal/columns/Column"

interface Described extends Column {
  readonly description?: string | undefined
}

/**
 * Builds the schema of a record with these columns, in draft 2020-12. Numbers and times are text on the wire, which `format`
 * tells. Keys that the interface does not know are allowed, since the service may add some any day.
 */
export const of = (endpoint: Source, params: object, columns: ReadonlyArray<Described>): Schema.JsonObject => {
  // Type boundary: code for all endpoints has parameters as data; the schema reads those it knows.
  const fields = Field.allOf(endpoint.record(params as never))
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: endpoint.path,
    type: "object",
    required: columns.flatMap(({ name, nullable }) => (nullable ? [] : [name])),
    properties: Object.fromEntries(
      columns.map(({ description, kind, name }) => {
        const field = fields.get(name)
        const holds = field === undefined ? {} : ofField(field)
        // Elsewhere a date alone or `N/A` may take the place of a time.
        const format = kind === "timestamp" ? { format: "date-time" } : {}
        return [name, { ...(description === undefined ? {} : { description }), ...holds, ...format }]
      })
    )
  }
}

const ofField = ({ isNullable, types }: Field.Field): Schema.JsonObject => {
  const [only, ...others] = alternatives(types)
  const all = [...(only === undefined ? [] : [only, ...others]), ...(isNullable ? [{ type: "null" }] : [])]
  const [first = {}] = all
  if (all.length === 1) return first
  // The usual case, in short: one type, or null.
  const isShort = others.length === 0 && isNullable && typeof only?.["type"] === "string"
  return isShort ? { ...only, type: [only["type"] ?? "string", "null"] } : { anyOf: all }
}

const string = { type: "string" }

const plain: Readonly<Record<string, Schema.JsonObject>> = {
  text: string,
  decimal: { ...string, format: "decimal" },
  integer: { ...string, format: "int64" },
  timestamp: string,
  boolean: { type: "boolean" },
  number: { type: "number" }
}

const textOf = (schema: Schema.JsonObject) => JSON.stringify(schema)

/** One schema for each thing that a value may be. Words that are known are examples, since others may follow. */
const alternatives = (types: ReadonlyArray<Field.Type>): ReadonlyArray<Schema.JsonObject> => {
  const words = types.flatMap((type) => (type._tag === "Word" ? [type.word] : []))
  const others = types.flatMap((type) => (type._tag === "Word" ? [] : [single(type)]))
  const open = others.filter((schema) => textOf(schema) !== textOf(string))
  return words.length === 0 ? others : [{ ...string, examples: words }, ...open]
}

const single = (type: Exclude<Field.Type, { readonly _tag: "Word" }>): Schema.JsonObject => {
  switch (type._tag) {
    case "Plain":
      return plain[type.kind] ?? {}
    case "List": {
      const items = alternatives(type.of)
      return {
        type: "array",
        items: items.length === 1 ? (items[0] ?? {}) : items.length === 0 ? {} : { anyOf: items }
      }
    }
    case "Object":
      return {
        type: "object",
        properties: Object.fromEntries([...Field.fieldsOf(type.ast)].map(([name, field]) => [name, ofField(field)]))
      }
    case "Other":
      return {}
  }
}
