/**
 * The columns of an endpoint's records as a table: they follow from the schema of a record and the parameters, never
 * from the data, so that every part of a download has the same ones.
 */
import * as Decimal from "@sluice/core/Decimal"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Timestamp from "@sluice/core/Timestamp"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { BadFormat } from "./FormatError.ts"

/**
 * What a column holds: text as it is, exact decimal text, a moment with up to nine fractional digits, `true` or `false`,
 * a JSON number, or JSON of any other shape.
 */
export type Kind = "text" | "decimal" | "timestamp" | "boolean" | "number" | "json"

/** One column. */
export interface Column {
  /** The record's key, which is the wire's name. */
  readonly name: string
  readonly kind: Kind
  /** Whether records may lack it or have null there. */
  readonly nullable: boolean
}

/**
 * Tells the columns of the records that an endpoint gives for these parameters.
 *
 * **Details**
 *
 * First what names a record, such as `asset` and `time`; then the other fields as the interface lists them, metrics in
 * the order they are asked for; last the review status of metrics, `<metric>-status` and `<metric>-status-time`, there
 * for every metric since only the service knows which have one. Times are `timestamp` in time series and `text`
 * elsewhere, where a date alone or `N/A` may stand in their place.
 *
 * Of these `chosen` ones, in their order, where they are named. Fails with {@link BadFormat} when a metric is named by a
 * wildcard, and for a chosen name that is no column.
 */
export const of = (
  endpoint: Endpoint.Info,
  params: object,
  chosen?: ReadonlyArray<string> | undefined
): Result.Result<ReadonlyArray<Column>, BadFormat> => {
  // Type boundary: whoever works on all endpoints has their parameters as data; the schema reads what it knows of them.
  const fields = fieldsOf(endpoint.record(params as never))
  const all = Object.entries(fields).map(([name, field]): Column => ({
    name,
    kind: kindOf(field, endpoint.order === "series"),
    nullable: SchemaAST.isOptional(field.ast) || allowsNull(field.ast)
  }))
  const wild = all.find(({ name }) => name.includes("*"))
  if (wild !== undefined) return bad(`"${wild.name}" could stand for any; name each`)
  return chosen === undefined ? Result.succeed(ordered(all)) : choose(ordered(all), chosen)
}

const choose = (columns: ReadonlyArray<Column>, names: ReadonlyArray<string>) => {
  const known = new Map(columns.map((column) => [column.name, column]))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) return bad(`there is no "${unknown}"; there are ${[...known.keys()].join(", ")}`)
  if (new Set(names).size < names.length) return bad("one is named twice")
  return names.length === 0
    ? bad("at least one is needed")
    : Result.succeed(names.flatMap((name) => known.get(name) ?? []))
}

const bad = (reason: string) => Result.fail(new BadFormat({ option: "columns", reason }))

const fieldsOf = (record: Schema.Top): Readonly<Record<string, Schema.Top>> =>
  // Type boundary: the record of every endpoint is a struct.
  "fields" in record ? (record.fields as Readonly<Record<string, Schema.Top>>) : {}

const ordered = (all: ReadonlyArray<Column>) => {
  const names = new Set(all.map(({ name }) => name))
  const rank = ({ name, nullable }: Column) => {
    if (!nullable) return 0
    const metric = name.replace(/-status(?:-time)?$/, "")
    return metric !== name && names.has(metric) ? 2 : 1
  }
  return all.toSorted((a, b) => rank(a) - rank(b))
}

const allowsNull = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isNull(ast) || (SchemaAST.isUnion(ast) && ast.types.some(allowsNull))

const kindOf = (schema: Schema.Top, isSeries: boolean): Kind => {
  if (schema === Decimal.Decimal) return "decimal"
  if (schema === Timestamp.Timestamp) return isSeries ? "timestamp" : "text"
  if (hasSchema(schema)) return kindOf(schema.schema, isSeries)
  if (!hasMembers(schema)) return plainKind(schema.ast)
  const members = schema.members.filter(({ ast }) => !SchemaAST.isNull(ast))
  return merge(members.map((member) => kindOf(member, isSeries)))
}

const hasSchema = (schema: Schema.Top): schema is Schema.Top & { readonly schema: Schema.Top } =>
  Predicate.hasProperty(schema, "schema") && Schema.isSchema(schema.schema)

const hasMembers = (schema: Schema.Top): schema is Schema.Top & { readonly members: ReadonlyArray<Schema.Top> } =>
  Predicate.hasProperty(schema, "members") && Array.isArray(schema.members)

const plainKind = (ast: SchemaAST.AST): Kind => {
  switch (ast._tag) {
    case "String":
    case "TemplateLiteral":
      return "text"
    case "Literal":
      return Predicate.isString(ast.literal) ? "text" : "json"
    case "Boolean":
      return "boolean"
    case "Number":
      return "number"
    case "Union":
      return merge(ast.types.map(plainKind))
    default:
      return "json"
  }
}

/** A provider's number, which may come as text, is kept as text. */
const merge = (kinds: ReadonlyArray<Kind>): Kind => {
  const [first = "json", ...others] = new Set(kinds)
  if (others.length === 0) return first
  return [first, ...others].every((kind) => kind === "text" || kind === "number" || kind === "decimal")
    ? "text"
    : "json"
}
