import { assert, describe, it } from "@effect/vitest"
import * as Fault from "@sluice/sandbox/Fault"
import { Effect } from "effect"
import { assertSame } from "../../../core/test/Same.ts"
import * as Cover from "../../src/chaos/Cover.ts"
import * as Run from "../../src/chaos/Run.ts"
import * as Schedule from "../../src/chaos/Schedule.ts"
import * as Shrink from "../../src/chaos/Shrink.ts"
import * as Targets from "../../src/chaos/Targets.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as RegularSchedules from "./RegularSchedules.ts"

// All in one file: to draw the schedules takes longer than to run some of them.
const worlds = [
  { name: "in memory", world: "memory", size: 25 },
  { name: "over sockets", world: "wire", size: 10 }
] as const

for (const { name, size, world } of worlds) {
  describe(`random schedules of faults, ${name}`, () => {
    for (const [index, schedules] of RegularSchedules.chunks(world, size).entries()) {
      it.live(`part ${index + 1}: the records are those of the undisturbed run, or a prefix with a typed error`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual((yield* Run.run(schedules)).failed, [])
        })
      )
    }
  })
}

const specsOf = ({ streams }: Schedule.Schedule) => streams.flatMap(Schedule.specsOf)

describe("the schedules of the regular run", () => {
  const drawn = [...RegularSchedules.schedules("memory"), ...RegularSchedules.schedules("wire")]
  const streams = drawn.flatMap(({ streams }) => streams)

  it.skipIf(!TestMode.isLong)("read every endpoint, in every format it has", () => {
    const read = new Set(streams.map(Cover.readOf))
    const offered = Targets.paths.flatMap((path) =>
      Targets.endpointOf({ path }).formats.map((format) => `${path} ${format}`)
    )
    assert.isNotEmpty(Targets.paths)
    assert.deepStrictEqual([...read].toSorted(), offered.toSorted())
  })

  it("meet every kind of fault", () => {
    const kinds = new Set(streams.flatMap(Cover.kindsOf))
    assert.deepStrictEqual([...kinds].toSorted(), [...Fault.kinds].toSorted())
  })

  it("use records in every way", () => {
    const ways = new Set(streams.map(Cover.wayOf))
    assert.strictEqual(ways.size, 10)
  })

  it("follow from their seeds alone", () => {
    for (const world of ["memory", "wire"] as const) {
      assertSame(RegularSchedules.draw(world, 25), RegularSchedules.draw(world, 25))
    }
  })

  it.effect("shrink from many faults to a few with which they still fail", () =>
    Effect.gen(function* () {
      const fails = (schedule: Schedule.Schedule) => specsOf(schedule).some((spec) => spec.includes("damage="))
      const long = drawn.find((schedule) => fails(schedule) && specsOf(schedule).length > 20)!
      const left = specsOf(yield* Shrink.run(long, (schedule) => Effect.succeed(fails(schedule))))
      assert.lengthOf(left, 1)
      assert.isTrue(left.some((spec) => spec.includes("damage=")))
    })
  )
})
