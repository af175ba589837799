import { assert, describe, it } from "@effect/vitest"
import * as MemoryLog from "../src/internal/shared/MemoryLog.ts"

describe("The log of replies in memory", () => {
  it("counts a reply that is told late, though later ones were dropped before", () => {
    const log = MemoryLog.make()
    log.add("a", 10)
    log.add("b", 20)
    log.trim(20)
    log.add("late", 15)
    assert.deepStrictEqual([log.countAfter(14), log.countAfter(15), log.countAfter(17)], [1, 0, 0])
    assert.deepStrictEqual([log.newest(1), log.newest(2)], [15, undefined])
  })
})
