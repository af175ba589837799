/** Fields of the interfaces that programs import: each must have a comment. TypeDoc asks it of exports alone. */
import * as Sources from "./Sources.ts"

const { ts } = Sources

/** A sentence for each field without one. */
export const silent = (): ReadonlyArray<string> => {
  const program = Sources.open(...Sources.modules)
  const exported = new Set(Sources.modules.flatMap((file) => [...Sources.exportsOf(program, file).values()]))
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
