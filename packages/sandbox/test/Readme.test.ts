import { assert, describe, it } from "@effect/vitest"
import { Fault } from "@sluice/sandbox"
import * as RateLimitHeaders from "../src/internal/quota/RateLimitHeaders.ts"
import * as Streams from "../src/endpoints/streams/Streams.ts"
import * as Route from "../src/internal/server/Route.ts"
import { readFileSync } from "node:fs"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8").split("\n")

const code = (text: string) => `\`${text.replaceAll("|", "\\|")}\``

const written = (name: keyof typeof Fault.names) => code(`${name}=${Fault.names[name].value.name}`)

const common = new Set<string>(["times", "after", "page", "on", "id", "headers"])

const row = (...cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

describe("The README", () => {
  for (const { doc, grammar, memory, names } of Fault.table) {
    it(`describes ${grammar}`, () => {
      const own = names.filter((name) => !common.has(name)).map(written)
      const sentence = [doc, ...own].join("; ")
      assert.include(readme, row(code(grammar), sentence, memory ?? "").replace("|  |", "| |"))
    })
  }

  it("names every family of endpoints that the stand-in serves", () => {
    const served = readme.slice(readme.indexOf("## What it serves"), readme.indexOf("## Keys and plans")).join("\n")
    const families = new Set([...Route.endpoints.keys()].map((path) => `\`/${path.split("/")[1]}`))
    assert.isAbove(families.size, 10)
    const missing = [...families].filter((family) => !served.includes(`${family}\``) && !served.includes(`${family}/`))
    assert.deepStrictEqual(missing, [])
  })

  for (const { doc, grammar, names } of Fault.liveTable) {
    it(`describes ${grammar}, a fault of live streams`, () => {
      const own = names
        .filter((name) => !common.has(name))
        .map((name) => code(`${name}=${Fault.liveNames[name].value.name}`))
      assert.include(readme, row(code(grammar), [doc, ...own].join("; ")))
    })
  }

  it("describes every name that may follow a fault of live streams", () => {
    for (const [name, { doc, value }] of Object.entries(Fault.liveNames)) {
      assert.include(readme, row(code(`${name}=${value.name}`), doc))
    }
  })

  it("describes every live stream", () => {
    const told = readme.slice(readme.indexOf("## Live streams"), readme.indexOf("## Faults")).join("\n")
    assert.strictEqual(Streams.byPath.size, 11)
    for (const path of Streams.byPath.keys()) {
      const name = path.slice("/timeseries-stream/".length)
      assert.isTrue(told.includes(`\`${name}\``) || told.includes(`\`${name.replace("market", "")}\``), name)
    }
  })

  it("describes every name that may follow a kind", () => {
    for (const [name, { doc, value }] of Object.entries(Fault.names)) {
      assert.include(readme, row(code(`${name}=${value.name}`), doc))
    }
  })

  it("describes every form of the rate-limit headers", () => {
    for (const name of RateLimitHeaders.names) assert.include(readme, row(code(name), RateLimitHeaders.forms[name].doc))
  })
})
