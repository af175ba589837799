/**
 * The options of a function as schemas, so that a program which no compiler has checked is refused as well, with the name of the
 * option at fault: Node.js runs TypeScript without checking types, and JavaScript has none.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { harmless, withoutKey } from "@sluice/core/PlainText"
import { nearest } from "./Nearest.ts"

/** What is wrong with one option. */
export interface Fault {
  /** Its path, such as `layout.period`; empty where the options as a whole are no object. */
  readonly option: string
  /** The rest of a sentence that begins with its name, such as `must be true or false, got "yes"`. */
  readonly reason: string
}

/** Two types that are the same, with the same members: TypeScript lets one have optional members that the other has not. */
type Same<A, B> = [A, keyof A] extends [B, keyof B] ? ([B, keyof B] extends [A, keyof A] ? unknown : never) : never

/**
 * A schema for each option of an interface. Does not compile where the two disagree, so that what is checked at run time is what
 * the compiler checks.
 */
export const of =
  <O extends object>() =>
  <const F extends Schema.Struct.Fields>(options: F & Same<Schema.Struct.Type<F>, O>): Schema.Struct<F> =>
    Schema.Struct<F>(options)

/** Finds the first option that is unknown, missing, or none of the values it may have. */
export const faultOf = (shape: Schema.Top): ((given: unknown) => Fault | undefined) => {
  // Type boundary: options are checked as they are, so nothing is decoded, and no service is needed.
  const check = Schema.decodeUnknownResult(shape as Schema.Codec<unknown>, { onExcessProperty: "error" })
  const look = (given: unknown) => {
    const found = check(given)
    return Result.isSuccess(found) ? undefined : tell(found.failure.issue, given, [])
  }
  // A getter, or a proxy, runs code of the caller.
  return (given) =>
    Result.getOrElse(
      Result.try(() => look(given)),
      () => unreadable
    )
}

const unreadable: Fault = { option: "", reason: "cannot be read: one of its members throws an error" }

type Path = ReadonlyArray<PropertyKey>

const tell = (issue: SchemaIssue.Issue, given: unknown, path: Path, among: ReadonlyArray<string> = []): Fault => {
  switch (issue._tag) {
    case "Pointer":
      return tell(issue.issue, given, [...path, ...issue.path], among)
    case "UnexpectedKey":
      return fault(path, `is not an option${meant(String(path.at(-1)), among)}`)
    case "MissingKey":
      return fault(path, "is required")
    case "Composite":
    case "AnyOf": {
      const inner = issue.issues.find(hasPath)
      if (inner !== undefined) return tell(inner, given, path, namesOf(issue.ast))
      return fault(path, refusal(issue.ast, valueAt(given, path)))
    }
    default:
      return fault(path, "ast" in issue ? refusal(issue.ast, valueAt(given, path)) : "has a value that is not allowed")
  }
}

/** Whether the fault is of a member of a value, and not of the value itself. */
const hasPath = (issue: SchemaIssue.Issue): boolean =>
  issue._tag === "Pointer" || ((issue._tag === "Composite" || issue._tag === "AnyOf") && issue.issues.some(hasPath))

const fault = (path: Path, reason: string): Fault => ({
  option: path.map((name) => harmless(String(name))).join("."),
  reason
})

const valueAt = (given: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, name) => (Predicate.hasProperty(value, name) ? value[name] : undefined), given)

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const meant = (name: string, among: ReadonlyArray<string>): string => {
  const found = nearest(name, among)
  if (found !== undefined) return `; did you mean "${found}"?`
  return among.length === 0 ? "" : `; the options are ${among.join(", ")}`
}

const refusal = (ast: SchemaAST.AST, value: unknown): string =>
  value === undefined ? "is required" : `must be ${expected(ast)}${got(ast, value)}`

const expected = (ast: SchemaAST.AST): string => {
  const said = ast.checks?.at(-1)?.annotations?.["expected"] ?? ast.annotations?.["expected"]
  if (Predicate.isString(said)) return said
  switch (ast._tag) {
    case "Union":
      return listed([...new Set(ast.types.filter(({ _tag }) => _tag !== "Undefined").map(expected))])
    case "Literal":
      return JSON.stringify(String(ast.literal))
    case "Boolean":
      return "true or false"
    case "String":
      return "text"
    case "Number":
      return "a number"
    case "Arrays":
      return "a list"
    case "Objects":
      return "an object"
    default:
      return "another value"
  }
}

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

/** The value that was given. Text only where words are expected: elsewhere it may be a key or have a password. */
const got = (ast: SchemaAST.AST, value: unknown): string => {
  if (Predicate.isString(value)) return isWord(ast) ? `, got ${JSON.stringify(shortened(value))}` : ""
  if (Array.isArray(value)) return ", got a list"
  if (Predicate.isFunction(value)) return ", got a function"
  return Predicate.isObject(value) ? "" : `, got ${String(value)}`
}

const isWord = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union"
    ? ast.types.every((one) => one._tag === "Undefined" || isWord(one))
    : ast._tag === "Literal" || ast._tag === "Boolean" || ast._tag === "Number"

const shortened = (text: string) => {
  const shown = harmless(withoutKey(text))
  return shown.length > 40 ? `${shown.slice(0, 40)}…` : shown
}
