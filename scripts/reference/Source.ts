/**
 * The TypeScript sources as far as the reference reads them: what a file declares, the doc comment that stands before
 * it, and the declaration a name leads to.
 */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import {
  type ExportNamedDeclaration,
  type Expression,
  parseSync,
  type Span,
  type Statement,
  type TSInterfaceDeclaration,
  type TSType,
  type TSTypeAliasDeclaration,
  type TSTypeName
} from "oxc-parser"
import * as Doc from "./Doc.ts"
import { unresolved } from "./Unresolved.ts"

interface Declared<Node> {
  readonly module: Module
  readonly name: string
  readonly exported: boolean
  readonly doc: Doc.Doc | undefined
  readonly node: Node
}

/**
 * A constant: the expression it holds, and its type where one is written. `without` names the fields that were taken out of
 * the expression: `const { a: _, ...value } = init`.
 */
export type Value = Declared<{
  readonly init: Expression
  readonly type: TSType | undefined
  readonly without?: ReadonlyArray<string>
}>

/** An interface or a type alias. */
export type Type = Declared<TSInterfaceDeclaration | TSTypeAliasDeclaration>

/** One parsed file. */
export interface Module {
  /** Path below the repository. */
  readonly file: string
  /** The comment at the head of the file. */
  readonly doc: Doc.Doc | undefined
  readonly values: ReadonlyMap<string, Value>
  readonly types: ReadonlyMap<string, Type>
  /** Local names that stand for something of another file; `name` is absent where they stand for all of it. */
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string | undefined }>
  /** Files all of whose exports are exported again. */
  readonly forwards: ReadonlyArray<string>
  /** Types of other files that are exported again, under their own names. */
  readonly forwardedTypes: ReadonlyMap<string, string>
  /** The doc comment directly before a node. */
  readonly docOf: (node: Span) => Doc.Doc | undefined
}

const modules = new Map<string, Module>()

/** The file at a path below the repository. */
export const open = (file: string): Module => {
  const known = modules.get(file)
  if (known !== undefined) return known
  const module = read(file)
  modules.set(file, module)
  return module
}

const read = (file: string): Module => {
  const text = readFileSync(file, "utf8")
  const { comments, errors, program } = parseSync(file, text, { preserveParens: false })
  if (errors.length > 0) unresolved({ file }, "the file", `does not parse: ${errors[0]?.message}`)

  const docs = new Map(
    comments
      .filter(({ type, value }) => type === "Block" && value.startsWith("*"))
      .map(({ end, start, value }) => [end, { start, doc: Doc.parse(value) }])
  )
  const docOf = ({ start }: Span) => docs.get(text.slice(0, start).trimEnd().length)?.doc

  const values = new Map<string, Value>()
  const types = new Map<string, Type>()
  const imports = new Map<string, { from: string; name: string | undefined }>()
  const forwards: Array<string> = []
  const forwardedTypes = new Map<string, string>()
  const module: Module = {
    file,
    doc: [...docs.values()].find(({ start }) => start === 0)?.doc,
    values,
    types,
    imports,
    forwards,
    forwardedTypes,
    docOf
  }
  const beside = (specifier: string) =>
    specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : specifier

  const declare = (statement: Statement, exported: boolean, doc: Doc.Doc | undefined): void => {
    if (statement.type === "VariableDeclaration") {
      for (const { id, init } of statement.declarations) {
        if (init === null) continue
        if (id.type === "ObjectPattern") {
          const taken = id.properties.flatMap((property) =>
            property.type === "Property" && property.key.type === "Identifier" ? [property.key.name] : []
          )
          const rest = id.properties.find((property) => property.type === "RestElement")
          if (rest?.argument.type !== "Identifier") continue
          const { name } = rest.argument
          values.set(name, { module, name, exported, doc, node: { init, type: undefined, without: taken } })
          continue
        }
        if (id.type !== "Identifier") continue
        const node = { init, type: id.typeAnnotation?.typeAnnotation }
        values.set(id.name, { module, name: id.name, exported, doc, node })
      }
    } else if (statement.type === "TSInterfaceDeclaration" || statement.type === "TSTypeAliasDeclaration") {
      types.set(statement.id.name, { module, name: statement.id.name, exported, doc, node: statement })
    }
  }

  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      for (const specifier of statement.specifiers) {
        const name = specifier.type === "ImportSpecifier" ? nameOf(specifier.imported) : undefined
        imports.set(specifier.local.name, { from: beside(statement.source.value), name })
      }
    } else if (statement.type === "ExportAllDeclaration" && statement.exported === null) {
      forwards.push(beside(statement.source.value))
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration !== null) {
      declare(statement.declaration, true, docOf(statement))
    } else if (statement.type === "ExportNamedDeclaration" && isTypeForward(statement)) {
      for (const { exported } of statement.specifiers) {
        forwardedTypes.set(nameOf(exported), beside(statement.source?.value ?? ""))
      }
    } else if (statement.type === "ExportNamedDeclaration" || statement.type === "ExportAllDeclaration") {
      unresolved(
        module,
        "an export list",
        "is not read: declare what is exported, forward types, or forward a whole file"
      )
    } else {
      declare(statement, false, docOf(statement))
    }
  }
  return module
}

/** Tells `export type { A } from` without new names from other lists of exports. */
const isTypeForward = ({ exportKind, source, specifiers }: ExportNamedDeclaration) =>
  exportKind === "type" &&
  source !== null &&
  specifiers.every(({ exported, local }) => nameOf(exported) === nameOf(local))

const nameOf = (node: { readonly name: string } | { readonly value: string }) =>
  "name" in node ? node.name : node.value

/** The parts of `Params.paging` or `Asset`, in an expression or a type; nothing for any other shape. */
export const pathOf = (node: Expression | TSTypeName): ReadonlyArray<string> | undefined => {
  if (node.type === "Identifier") return [node.name]
  const [before, last] =
    node.type === "MemberExpression" && !node.computed && node.property.type === "Identifier"
      ? [pathOf(node.object), node.property.name]
      : node.type === "TSQualifiedName"
        ? [pathOf(node.left), node.right.name]
        : []
  return before === undefined || last === undefined ? undefined : [...before, last]
}

/** The file, or module of another package, that the first part of a path comes from; its own file where none. */
export const originOf = (module: Module, path: ReadonlyArray<string>): string =>
  module.imports.get(path[0] ?? "")?.from ?? module.file

/** The constants of a file, or its types: a name can stand for one of each. */
type Space<A> = (module: Module) => ReadonlyMap<string, A>

const values: Space<Value> = (module) => module.values
const types: Space<Type> = (module) => module.types

const exported = <A extends Declared<unknown>>(file: string, name: string, space: Space<A>): A | undefined => {
  const pending = [file]
  for (const next of pending) {
    if (!next.endsWith(".ts")) continue
    const module = open(next)
    const found = space(module).get(name)
    if (found?.exported) return found
    const forwarded = module.forwardedTypes.get(name)
    pending.push(...(forwarded === undefined ? [] : [forwarded]), ...module.forwards)
  }
  return undefined
}

const find = <A extends Declared<unknown>>(module: Module, path: ReadonlyArray<string>, space: Space<A>) => {
  const [first = "", second, ...rest] = path
  const imported = module.imports.get(first)
  if (rest.length > 0) return undefined
  if (imported === undefined) return second === undefined ? space(module).get(first) : undefined
  const name = imported.name ?? second
  const isWhole = imported.name === undefined ? path.length === 2 : path.length === 1
  return name === undefined || !isWhole ? undefined : exported(imported.from, name, space)
}

/** The constant a file exports under a name, its own or one it forwards. */
export const exportedValue = (file: string, name: string): Value | undefined => exported(file, name, values)

/** The constant a path leads to from within a file; nothing where it leads outside the repository. */
export const findValue = (module: Module, path: ReadonlyArray<string>): Value | undefined => find(module, path, values)

/** The interface or alias a path leads to from within a file; nothing where it leads outside the repository. */
export const findType = (module: Module, path: ReadonlyArray<string>): Type | undefined => find(module, path, types)
