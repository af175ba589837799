import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as LongTests from "../../core/test/LongTests.ts"

describe("test:long", () => {
  it("runs the tests that try more cases there, directly or by way of another file", () => {
    const files = LongTests.files(path.join(import.meta.dirname, "../../.."))
    assert.includeMembers(
      [...files],
      [
        "packages/core/test/endpoints/Rules.test.ts",
        "packages/node/test/Bulk.test.ts",
        "packages/tools/test/Simulation.test.ts"
      ]
    )
    assert.notInclude(files, "packages/core/test/pages/Paging.test.ts")
  })
})
