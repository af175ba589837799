import { assert, describe, it } from "@effect/vitest"
import * as Streams from "../src/endpoints/streams/Streams.ts"
import * as Route from "../src/internal/server/Route.ts"
import { readFileSync } from "node:fs"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8").split("\n")

describe("The README", () => {
  it("names every family of endpoints that the stand-in serves", () => {
    const served = readme.slice(readme.indexOf("## What it serves"), readme.indexOf("## Keys and plans")).join("\n")
    const families = new Set([...Route.endpoints.keys()].map((path) => `\`/${path.split("/")[1]}`))
    assert.isAbove(families.size, 10)
    const missing = [...families].filter((family) => !served.includes(`${family}\``) && !served.includes(`${family}/`))
    assert.deepStrictEqual(missing, [])
  })

  it("describes every live stream", () => {
    const told = readme.slice(readme.indexOf("## Live streams"), readme.indexOf("## Faults")).join("\n")
    assert.strictEqual(Streams.byPath.size, 11)
    for (const path of Streams.byPath.keys()) {
      const name = path.slice("/timeseries-stream/".length)
      assert.isTrue(told.includes(`\`${name}\``) || told.includes(`\`${name.replace("market", "")}\``), name)
    }
  })
})
