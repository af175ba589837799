/**
 * What an endpoint describes, in the words of the table.
 */
import { type Endpoint, Field as Held } from "@sluice/core"
import type * as Schema from "effect/Schema"
import type { Field, Fields, Type } from "@sluice/interface/Field"

/** What no word of the table stands for. */
interface Odd {
  readonly _tag: "odd"
  readonly what: string
}

/** The fields of a record, nested ones included. */
export const fieldsOf = (record: Schema.Top): Fields => read(Held.allOf(record))

const read = (fields: ReadonlyMap<string, Held.Field>): Fields =>
  Object.fromEntries([...fields].map(([name, field]) => [name, fieldOf(field)]))

const fieldOf = ({ isNullable, isOptional, types }: Held.Field): Field => {
  if (isOptional === isNullable) return { isKey: !isOptional, type: typeOf(types) }
  return { isKey: false, type: odd(`${isOptional ? "may be absent but not null" : "may be null but not absent"}`) }
}

// Type boundary: what is odd equals no type of the table, so that comparing shows it.
const odd = (what: string): Type => ({ _tag: "odd", what }) satisfies Odd as unknown as Type

const plain = {
  text: "text",
  decimal: "decimal",
  integer: "int64",
  timestamp: "time",
  boolean: "bool",
  number: "number"
} as const

const typeOf = (types: ReadonlyArray<Held.Type>): Type => {
  const [only] = types
  if (only !== undefined && types.length === 1) return singleOf(only)
  const words = types.flatMap((type) => (type._tag === "Word" ? [type.word] : []))
  const others = types.flatMap((type) => (type._tag === "Word" ? [] : [type._tag === "Plain" ? type.kind : type._tag]))
  if (words.length > 0 && others.join(" ") === "text") return { _tag: "word", words }
  if (words.length === 0 && others.toSorted().join(" ") === "number text") return { _tag: "number" }
  const [list, object] = types
  if (types.length === 2 && list?._tag === "List" && object?._tag === "Object") {
    return { _tag: "either", fields: read(Held.fieldsOf(object.ast)) }
  }
  return odd([...words, ...others].join(" | "))
}

const singleOf = (type: Held.Type): Type => {
  switch (type._tag) {
    case "Plain":
      // A number that is never text is none that the interface has.
      return type.kind === "number" ? odd("number") : { _tag: plain[type.kind] }
    case "List":
      return { _tag: "list", of: typeOf(type.of) }
    case "Object":
      return { _tag: "object", fields: read(Held.fieldsOf(type.ast)) }
    case "Word":
      return odd(type.word)
    case "Other":
      return odd(type.ast._tag)
  }
}

/** What an endpoint says of a parameter, as far as the table speaks of it. */
export const parameterOf = ({ parameters }: Pick<Endpoint.Info, "parameters">, name: string) => {
  const parameter = parameters.get(name)
  return parameter === undefined
    ? undefined
    : {
        kind: parameter.kind,
        isList: parameter.isList,
        isRequired: parameter.isRequired,
        words: parameter.words.toSorted(),
        isClosed: parameter.isClosed,
        minimum: parameter.minimum,
        maximum: parameter.maximum,
        takesIdentifiers: parameter.takesIdentifiers,
        isPaidOnly: parameter.isPaidOnly,
        excludes: parameter.excludes.toSorted()
      }
}
