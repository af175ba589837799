/**
 * Checks that public means nameable: whatever a user meets in the type of something public, the user can import. Follows
 * the declarations of what each package exports; a type of a sealed module, and an interface that a module keeps to itself,
 * is fine only where a public module exports it.
 */
import * as Sources from "../packages/site/src/Sources.ts"

const { ts } = Sources

/** The declarations of the public modules. */
const files = Sources.modules.map((file) => file.replace("/src/", "/dist/").replace(/\.ts$/, ".d.ts"))
const program = Sources.open(...files)
const checker = program.getTypeChecker()
const exportsOf = (file: string) => [...Sources.exportsOf(program, file).values()]
const nameable = new Set(files.flatMap(exportsOf))
const visited = new Set<Sources.ts.Symbol>()

const visit = (symbol: Sources.ts.Symbol, by: string) => {
  if (visited.has(symbol)) return
  visited.add(symbol)
  const file = Sources.fileOf(symbol)
  const declarations = /^packages\/\w+\/dist\//.test(file) ? (symbol.declarations ?? []).filter(isOfModule) : []
  if (declarations.length === 0) return
  const here = `${file}: ${symbol.name}`
  // An alias that a module keeps to itself is written out in what a user sees; an interface is shown by its name.
  const isSeen = declarations.some(ts.isInterfaceDeclaration) || exportsOf(file).includes(symbol)
  if (isSeen && !nameable.has(symbol)) {
    process.stderr.write(`${here}, by ${by}: part of a public type, but exported by no public module.\n`)
    process.exitCode = 1
  }
  const follow = (node: Sources.ts.Node): void => {
    const found = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
    if (found !== undefined) visit(Sources.declared(checker, found), here)
    ts.forEachChild(node, follow)
  }
  declarations.forEach(follow)
}

/** Tells what a module declares from parts of that. */
const isOfModule = (declaration: Sources.ts.Declaration) =>
  !ts.isSourceFile(declaration) &&
  ts.isSourceFile(ts.isVariableDeclaration(declaration) ? declaration.parent.parent.parent : declaration.parent)

for (const symbol of nameable) visit(symbol, "the package")
