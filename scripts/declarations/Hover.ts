/**
 * What an editor shows of the fields and parameters of a program that calls the endpoints: asked of the language service, with the
 * declarations that users install.
 */
import { resolve } from "node:path"
import * as Sources from "../../packages/site/src/Sources.ts"

const { ts } = Sources

/** Something that a program can name, with what is shown where the pointer rests on it. */
export interface Shown {
  /** A type and a field of it, or an endpoint. */
  readonly name: string
  readonly type: string
  readonly words: string
}

/** What is shown of the fields of these types, at every depth, and of these values, in a program with these lines before. */
export const all = (
  before: string,
  types: ReadonlyMap<string, string>,
  values: ReadonlyMap<string, string>
): ReadonlyArray<Shown> => {
  const declared = `${before}${[...types.values()].map((type, index) => `type T${index} = ${type}\n`).join("")}`
  const first = program(declared)
  const fields = [...types.keys()].flatMap((name, index) =>
    first
      .fieldsOf(`T${index}`)
      .map(([path, type, field]) => ({ name: `${name}${path}`, code: `(undefined as unknown as ${type}).${field}` }))
  )
  const rows = [...fields, ...[...values].map(([name, code]) => ({ name, code }))]
  const second = program(`${declared}${rows.map(({ code }) => `;${code}\n`).join("")}`)
  let end = declared.length
  return rows.map(({ code, name }) => {
    end += code.length + 2
    return { name, ...second.shownAt(end - 2) }
  })
}

const program = (text: string) => {
  const file = resolve("out/hover.ts")
  const site = resolve("packages/site")
  const read = (path: string) => (path === file ? text : ts.sys.readFile(path))
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: read,
    // Within the repository a package is its sources.
    getCompilationSettings: () => ({
      ...Sources.compilerOptions(),
      paths: {
        "@sluice/core": [resolve("packages/core/dist/index.d.ts")],
        "@sluice/core/*": [resolve("packages/core/dist/*.d.ts")]
      }
    }),
    getCurrentDirectory: () => site,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => [file],
    getScriptSnapshot: (path) => {
      const found = read(path)
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found)
    },
    getScriptVersion: () => "1"
  })
  const checker = service.getProgram()!.getTypeChecker()
  const statements = service.getProgram()!.getSourceFile(file)!.statements

  const shownAt = (position: number) => {
    const info = service.getQuickInfoAtPosition(file, position)
    if (info === undefined) throw new Error(`nothing is shown at ${text.slice(position - 80, position + 1)}`)
    const type = ts.displayPartsToString(info.displayParts).replaceAll(/\s+/g, " ")
    return { type, words: ts.displayPartsToString(info.documentation) }
  }

  /** Each field of a type: its path, the type that has it, its name. */
  const fieldsOf = (alias: string): ReadonlyArray<readonly [path: string, type: string, field: string]> => {
    const found = statements.find((statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === alias)
    if (found === undefined) throw new Error(`${alias} is not declared`)
    return within(checker.getTypeAtLocation(found), alias, "", [])
  }

  const within = (
    type: Sources.ts.Type,
    text: string,
    path: string,
    outer: ReadonlyArray<Sources.ts.Type>
  ): ReadonlyArray<readonly [path: string, type: string, field: string]> =>
    partsOf(type).flatMap((part) => {
      const list = "ReadonlyArray<unknown>"
      const inner = part.isList ? `Extract<${text}, ${list}>[number]` : `Exclude<Extract<${text}, object>, ${list}>`
      if (part.isList) return within(part.type, inner, path, outer)
      if (outer.includes(part.type)) return []
      return checker.getPropertiesOfType(part.type).flatMap((field) => {
        if (field.declarations?.some(isBuiltIn) === true) return []
        const at = `${path}.${field.name}`
        const held = checker.getNonNullableType(checker.getTypeOfSymbol(field))
        const key = `NonNullable<(${inner})[${JSON.stringify(field.name)}]>`
        const name = /^\w+$/.test(field.name) ? [[at, inner, field.name] as const] : []
        return [...name, ...within(held, key, at, [...outer, part.type])]
      })
    })

  /** Part of the language, such as a method of a date. */
  const isBuiltIn = (declaration: Sources.ts.Declaration) =>
    service.getProgram()!.isSourceFileDefaultLibrary(declaration.getSourceFile())

  /** The objects that a type may be, and the items of the lists. */
  const partsOf = (type: Sources.ts.Type) => {
    const parts = (type.isUnion() ? type.types : [type]).filter(
      ({ flags }) => (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0
    )
    return parts.flatMap((part) => {
      if (checker.isArrayType(part)) {
        // Type boundary: a list is a reference, which has the type of its items.
        const [item] = checker.getTypeArguments(part as Sources.ts.TypeReference)
        return item === undefined ? [] : [{ type: item, isList: true }]
      }
      // A text with a mark, such as a decimal, is a value.
      if (part.isIntersection() && part.types.some(({ flags }) => (flags & ts.TypeFlags.StringLike) !== 0)) return []
      return [{ type: part, isList: false }]
    })
  }

  return { fieldsOf, shownAt }
}
