/**
 * Draws docs/imports.md. With `--check` it writes nothing and fails when the file is out of date. It also fails where files,
 * or rooms, import each other in a circle, directly or through others, because rooms in a circle have no floor.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as Graph from "./Graph.ts"
import * as Sources from "./Sources.ts"

const file = "docs/imports.md"

const packages: ReadonlyArray<readonly [name: string, title: string]> = [
  ["core", "@sluice/core"],
  ["node", "@sluice/node"],
  ["files", "@sluice/files"],
  ["datasets", "@sluice/datasets"],
  ["promise", "@sluice/promise"],
  ["cluster", "@sluice/cluster"],
  ["cli", "@sluice/cli"],
  ["sandbox", "@sluice/sandbox"],
  ["tools", "packages/tools"],
  ["examples", "packages/examples"]
]

const fail = (sentence: string) => {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

const idOf = (room: string) => room.replaceAll(/[^\w]/g, "_")

const draw = (rooms: Graph.Graph): string => {
  const floors = Graph.floors(rooms)
  const highest = Math.max(...floors.values())
  const lines = ["```mermaid", "flowchart TD"]
  for (let floor = highest; floor >= 0; floor--) {
    const here = [...rooms.keys()].filter((room) => floors.get(room) === floor).toSorted()
    lines.push(`  subgraph floor${floor} [" "]`, ...here.map((room) => `    ${idOf(room)}["${room}"]`), "  end")
  }
  for (const [room, imports] of Graph.reduced(rooms)) {
    for (const other of [...imports].toSorted()) lines.push(`  ${idOf(room)} --> ${idOf(other)}`)
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
  const files = Sources.read(name)
  const rooms = Sources.rooms(files)
  for (const circle of [...Graph.circles(files), ...Graph.circles(rooms)]) {
    fail(`packages/${name}/src: these import each other: ${circle.join(", ")}.`)
  }
  if (process.exitCode === undefined) sections.push(`## ${title}\n\n${draw(rooms)}\n`)
}

if (process.exitCode === undefined) {
  const text = sections.join("\n")
  if (!process.argv.includes("--check")) writeFileSync(file, text)
  else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    fail(`${file} is not what the sources say now: run \`pnpm imports\` and commit the result.`)
  }
}
