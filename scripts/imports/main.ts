/**
 * Draws docs/imports.md. With `--check` it writes nothing and fails when the file is out of date. It also fails where rooms import
 * each other in a circle, directly or through others, because they have no floor; `lint` finds files that do.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Imports from "../../packages/core/test/Imports.ts"

type Graph = ReadonlyMap<string, ReadonlySet<string>>

const file = "docs/imports.md"

const packages = [
  ..."core node files datasets promise cluster cli sandbox"
    .split(" ")
    .map((name) => [name, `@sluice/${name}`] as const),
  ...["tools", "examples"].map((name) => [name, `packages/${name}`] as const)
]

const fail = (sentence: string) => {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

const idOf = (room: string) => room.replaceAll(/[^\w]/g, "_")

/** The room a file stands in: its folder, and right under `src` a room of its own. */
const roomOf = (file: string): string => {
  if (!file.includes("/")) return file
  const [room = ""] = file.replace(/^internal\//, "").split("/")
  return `${room}/`
}

const read = (name: string): Graph => {
  const files = Imports.below(join("packages", name, "src")).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const names = new Set(files.map(({ name }) => name))
  return new Map(
    [...Map.groupBy(files, ({ name }) => roomOf(name))].map(([room, own]) => {
      const others = own.flatMap(({ imports }) => imports.filter((file) => names.has(file)).map(roomOf))
      return [room, new Set(others.filter((other) => other !== room))]
    })
  )
}

/** All that can be reached from a room, over one step or more. */
const reachable = (graph: Graph, from: string): ReadonlySet<string> => {
  const seen = new Set(graph.get(from))
  for (const next of seen) for (const other of graph.get(next) ?? []) seen.add(other)
  return seen
}

/** How high a room stands: 0 imports nothing, others stand one above the highest they import. */
const floorOf = (graph: Graph, room: string): number =>
  Math.max(-1, ...[...(graph.get(room) ?? [])].map((other) => floorOf(graph, other))) + 1

const draw = (graph: Graph): string => {
  const floors = Map.groupBy(graph.keys(), (room) => floorOf(graph, room))
  const lines = ["```mermaid", "flowchart TD"]
  for (const floor of [...floors.keys()].toSorted((a, b) => b - a)) {
    const boxes = (floors.get(floor) ?? []).toSorted().map((room) => `    ${idOf(room)}["${room}"]`)
    lines.push(`  subgraph floor${floor} [" "]`, ...boxes, "  end")
  }
  for (const [room, imports] of graph) {
    // An arrow that a way over others already stands for is left out.
    const byOthers = new Set([...imports].flatMap((other) => [...reachable(graph, other)]))
    const arrows = [...imports].filter((other) => !byOthers.has(other)).toSorted()
    lines.push(...arrows.map((other) => `  ${idOf(room)} --> ${idOf(other)}`))
  }
  return [...lines, "```"].join("\n")
}

const head = `<!-- Written by \`pnpm imports\`. -->

# Who imports whom

Each box is a file right under \`src\`, or a folder (\`wire/\` is \`src/internal/wire\`). A box imports what its arrows reach,
over one step or more; an arrow that others stand for is left out. Imports of types count, and so do modules that are
loaded later. No arrow points up, and neither files nor boxes import each other in a circle: \`pnpm imports\` fails at a
circle.
[architecture.md](architecture.md) says what the boxes hold.
`

const sections: Array<string> = [head]
for (const [name, title] of packages) {
  const graph = read(name)
  const circle = [...graph.keys()].filter((room) => reachable(graph, room).has(room))
  if (circle.length > 0) fail(`packages/${name}/src: these import each other: ${circle.join(", ")}.`)
  if (process.exitCode === undefined) sections.push(`## ${title}\n\n${draw(graph)}\n`)
}

if (process.exitCode === undefined) {
  const text = sections.join("\n")
  if (!process.argv.includes("--check")) writeFileSync(file, text)
  else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    fail(`${file} is not what the sources say now: run \`pnpm imports\` and commit the result.`)
  }
}
