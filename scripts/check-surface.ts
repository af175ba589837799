/**
 * Checks that public means nameable: whatever a user meets in the type of something public, the user can import. Follows
 * the declarations of what each package exports; a type of a sealed module, and an interface that a module keeps to itself,
 * is fine only where a public module exports it.
 */
import { parseSync, type Statement } from "oxc-parser"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** A name in a module, both as the package's `dist` has them. */
interface Named {
  readonly module: string
  readonly name: string
}

interface Module {
  /** Text of each declaration by its name; several where a type and a value share it. */
  readonly declared: ReadonlyMap<string, string>
  /** Names of the interfaces among them. */
  readonly interfaces: ReadonlySet<string>
  /** What names of other modules are called here; the name `*` is the module itself. */
  readonly imported: ReadonlyMap<string, Named>
  /** What is exported, under the name it has outside. */
  readonly exported: ReadonlyMap<string, Named>
  /** Modules of which everything is exported. */
  readonly spread: ReadonlyArray<string>
}

const keyOf = ({ module, name }: Named) => `${module} ${name}`

const nameOf = (node: { readonly type: string }) =>
  // Type boundary: names of modules are identifiers or texts.
  "name" in node ? String(node.name) : String((node as { readonly value?: unknown }).value)

const declarationsOf = (statement: Statement): ReadonlyArray<string> => {
  switch (statement.type) {
    case "VariableDeclaration":
      return statement.declarations.map(({ id }) => nameOf(id))
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      return statement.id === null ? [] : [nameOf(statement.id)]
    default:
      return []
  }
}

const read = (dist: string, module: string): Module => {
  const text = readFileSync(join(dist, `${module}.d.ts`), "utf8")
  const declared = new Map<string, string>()
  const interfaces = new Set<string>()
  const imported = new Map<string, Named>()
  const exported = new Map<string, Named>()
  const spread: Array<string> = []
  const target = (source: string) =>
    source.startsWith(".") ? join(module, "..", source).replace(/\.(?:d\.)?[jt]s$/, "") : undefined

  const declare = (statement: Statement, isExported: boolean) => {
    // Comments speak of types that are no part of a declaration.
    const code = text.slice(statement.start, statement.end).replaceAll(/\/\*[^]*?\*\//g, "")
    for (const name of declarationsOf(statement)) {
      declared.set(name, `${declared.get(name) ?? ""}\n${code}`)
      if (statement.type === "TSInterfaceDeclaration") interfaces.add(name)
      if (isExported) exported.set(name, { module, name })
    }
  }

  for (const statement of parseSync(`${module}.d.ts`, text).program.body) {
    if (statement.type === "ImportDeclaration") {
      const from = target(statement.source.value)
      if (from === undefined) continue
      for (const one of statement.specifiers) {
        const name = one.type === "ImportSpecifier" ? nameOf(one.imported) : "*"
        imported.set(one.local.name, { module: from, name })
      }
    } else if (statement.type === "ExportAllDeclaration") {
      const from = target(statement.source.value)
      if (from === undefined) continue
      if (statement.exported === null) spread.push(from)
      else exported.set(nameOf(statement.exported), { module: from, name: "*" })
    } else if (statement.type === "ExportNamedDeclaration") {
      if (statement.declaration !== null) declare(statement.declaration, true)
      const from = statement.source === null ? module : target(statement.source.value)
      if (from === undefined) continue
      for (const one of statement.specifiers) {
        exported.set(nameOf(one.exported), { module: from, name: nameOf(one.local) })
      }
    } else declare(statement as Statement, false)
  }
  return { declared, interfaces, imported, exported, spread }
}

/** Follows the types of a package's public modules; tells each that cannot be named, with what leads to it. */
const sealedIn = (folder: string): ReadonlyArray<string> => {
  const dist = join(folder, "dist")
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const files = Object.values(exports as Record<string, string>).filter((file) => /^[^*]+\.ts$/.test(file))
  const modules = new Map<string, Module>()
  const load = (module: string) => {
    const known = modules.get(module) ?? read(dist, module)
    modules.set(module, known)
    return known
  }
  /** Where a name that a module exports is declared. */
  const origin = ({ module, name }: Named): Named => {
    if (name === "*") return { module, name }
    const { exported, imported, spread } = load(module)
    const found = exported.get(name) ?? imported.get(name)
    if (found !== undefined) {
      return found.module === module && found.name === name ? found : origin(found)
    }
    const from = spread.find((other) => exportsOf(other).has(name))
    return from === undefined ? { module, name } : origin({ module: from, name })
  }
  const exportsOf = (module: string): ReadonlySet<string> => {
    const { exported, spread } = load(module)
    return new Set([...exported.keys(), ...spread.flatMap((other) => [...exportsOf(other)])])
  }

  const entries = files.map((file) => file.replace(/^\.\/src\/|\.ts$/g, ""))
  const open = entries.flatMap((module) => [...exportsOf(module)].map((name) => origin({ module, name })))
  const nameable = new Set(open.map(keyOf))
  const visited = new Set<string>()
  const found: Array<string> = []

  const visit = (one: Named, by: string) => {
    if (visited.has(keyOf(one))) return
    visited.add(keyOf(one))
    const { declared, exported, imported, interfaces } = load(one.module)
    const here = `${one.module}.${one.name}`
    // An alias that a module keeps to itself is written out in what a user sees; an interface is shown by its name.
    const isSeen = exported.has(one.name) || interfaces.has(one.name)
    if (isSeen && !nameable.has(keyOf(one))) found.push(`${here}, by ${by}`)
    const code = declared.get(one.name) ?? ""
    // What a colon follows at once is the name of a property or a parameter.
    for (const [, word = "", member] of code.matchAll(
      /(?<![.\w])([A-Za-z_$][\w$]*)(?:\.([A-Za-z_$][\w$]*))?(?![\w$]|\??:)/g
    )) {
      const other = imported.get(word)
      if (other !== undefined) {
        if (other.name !== "*") visit(origin(other), here)
        else if (member !== undefined) visit(origin({ module: other.module, name: member }), here)
      } else if (declared.has(word)) visit({ module: one.module, name: word }, here)
    }
    for (const [, source = "", name = ""] of code.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/g)) {
      visit(origin({ module: join(one.module, "..", source).replace(/\.[jt]s$/, ""), name }), here)
    }
  }
  for (const one of open) if (one.name !== "*") visit(one, "the package")
  return found.map((what) => `${folder}: ${what}`)
}

const sealed = ["core", "node", "files", "datasets", "promise", "sandbox", "cluster"].flatMap((name) => [
  ...sealedIn(`packages/${name}`)
])
for (const line of sealed) process.stderr.write(`${line}: part of a public type, but exported by no public module.\n`)
process.exitCode = sealed.length === 0 ? 0 : 1
