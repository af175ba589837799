import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Imports from "../../core/test/Imports.ts"

const source = path.join(import.meta.dirname, "../src")

const files = Imports.below(source)

const roomOf = (name: string) => path.posix.dirname(name)

/** The rooms below `src`, the lowest first; `.` is `src` itself, where the process starts. */
const rooms = [
  "chart",
  "terminal",
  "settings",
  "endpoints",
  "service",
  ...["flags", "help", "doctor", "code", "data", "plot", "mcp"].map((room) => `commands/${room}`),
  "commands",
  "program",
  "."
]

describe("Architecture", () => {
  it("has a room for every module, which imports its own room and those below", () => {
    assert.isAbove(files.length, 30)
    for (const { imports, name } of files) {
      const floor = rooms.indexOf(roomOf(name))
      assert.isAtLeast(floor, 0, name)
      const own = imports.filter((module) => files.some((file) => file.name === module))
      assert.deepStrictEqual(
        own.filter((module) => rooms.indexOf(roomOf(module)) > floor),
        [],
        name
      )
    }
  })

  it("loads undici, formats and endpoints only for the commands that need them", () => {
    // Whatever `sluice --version` imports at its start.
    const texts = new Map(files.map(({ name }) => [name, fs.readFileSync(path.join(source, `${name}.ts`), "utf8")]))
    const seen = new Set<string>()
    const follow = (name: string) => {
      const text = texts.get(name)
      if (text === undefined || seen.has(name)) return
      seen.add(name)
      for (const [, module = ""] of text.matchAll(/^(?:import|export)(?! type)\b[^"]*?\bfrom "([^"]+)"/gm)) {
        if (module.startsWith(".")) follow(path.posix.join(roomOf(name), module).replace(/\.ts$/, ""))
        else seen.add(module)
      }
    }
    follow("start")
    assert.include([...seen], "program/Program")
    const loaded = [...seen].filter(
      (module) =>
        module.startsWith("@sluice/node") ||
        module.startsWith("effect/ai") ||
        // The second has all endpoints as well.
        ["@sluice/core/Endpoints", "@sluice/core"].includes(module)
    )
    assert.deepStrictEqual(loaded, [])
  })
})
