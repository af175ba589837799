import { assert, describe, it } from "@effect/vitest"
import * as Revision from "../../src/internal/held/Revision.ts"

describe("a revision", () => {
  it("tells by how much a value changed, as a part of the value before, where both are numbers and that is not 0", () => {
    const values = [
      ["200", "201", 0.005],
      [-100, -99, 0.01],
      ["0", "1", undefined],
      [null, "1", undefined],
      ["1", undefined, undefined],
      ["flash", "reviewed", undefined]
    ] as const
    for (const [before, after, change] of values) {
      const { fields } = Revision.of({
        entity: "btc",
        time: "",
        at: "",
        before: { value: before },
        after: { value: after }
      })
      assert.deepStrictEqual(fields, [{ name: "value", before, after, change }])
    }
    const same = Revision.of({ entity: "btc", time: "", at: "", before: { value: null }, after: {} })
    assert.deepStrictEqual(same.fields, [])
  })
})
