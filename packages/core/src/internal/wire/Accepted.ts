/**
 * The kinds of value that a schema accepts for each key of a record, as far as the schema alone says so. Then a layout is
 * checked once, and its records need no check of their own.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

// Kinds of flat JSON values, one bit each; a key accepts a set of them.

/** Text. */
export const text = 1
/** `null`. */
export const null_ = 2
/** A number. */
export const number = 4
/** `true`. */
export const true_ = 8
/** `false`. */
export const false_ = 16
/** Any flat value. */
export const anything = text | null_ | number | true_ | false_

/** Returns what each of these keys accepts; `undefined` when the schema refuses records with exactly these keys. */
export type Accepted = (keys: ReadonlyArray<string>) => Uint8Array | undefined

/** Reads what the schema of a record accepts; `undefined` when every record has to be checked by itself. */
export const of = ({ ast }: Schema.Top): Accepted | undefined => {
  if (ast._tag !== "Objects" || isRefined(ast) || ast.encodingChecks !== undefined || ast.indexSignatures.length > 0) {
    return undefined
  }
  const kinds = new Map(ast.propertySignatures.map(({ name, type }) => [name, kindsOf(type)]))
  const required = ast.propertySignatures.flatMap(({ name, type }) => (type.context?.isOptional === true ? [] : [name]))
  // A required nested value: no record is flat.
  if (required.some((name) => kinds.get(name) === 0)) return undefined
  return (keys) =>
    required.every((name) => typeof name === "string" && keys.includes(name))
      ? // Keys that the schema does not describe may have any value.
        Uint8Array.from(keys, (key) => kinds.get(key) ?? anything)
      : undefined
}

/** Whether the schema checks more than the type of a value. */
export const isRefined = ({ checks, encoding }: SchemaAST.AST) => checks !== undefined || encoding !== undefined

/** The kinds of flat value that a schema accepts; none where it asks more of a value than its kind. */
export const kindsOf = (ast: SchemaAST.AST): number => {
  // A number read from JSON is always finite here.
  if (ast._tag === "Number" && ast.encoding === undefined) {
    return ast.checks === undefined || ast.checks === Schema.Finite.ast.checks ? number : 0
  }
  if (isRefined(ast)) return 0
  switch (ast._tag) {
    case "String":
      return text
    case "Null":
      return null_
    case "Boolean":
      return true_ | false_
    case "Union":
      return ast.encodingChecks === undefined && ast.options?.mode !== "oneOf"
        ? ast.types.reduce((all, type) => all | kindsOf(type), 0)
        : 0
    default:
      return 0
  }
}
