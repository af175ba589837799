import { assert, describe, it } from "@effect/vitest"
import * as Table from "@sluice/interface/Table"
import * as Streams from "../src/endpoints/streams/Streams.ts"
import * as Route from "../src/internal/server/Route.ts"
import { readFileSync } from "node:fs"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8").split("\n")

describe("The README", () => {
  it("says that every path of the interface is served, which holds", () => {
    assert.include(readme.join("\n"), "Every path of [the interface]")
    // What starts jobs lists nothing.
    const paths = Table.all.flatMap(({ path, reply }) => (reply === "job" ? [] : [path]))
    const missing = paths.filter((path) => !Route.endpoints.has(path) && !Streams.byPath.has(path))
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
