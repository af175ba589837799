import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Defects from "../src/simulation/Defects.ts"
import * as Targets from "../src/simulation/Targets.ts"

// `simulate` draws its seeds; here they are the same in every run, or begin with the given one.
const from = TestMode.firstSeed

/** Targets of an engine of PostgreSQL, for whose start seconds of the processor go by. */
const ofPostgres = ["tables", "lakes"]

/** Seeds of targets whose runs take the longest, in a long run. */
const few: Readonly<Record<string, number>> = { reads: 10, datasets: 100, tables: 100, lakes: 15 }

describe("under many orders of their fibers, faults and delays", () => {
  for (const name of Targets.names.filter((name) => TestMode.isLong || !ofPostgres.includes(name))) {
    it.live(`${name}: each record once, or a typed error, and nothing held afterwards, from seed ${from} on`, () =>
      Effect.gen(function* () {
        const seeds = TestMode.times(6, few[name] ?? 300)
        assert.strictEqual((yield* Targets.check(name, { from, seeds })).seeds, seeds)
      })
    )
  }
})

const root = path.resolve(import.meta.dirname, "../../..")

describe("the defects that are planted", () => {
  it("replace a text that their file has once, for targets that there are", () => {
    assert.isAbove(Defects.all.length, 80)
    for (const { file, from, name, targets } of Defects.all) {
      assert.lengthOf(readFileSync(path.join(root, file), "utf8").split(from), 2, name)
      assert.includeMembers<string>([...Targets.names], [...targets], name)
    }
  })
})
