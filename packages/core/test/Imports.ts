/** What source files import, for the tests that keep the borders between packages and rooms. */
import * as fs from "node:fs"
import * as path from "node:path"

/** A source file. */
export interface File {
  /** Path below the folder that was read, without the extension. */
  readonly name: string
  readonly text: string
  /** Modules that it imports or re-exports, at the start or later; those of its package by their path below the folder. */
  readonly imports: ReadonlyArray<string>
  /** Those of them that are no files beside it: modules of packages and of Node.js. */
  readonly modules: ReadonlyArray<string>
}

const patterns = [/^(?:import|export)\b[^"]*?\bfrom "([^"]+)"/gm, /^import "([^"]+)"/gm, /\bimport\("([^"]+)"/g]

const specifiersOf = (text: string): ReadonlyArray<string> =>
  patterns.flatMap((pattern) => [...text.matchAll(pattern)]).map(([, specifier = ""]) => specifier)

const isModule = (specifier: string) => !specifier.startsWith(".")

/** Reads the TypeScript files below a folder. */
export const below = (folder: string): ReadonlyArray<File> =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => {
      const text = fs.readFileSync(path.join(folder, file), "utf8")
      const specifiers = specifiersOf(text)
      const imports = specifiers.map((specifier) =>
        isModule(specifier) ? specifier : path.posix.join(path.posix.dirname(file), specifier).replace(/\.ts$/, "")
      )
      return { name: file.replace(/\.ts$/, ""), text, imports, modules: specifiers.filter(isModule) }
    })
