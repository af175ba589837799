import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

/** Makes garbage that survives a little while, until the bound is set and then ten times as much. */
const program = `
import * as Effect from "effect/Effect"
import { getHeapSpaceStatistics } from "node:v8"
import { bound } from ${JSON.stringify(new URL("../src/program/YoungGeneration.ts", import.meta.url).href)}
const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size
let isBound = false
Effect.runPromise(bound).then(() => { isBound = true })
const line = JSON.stringify({ asset: "btc", time: "2024-01-01T00:00:00.000000000Z", PriceUSD: "42.123456789012345" })
let kept = []
const round = () => {
  for (let i = 0; i < 20_000; i++) kept.push(JSON.parse(line))
  if (kept.length > 60_000) kept = []
  return new Promise((resolve) => setImmediate(resolve))
}
while (!isBound) await round()
const first = size()
let most = first
for (let i = 0; i < 30; i++) {
  await round()
  most = Math.max(most, size())
}
console.log(JSON.stringify({ first, most }))
`

describe("the young generation", () => {
  it("grows no more once it has twice 8 MiB, without an option of Node.js", () => {
    // While V8 marks step by step, which takes longer on a busy machine, the young generation may exceed its size.
    const args = ["--no-incremental-marking", "--input-type=module", "--eval", program]
    // Of the process that runs the tests it might inherit such an option.
    const out = execFileSync(process.execPath, args, {
      cwd: import.meta.dirname,
      env: { ...process.env, NODE_OPTIONS: "" }
    })
    const { first, most } = JSON.parse(out.toString())
    assert.isAtLeast(first, 0.9 * 16 * 1024 * 1024)
    assert.isAtMost(most, 1.1 * first)
  })

  it("needs nothing in the first line of the command that BusyBox lacks", () => {
    const main = readFileSync(new URL("../src/main.ts", import.meta.url), "utf8")
    assert.strictEqual(main.split("\n")[0], "#!/usr/bin/env node")
  })
})
