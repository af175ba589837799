import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("KeptRecords.ts", import.meta.url))

/** Objects that are kept, by the place in the code that built them. V8 counts them as long as the code is not optimised. */
const counted = (): ReadonlyArray<number> => {
  const options = ["--expose-gc", "--no-opt", "--no-maglev", "--trace-pretenuring-statistics"]
  // Code from the compile cache is counted now and then before it has been compiled, as the first live frames are.
  const output = execFileSync(process.execPath, [...options, program], { encoding: "utf8", env: {} })
  assert.match(output, /^kept 4000$/m)
  return Array.from(output.matchAll(/\(created, found, ratio\) \((\d+), /g), ([, created]) => Number(created))
}

describe("Records that are kept", () => {
  // V8 would allocate all later records in its old generation.
  it("are not counted by V8 as survivors of the place that built them", () => {
    const many = counted().filter((created) => created > 700)
    assert.lengthOf(many, 1)
    assert.isAbove(many[0]!, 1_400)
  })
})
