import { assert, describe, it } from "@effect/vitest"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Keys from "../../src/internal/model/Keys.ts"

describe("the ends of the entities of records", () => {
  for (const seed of TestMode.seeds(20, 500)) {
    it(`are the first and the last of each, found by few: seed ${seed}`, () => {
      const draw = Draw.from(seed)
      const most = draw.one([1, 3, 500])
      const groups = Array.from({ length: draw.below(9) }, (_, entity) =>
        Array.from({ length: 1 + draw.below(most) }, (_, at) => ({ asset: String(entity), at }))
      )
      const records = groups.flat()
      const read = new Set<string>()
      const watched = new Proxy(records, {
        get: (target, key) => {
          if (key !== "length") read.add(String(key))
          return Reflect.get(target, key)
        }
      })
      assert.deepStrictEqual(
        Keys.ends({ entity: "asset" }, watched),
        groups.flatMap((group) => [group[0], group.at(-1)])
      )
      const steps = groups.reduce((sum, { length }) => sum + 3 + 2 * Math.log2(length), 0)
      assert.isAtMost(read.size, steps)
    })
  }
})
