/**
 * Comments of fields in the declarations that users install. The compiler keeps a comment where a field is declared; where a
 * record takes the field from another file, it writes its type alone, and an editor shows nothing.
 *
 * A comment is put before its field on the same line, so that the maps of the declarations still fit.
 */
import { readFileSync } from "node:fs"
import * as Sources from "../../packages/site/src/Sources.ts"
import * as Doc from "../reference/Doc.ts"
import * as Source from "../reference/Source.ts"

const { ts } = Sources

interface Insertion {
  /** Where an earlier comment of ours begins, or the field. */
  readonly from: number
  readonly to: number
  readonly text: string
}

/** A declaration file with the comments that its source has for its fields. */
export const added = (text: string, source: string): string => {
  const file = ts.createSourceFile("a.d.ts", text, ts.ScriptTarget.Latest, true)
  const insertions = file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList: { declarations } }) =>
    declarations.flatMap(({ name, type }) => {
      if (type === undefined || !ts.isIdentifier(name)) return []
      return ofTypes(file, type, typesOf(Source.declaredIn(source, name.text)))
    })
  )
  return insertions
    .toReversed()
    .reduce((all, { from, text, to }) => `${all.slice(0, from)}${text}${all.slice(to)}`, text)
}

/** The type of a constant, and that of what it decodes. */
const typesOf = (symbol: Source.Symbol | undefined): ReadonlyArray<Source.Type> => {
  if (symbol === undefined) return []
  const type = Source.checker.getTypeOfSymbol(symbol)
  const decoded = Source.checker.getPropertyOfType(type, "Type")
  return decoded === undefined ? [type] : [type, Source.checker.getTypeOfSymbol(decoded)]
}

/** The fields of the outermost object types within a type, and of those within them. */
const ofTypes = (
  file: Sources.ts.SourceFile,
  node: Sources.ts.Node,
  types: ReadonlyArray<Source.Type>
): ReadonlyArray<Insertion> => {
  if (!ts.isTypeLiteralNode(node)) {
    const inner: Array<Insertion> = []
    ts.forEachChild(node, (child) => void inner.push(...ofTypes(file, child, types)))
    return inner
  }
  const members = node.members.filter(ts.isPropertySignature)
  const names = members.map(({ name }) => (ts.isStringLiteral(name) ? name.text : name.getText(file)))
  const fields = types.map((type) => Source.fieldsOf(type, names)).find((found) => found !== undefined)
  if (fields === undefined) return []
  return members.flatMap((member, index) => [
    ...ofField(file, member, fields[index]!),
    ...(member.type === undefined ? [] : ofTypes(file, member.type, typesOf(fields[index])))
  ])
}

const ofField = (
  file: Sources.ts.SourceFile,
  member: Sources.ts.PropertySignature,
  field: Source.Symbol
): ReadonlyArray<Insertion> => {
  const to = member.getStart(file)
  const earlier = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc).at(-1)
  // The compiler writes a comment on lines of its own.
  if (earlier !== undefined && file.text.slice(earlier.getEnd(), to).includes("\n")) return []
  const words = Doc.paragraph(Source.commentOf(field)).replaceAll("*/", "* /")
  return words === "" ? [] : [{ from: earlier?.getStart(file) ?? to, to, text: `/** ${words} */ ` }]
}

/** Pages that comments name are none of a package: they say where they are, and what they are called there. */
export const spoken = (text: string): string =>
  text.replaceAll(/docs\/([a-z-]+)\.md( (?=\d))?/g, (path: string, _, section?: string) =>
    [`"${titleOf(path.trimEnd())}" in the documentation`, ...(section === undefined ? [] : [", "])].join("")
  )

const titleOf = (path: string) => /^# (.+)$/m.exec(readFileSync(path, "utf8"))?.[1]?.replaceAll("`", "") ?? path
