/**
 * Says where two descriptions differ: one line for each place.
 */
import type { Field, Fields, Type } from "@sluice/interface/Field"

const shown = (type: Type): string => {
  switch (type._tag) {
    case "list":
      return `[${shown(type.of)}]`
    case "either":
      return `[{${Object.keys(type.fields).join(", ")}}] or one`
    case "object":
      return `{${Object.keys(type.fields).join(", ")}}`
    case "word":
      return `word ${type.words.toSorted().join("|")}`
    default:
      return Object.values(type).join(": ")
  }
}

/** Every place below `at` where the fields an endpoint shows are not those of the table. */
export const fields = (at: string, table: Fields, endpoint: Fields): ReadonlyArray<string> =>
  [...new Set([...Object.keys(table), ...Object.keys(endpoint)])].flatMap((name) =>
    field(`${at}.${name}`, table[name], endpoint[name])
  )

const field = (at: string, table: Field | undefined, endpoint: Field | undefined): ReadonlyArray<string> => {
  if (table === undefined) return [`${at}: not in the table; the endpoint has ${written(endpoint)}`]
  if (endpoint === undefined) return [`${at}: missing in the endpoint; the table has ${written(table)}`]
  const presence =
    table.isKey === endpoint.isKey
      ? []
      : [`${at}: the table has it as ${named(table)}, the endpoint as ${named(endpoint)}`]
  return [...presence, ...type(at, table.type, endpoint.type)]
}

const named = ({ isKey }: Field) => (isKey ? "a key of the record" : "optional")

const written = (field: Field | undefined) => (field === undefined ? "" : `${named(field)}, ${shown(field.type)}`)

/** Every place below `at` where a type an endpoint shows is not that of the table. */
export const type = (at: string, table: Type, endpoint: Type): ReadonlyArray<string> => {
  if (table._tag === "list" && endpoint._tag === "list") return type(`${at}[]`, table.of, endpoint.of)
  if (table._tag === "object" && endpoint._tag === "object") return fields(at, table.fields, endpoint.fields)
  if (table._tag === "either" && endpoint._tag === "either") return fields(at, table.fields, endpoint.fields)
  return shown(table) === shown(endpoint)
    ? []
    : [`${at}: the table has ${shown(table)}, the endpoint ${shown(endpoint)}`]
}

/** Every property in which two plain descriptions differ. */
export const properties = <A extends object>(at: string, table: A, endpoint: A): ReadonlyArray<string> =>
  Object.keys(table).flatMap((name) => {
    const [left, right] = [table, endpoint].map((one) => JSON.stringify(Reflect.get(one, name)) ?? "none")
    return left === right ? [] : [`${at}, ${name}: the table has ${left}, the endpoint ${right}`]
  })
