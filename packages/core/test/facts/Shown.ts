/**
 * What an endpoint shows of itself, in the words of the table.
 */
import { type Endpoint, Field as Held } from "@sluice/core"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { Field, Fields, Type } from "./Field.ts"

/** What no word of the table stands for. */
interface Odd {
  readonly _tag: "odd"
  readonly what: string
}

/** The fields of a record, nested ones included. `yes` and `no` are one to a reader: what may be absent or null is `no`. */
export const fieldsOf = (record: Schema.Top): Fields => {
  const { ast } = record
  return ast._tag === "Objects" ? objectOf(ast).fields : {}
}

/** The type of any field that has no name of its own. */
export const restOf = ({ ast }: Schema.Top): Type | undefined =>
  ast._tag === "Objects" && ast.indexSignatures[0] !== undefined ? typeOf(ast.indexSignatures[0].type) : undefined

const objectOf = ({ propertySignatures }: SchemaAST.Objects) => ({
  _tag: "object" as const,
  fields: Object.fromEntries(propertySignatures.map(({ name, type }) => [String(name), fieldOf(type)]))
})

const fieldOf = (ast: SchemaAST.AST): Field => {
  const isAbsent = ast.context?.isOptional === true
  const isNull = membersOf(ast).some(({ _tag }) => _tag === "Null")
  const type = typeOf(ast)
  if (isAbsent === isNull) return { presence: isAbsent ? "no" : "key", type }
  return { presence: "no", type: odd(`${isAbsent ? "may be absent but not null" : "may be null but not absent"}`) }
}

const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" && Held.heldBy({ ast } as Schema.Top) === undefined ? ast.types.flatMap(membersOf) : [ast]

// Type boundary: what is odd equals no type of the table, so that comparing shows it.
const odd = (what: string): Type => ({ _tag: "odd", what }) satisfies Odd as unknown as Type

const typeOf = (ast: SchemaAST.AST): Type => {
  const members = membersOf(ast).filter(({ _tag }) => _tag !== "Null" && _tag !== "Undefined")
  const tags = members.map(({ _tag }) => _tag)
  const [only] = members
  if (only !== undefined && members.length === 1) return singleOf(only)
  const words = members.flatMap((member) => (member._tag === "Literal" ? [String(member.literal)] : []))
  if (words.length > 0 && tags.filter((tag) => tag !== "Literal").join(" ") === "String") return { _tag: "word", words }
  if (tags.toSorted().join(" ") === "Number String") return { _tag: "number" }
  return odd(tags.join(" | "))
}

const singleOf = (ast: SchemaAST.AST): Type => {
  switch (Held.heldBy({ ast } as Schema.Top)) {
    case "decimal":
      return { _tag: "decimal" }
    case "timestamp":
      return { _tag: "time" }
    default:
  }
  switch (ast._tag) {
    case "String":
      return { _tag: "text" }
    case "Boolean":
      return { _tag: "bool" }
    case "Arrays":
      return ast.rest[0] === undefined ? odd("a list of nothing") : { _tag: "list", of: typeOf(ast.rest[0]) }
    case "Objects":
      return objectOf(ast)
    default:
      return odd(ast._tag)
  }
}

/** What an endpoint says of a parameter, as far as the table speaks of it. */
export const parameterOf = ({ parameters }: Endpoint.Any, name: string) => {
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
        excludes: parameter.excludes.toSorted()
      }
}
