import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Assemble from "../../../scripts/wasm/Assemble.ts"

for (const module of Assemble.modules) {
  it(`keeps ${module.name} equal to what its source compiles to`, async () => {
    assert.strictEqual(readFileSync(module.target, "utf8"), await Assemble.assemble(module))
  })
}
