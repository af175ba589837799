/**
 * What the compiler knows of the public declarations of core: their comments, the fields of a schema, the rules it is
 * checked by.
 */
import * as Sources from "../../packages/site/src/Sources.ts"
import * as Doc from "./Doc.ts"

const { ts } = Sources

export type Symbol = Sources.ts.Symbol

export type Type = Sources.ts.Type

const core = "packages/core/src"

/** The file of the parameters that many endpoints have. */
export const paramsFile = `${core}/Params.ts`

export const fileOf = (section: string) => `${core}/endpoints/${section}.ts`

const program = Sources.open(`${core}/Endpoints.ts`)

export const checker = program.getTypeChecker()

export const stop = (symbol: Symbol, problem: string): never =>
  Doc.unresolved({ file: Sources.fileOf(symbol) }, symbol.name, problem)

const exported = new Map<string, ReadonlyMap<string, Symbol>>()

/** Where an export of a file is declared. */
export const exportOf = (file: string, name: string): Symbol =>
  declaredIn(file, name) ?? Doc.unresolved({ file }, name, "is exported, but its declaration is not found")

/** What a file exports by a name, or nothing where it does not. */
export const declaredIn = (file: string, name: string): Symbol | undefined => {
  const names = exported.get(file) ?? Sources.exportsOf(program, file)
  exported.set(file, names)
  return names.get(name)
}

export const introductionOf = (section: string): Doc.Doc => {
  const file = fileOf(section)
  const comment = Sources.headOf(file)
  return comment === undefined
    ? Doc.unresolved({ file }, section, "has no comment at the head of its file")
    : Doc.parse(comment)
}

/** The comment of something. A field without one has that of its constant. */
export const commentOf = (symbol: Symbol): Doc.Doc | undefined => {
  const declarations = symbol.declarations ?? []
  const comment = declarations.map(Sources.commentOf).find((one) => one !== undefined)
  if (comment !== undefined) return Doc.parse(comment)
  const constant = declarations.map(constantOf).find((one) => one !== undefined)
  return constant === undefined ? undefined : commentOf(constant)
}

/** The constant whose value a field takes by name, or whose only field it is. */
const constantOf = (field: Sources.ts.Declaration): Symbol | undefined => {
  const literal = field.parent
  if (ts.isShorthandPropertyAssignment(field)) {
    const constant = checker.getShorthandAssignmentValueSymbol(field)
    return constant === undefined ? undefined : Sources.declared(checker, constant)
  }
  return ts.isObjectLiteralExpression(literal) &&
    literal.properties.length === 1 &&
    ts.isVariableDeclaration(literal.parent)
    ? checker.getSymbolAtLocation(literal.parent.name)
    : undefined
}

/** The comment of something public, which must have one. */
export const docOf = (symbol: Symbol): Doc.Doc => commentOf(symbol) ?? stop(symbol, "has no doc comment")

const partsOf = (type: Type): ReadonlyArray<Type> => {
  if (type.isUnion()) return type.types.flatMap(partsOf)
  // Type boundary: a list is a reference, which has the type of its items.
  return checker.isArrayType(type)
    ? checker.getTypeArguments(type as Sources.ts.TypeReference).flatMap(partsOf)
    : [type]
}

/** The fields of these names that a type has, by itself or in a list; nothing where it lacks one. */
export const fieldsOf = (type: Type, names: ReadonlyArray<string>): ReadonlyArray<Symbol> | undefined =>
  partsOf(type)
    .map((part) => names.flatMap((name) => checker.getPropertyOfType(part, name) ?? []))
    .find((fields) => fields.length === names.length)

/** Where a field is written: the same for records of which one spreads the other. */
export const writtenAt = ({ declarations }: Symbol) => declarations?.[0]

/** Tells whether a field is one of those that many endpoints have. */
export const isShared = (field: Symbol): boolean => Sources.fileOf(field) === paramsFile

/** The type of what a schema decodes. */
export const decodedBy = (schema: Symbol): Type =>
  checker.getTypeOfSymbol(
    checker.getPropertyOfType(checker.getTypeOfSymbol(schema), "Type") ?? stop(schema, "is no schema")
  )

/** A rule between parameters: what its function says, and the names it was given. */
export interface Rule {
  readonly doc: Doc.Doc
  readonly names: ReadonlyArray<string>
}

export const rulesOf = (schema: Symbol): ReadonlyArray<Rule> => {
  const { valueDeclaration: declaration } = schema
  const rules: Array<Rule> = []
  let call = declaration !== undefined && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined
  while (call !== undefined && ts.isCallExpression(call) && ts.isPropertyAccessExpression(call.expression)) {
    const { expression, name } = call.expression
    if (name.text === "check")
      rules.unshift(...call.arguments.filter(ts.isCallExpression).map((rule) => ruleOf(schema, rule)))
    call = expression
  }
  return rules
}

const ruleOf = (schema: Symbol, call: Sources.ts.CallExpression): Rule => {
  const rule = checker.getSymbolAtLocation(call.expression)
  const names = call.arguments.filter(ts.isStringLiteral).map(({ text }) => text)
  const doc = rule === undefined ? undefined : commentOf(rule)
  return doc === undefined || names.length === 0
    ? stop(schema, "has a check that is not a documented rule with names")
    : { doc, names }
}
