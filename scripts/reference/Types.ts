/**
 * What the written type of an endpoint says: which constants are the schemas of its parameters and records, and what the
 * type adds to them where it is more than `Endpoint.Endpoint<Params, Record>`.
 */
import type { TSSignature, TSType } from "oxc-parser"
import type * as Doc from "./Doc.ts"
import * as Source from "./Source.ts"
import { unresolved } from "./Unresolved.ts"

/** A property of a type. */
export interface Member {
  readonly name: string
  readonly doc: Doc.Doc | undefined
  readonly optional: boolean
  readonly type: TSType | undefined
  readonly module: Source.Module
}

/** A type taken apart. */
export interface Parts {
  /** Constants that a type of the same name stands for. */
  readonly schemas: ReadonlyArray<Source.Value>
  readonly members: ReadonlyArray<Member>
  /** Exported types with a comment of their own. */
  readonly described: ReadonlyArray<{ readonly type: Source.Type; readonly parts: Parts }>
}

/** The type of an endpoint. */
export interface Signature {
  readonly params: Parts
  readonly record: Parts
}

type Bound = ReadonlyMap<string, { readonly module: Source.Module; readonly type: TSType; readonly bound: Bound }>

const nothing: Parts = { schemas: [], members: [], described: [] }

const join = (parts: ReadonlyArray<Parts>): Parts => ({
  schemas: parts.flatMap(({ schemas }) => schemas),
  members: parts.flatMap(({ members }) => members),
  described: parts.flatMap(({ described }) => described)
})

/** Reads the type written on an endpoint. */
export const signatureOf = (endpoint: Source.Value): Signature => {
  const { module, name, node } = endpoint
  const type = node.type?.type === "TSTypeReference" ? node.type : undefined
  const path = type === undefined ? undefined : Source.pathOf(type.typeName)
  const shape = path === undefined ? undefined : Source.findType(module, path)
  if (type === undefined || shape?.node.type !== "TSInterfaceDeclaration") {
    return unresolved(module, name, "has no type from which its parameters and records can be read")
  }
  const bound = bind(module, shape, type.typeArguments?.params ?? [], new Map())
  const call = shape.node.body.body.find((member) => member.type === "TSCallSignatureDeclaration")
  const given = call?.params[0]
  const argument = given?.type === "Identifier" ? given.typeAnnotation?.typeAnnotation : undefined
  const result = call?.returnType?.typeAnnotation
  const records = result?.type === "TSTypeReference" ? result.typeArguments?.params[0] : undefined
  const read = (part: TSType) => partsOf(shape.module, part, bound, name)
  if (records === undefined) return unresolved(shape.module, shape.name, "has no call that returns records")
  if (argument !== undefined) return { params: read(argument), record: read(records) }
  // `Endpoint` itself takes `...args: Arguments<P>`.
  const rest = given?.type === "RestElement" ? given.typeAnnotation?.typeAnnotation : undefined
  const params = rest?.type === "TSTypeReference" ? rest.typeArguments?.params[0] : undefined
  return params === undefined
    ? unresolved(shape.module, shape.name, "has a call whose parameters are not understood")
    : { params: read(params), record: read(records) }
}

const bind = (module: Source.Module, { node }: Source.Type, given: ReadonlyArray<TSType>, bound: Bound): Bound =>
  new Map(
    (node.typeParameters?.params ?? []).flatMap((parameter, index) => {
      const type = given[index]
      return type === undefined ? [] : [[parameter.name.name, { module, type, bound }] as const]
    })
  )

const partsOf = (module: Source.Module, type: TSType, bound: Bound, name: string): Parts => {
  const read = (part: TSType) => partsOf(module, part, bound, name)
  switch (type.type) {
    case "TSIntersectionType":
    case "TSUnionType":
      return join(type.types.map(read))
    case "TSConditionalType":
      return join([read(type.trueType), read(type.falseType)])
    case "TSMappedType":
      return type.typeAnnotation === null ? nothing : read(type.typeAnnotation)
    case "TSTypeLiteral":
      return { ...nothing, members: membersOf(module, type.members) }
    case "TSNullKeyword":
    case "TSUnknownKeyword":
      return nothing
    case "TSTypeReference": {
      const path = Source.pathOf(type.typeName)
      const given = type.typeArguments?.params ?? []
      return path === undefined
        ? unresolved(module, name, "has a type by import")
        : named(module, path, given, bound, name)
    }
    default:
      return unresolved(module, name, `has a type written as ${type.type}, which is not understood`)
  }
}

const named = (
  module: Source.Module,
  path: ReadonlyArray<string>,
  given: ReadonlyArray<TSType>,
  bound: Bound,
  name: string
): Parts => {
  const [first] = given
  const variable = path.length === 1 ? bound.get(path[0] ?? "") : undefined
  if (variable !== undefined) return partsOf(variable.module, variable.type, variable.bound, name)
  // Of the library types, these are what is written around a record.
  if (first !== undefined && ["Omit", "ReadonlyArray"].includes(path.join("."))) {
    return partsOf(module, first, bound, name)
  }
  const schema = Source.findValue(module, path)
  if (schema !== undefined) return { ...nothing, schemas: [schema] }
  const type = Source.findType(module, path)
  if (type === undefined) return unresolved(module, name, `has the type ${path.join(".")}, which is not found`)
  if (!type.exported) return nothing
  const inner = bind(module, type, given, bound)
  const parts =
    type.node.type === "TSInterfaceDeclaration"
      ? { ...nothing, members: membersOf(type.module, type.node.body.body) }
      : partsOf(type.module, type.node.typeAnnotation, inner, name)
  return { ...nothing, described: [{ type, parts }] }
}

const membersOf = (module: Source.Module, signatures: ReadonlyArray<TSSignature>): ReadonlyArray<Member> =>
  signatures.flatMap((signature) =>
    signature.type === "TSPropertySignature" && signature.key.type === "Identifier"
      ? [
          {
            name: signature.key.name,
            doc: module.docOf(signature),
            optional: signature.optional,
            type: signature.typeAnnotation?.typeAnnotation,
            module
          }
        ]
      : []
  )

/** All of a type's parts, those of the types it is described by included. */
export const flatten = (parts: Parts): Parts => join([parts, ...parts.described.map((one) => flatten(one.parts))])

/** A property in words. */
export const rowOf = ({ doc, module, name, optional, type }: Member) => {
  const types = type?.type === "TSUnionType" ? type.types : [type]
  const [first, ...more] = types.filter((part) => part?.type !== "TSNullKeyword")
  // A number of the provider may come as text: `number` of `internal/wire/fields.ts`.
  const isNumber = first?.type === "TSNumberKeyword" && more.every((part) => part?.type === "TSStringKeyword")
  const words = isNumber ? "number or text" : more.length > 0 || first === undefined ? undefined : wordOf(module, first)
  return {
    name,
    doc,
    optional,
    nullable: types.some((part) => part?.type === "TSNullKeyword"),
    words: words ?? unresolved(module, name, "has a type for which there are no words")
  }
}

const wordOf = (module: Source.Module, type: TSType): string | undefined => {
  if (type.type === "TSStringKeyword") return "text"
  const path = type.type === "TSTypeReference" ? Source.pathOf(type.typeName) : undefined
  const value = path === undefined ? undefined : Source.findValue(module, path)
  if (value?.module.file === "packages/core/src/Timestamp.ts") return "time as text"
  return value?.module.file === "packages/core/src/Decimal.ts" ? "decimal as text" : undefined
}
