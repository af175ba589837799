/**
 * Descriptions of every endpoint, parameter and record field, for help and `sluice describe`.
 *
 * `pnpm reference` writes them to `descriptions.json` from the comments of core. The file is read only when a description
 * is shown.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface Parameter extends Schema.Schema.Type<typeof Parameter> {}
export const Parameter = Schema.Struct({
  name: Schema.String,
  /** What it takes, such as `comma list` or `whole number, 1 to 100`. */
  takes: Schema.String,
  /** True where a call must give it; absent elsewhere. */
  required: Schema.optionalKey(Schema.Boolean),
  /** What it does: its doc comment. */
  means: Schema.optionalKey(Schema.String)
})

export interface Field extends Schema.Schema.Type<typeof Field> {}
export const Field = Schema.Struct({
  name: Schema.String,
  /** What it holds, such as `decimal as text`. */
  holds: Schema.String,
  optional: Schema.optionalKey(Schema.Boolean),
  nullable: Schema.optionalKey(Schema.Boolean),
  /** Name of the record that it holds, or holds a list of. */
  record: Schema.optionalKey(Schema.String),
  /** What its value says: its doc comment. */
  means: Schema.optionalKey(Schema.String)
})

const prose = {
  /** One sentence. */
  summary: Schema.String,
  details: Schema.optionalKey(Schema.Array(Schema.String))
}

export interface Endpoint extends Schema.Schema.Type<typeof Endpoint> {}
export const Endpoint = Schema.Struct({
  /** Its name in a program, such as `Timeseries.assetMetrics`. */
  name: Schema.String,
  ...prose,
  deprecated: Schema.optionalKey(Schema.String),
  parameters: Schema.Array(Parameter),
  /** Names of the parameters that many endpoints have. */
  shared: Schema.Array(Schema.String),
  /** Rules between parameters, a sentence each. */
  rules: Schema.Array(Schema.String),
  /** Name of its record; absent where the record depends on the call alone. */
  record: Schema.optionalKey(Schema.String),
  /** What parameters of the call add to the record. */
  additions: Schema.Array(
    Schema.Struct({ ...prose, fields: Schema.Array(Field), records: Schema.Array(Schema.String) })
  )
})

export interface Record extends Schema.Schema.Type<typeof Record> {}
export const Record = Schema.Struct({
  ...prose,
  /** Names of records whose fields it has too. */
  includes: Schema.Array(Schema.String),
  fields: Schema.Array(Field)
})

/** All of it: parameters by name, endpoints by path, records by name. */
export interface Descriptions extends Schema.Schema.Type<typeof Descriptions> {}
export const Descriptions = Schema.Struct({
  shared: Schema.Record(Schema.String, Parameter),
  endpoints: Schema.Record(Schema.String, Endpoint),
  records: Schema.Record(Schema.String, Record)
})

/** Reads the descriptions; a file that cannot be read is a bug of this package. */
export const load: Effect.Effect<Descriptions> = Effect.promise(
  () => import("./descriptions.json", { with: { type: "json" } })
).pipe(
  Effect.flatMap((module) => Schema.decodeUnknownEffect(Descriptions)(module.default)),
  Effect.orDie
)

/** The parameters of an endpoint, those it shares with others last. */
export const parametersOf = ({ endpoints, shared }: Descriptions, path: string): ReadonlyArray<Parameter> => {
  const endpoint = endpoints[path]
  return endpoint === undefined
    ? []
    : [...endpoint.parameters, ...endpoint.shared.flatMap((name) => (shared[name] === undefined ? [] : [shared[name]]))]
}
