import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Assemble from "../../../scripts/wasm/Assemble.ts"

it("keeps the bytes of the record scan equal to what its source compiles to", async () => {
  assert.strictEqual(readFileSync(Assemble.target, "utf8"), await Assemble.assemble())
})
