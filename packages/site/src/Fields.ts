/**
 * Fields of the interfaces that programs import: each must have a comment. TypeDoc asks it of exports alone.
 */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Sources from "./Sources.ts"

const { ts } = Sources

/** The modules that programs import, by their paths below the repository. */
const modulesOf = (root: string): ReadonlyArray<string> =>
  Sources.published.flatMap((name) => {
    // Type boundary: a test says what the exports of our packages look like.
    const { exports } = JSON.parse(readFileSync(resolve(root, `packages/${name}/package.json`), "utf8")) as {
      readonly exports: Readonly<Record<string, unknown>>
    }
    return Object.entries(exports).flatMap(([path, file]) =>
      typeof file === "string" && file.endsWith(".ts") && !/internal|\*/.test(path) ? [`packages/${name}/${file}`] : []
    )
  })

/** A sentence for each field without one. */
export const silent = (root: string): ReadonlyArray<string> => {
  const modules = modulesOf(root)
  const program = Sources.open(...modules)
  const exported = new Set(modules.flatMap((file) => [...Sources.exportsOf(program, file).values()]))
  return [...exported].flatMap((symbol) =>
    (symbol.declarations ?? []).filter(ts.isInterfaceDeclaration).flatMap(({ members, name }) =>
      members
        .filter((member) => ts.isPropertySignature(member) || ts.isMethodSignature(member))
        .filter((member) => isNamed(member.name) && Sources.commentOf(member) === undefined)
        .map((member) => `${Sources.fileOf(symbol)}: ${name.text}.${member.name.getText()} has no comment`)
    )
  )
}

/** Names that the compiler alone reads have no sentence, and tags none of their own. */
const isNamed = (name: Sources.ts.PropertyName) => ts.isIdentifier(name) && name.text !== "_tag"
