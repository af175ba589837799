/**
 * The sources as the compiler reads them: what a module exports, what a type is, and the comment before a declaration.
 */
import { readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import ts from "typescript"

export { ts }

/** The packages that programs import, by their folders. */
export const published = ["core", "node", "files", "datasets", "promise", "sandbox", "cluster"] as const

const root = resolve(import.meta.dirname, "../../..")

/** The modules that programs import, by their paths below the repository. */
export const modules: ReadonlyArray<string> = published.flatMap((name) => {
  // Type boundary: a test says what the exports of our packages look like.
  const { exports } = JSON.parse(readFileSync(resolve(root, `packages/${name}/package.json`), "utf8")) as {
    readonly exports: Readonly<Record<string, string>>
  }
  return Object.values(exports).flatMap((file) => (file.includes("*") ? [] : [join("packages", name, file)]))
})

/** What the compiler is told of the sources. */
export const compilerOptions = (): ts.CompilerOptions => {
  const site = resolve(root, "packages/site")
  const { config } = ts.readConfigFile(resolve(site, "tsconfig.api.json"), (path) => ts.sys.readFile(path))
  return ts.parseJsonConfigFileContent(config, ts.sys, site).options
}

/** Reads files, given by their paths below the repository, with all that they import. */
export const open = (...files: ReadonlyArray<string>): ts.Program =>
  ts.createProgram({ rootNames: files.map((file) => resolve(root, file)), options: compilerOptions() })

/** What a name stands for, where that was declared. */
export const declared = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** What a file exports, by name, each as it is declared. */
export const exportsOf = (program: ts.Program, file: string): ReadonlyMap<string, ts.Symbol> => {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(resolve(root, file))
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module)
  return new Map(symbols.map((symbol) => [symbol.name, declared(checker, symbol)]))
}

/** The file of something, as a path below the repository. */
export const fileOf = ({ declarations }: ts.Symbol): string =>
  relative(root, declarations?.[0]?.getSourceFile().fileName ?? root)

/** The doc comment before a declaration, as it is written. */
export const commentOf = (declaration: ts.Node): string | undefined =>
  ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc).at(-1)?.getText()

/** What the comment says with which a file begins. */
export const headOf = (file: string): string | undefined =>
  /^\/\*\*\s([^]*?)\*\//.exec(readFileSync(resolve(root, file), "utf8"))?.[1]
