/**
 * What the sources of a package import from each other: as they are loaded, later, and for types alone.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { parseSync } from "oxc-parser"
import type { Graph } from "./Graph.ts"

// `import("…")` of a value or of a type; the parser lists the others.
const later = /\bimport\(\s*"(\.[^"]+)"/g

const importsOf = (file: string, text: string): ReadonlyArray<string> => {
  const { module } = parseSync(file, text)
  const atOnce = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? ""))
  ]
  const all = [...atOnce, ...[...text.matchAll(later)].map(([, found = ""]) => found)]
  return all.filter((found) => found.startsWith(".")).map((found) => posix.join(posix.dirname(file), found))
}

const plain = (file: string) => file.replace(/\.ts$/, "")

/** Reads the files below `packages/<name>/src`; their names have no extension. */
export const read = (name: string): Graph => {
  const folder = join("packages", name, "src")
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  return new Map(
    files.toSorted().map((file) => {
      const imports = importsOf(file, readFileSync(join(folder, file), "utf8"))
      return [plain(file), new Set(imports.filter((other) => files.includes(other)).map(plain))]
    })
  )
}

/** The room a file stands in: its folder, and right under `src` a room of its own. */
export const roomOf = (file: string): string => {
  if (!file.includes("/")) return file
  const [room = ""] = file.replace(/^internal\//, "").split("/")
  return `${room}/`
}

/** What the rooms import from each other. */
export const rooms = (files: Graph): Graph => {
  const graph = new Map<string, Set<string>>()
  for (const [file, imports] of files) {
    const room = roomOf(file)
    const others = graph.get(room) ?? new Set()
    graph.set(room, others)
    for (const other of imports) if (roomOf(other) !== room) others.add(roomOf(other))
  }
  return graph
}
