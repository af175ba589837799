import { assert, describe, it } from "@effect/vitest"
import * as Fault from "@sluice/sandbox/Fault"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { assertSame } from "../../../core/test/Same.ts"
import * as Cover from "../../src/chaos/Cover.ts"
import * as Faults from "../../src/chaos/Faults.ts"
import * as Run from "../../src/chaos/Run.ts"
import * as Schedule from "../../src/chaos/Schedule.ts"
import * as Targets from "../../src/chaos/Targets.ts"
import * as RegularSchedules from "./RegularSchedules.ts"

const content = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD", "AdrActCnt"],
  start_time: "2024-01-01",
  end_time: "2024-01-20"
}

const forms = { pages: { page_size: 7 }, lines: { format: "json_stream" } } as const

const times = {
  once: (fault: string) => ({ faults: [fault], always: "" }),
  always: (fault: string) => ({ faults: [], always: fault })
}

/** One series, and the fault of its first request or of every one. */
const schedule = (
  fault: string,
  form: keyof typeof forms,
  often: keyof typeof times,
  world: Schedule.World
): Schedule.Schedule => ({
  seed: 1,
  world,
  sandbox: { plan: "download", latency: 0 },
  client: {
    root: "paid",
    parallel: 2,
    firstByte: world === "memory" ? 2_000 : 400,
    idle: world === "memory" ? 2_000 : 400,
    deprecated: "fail",
    gzip: true,
    limits: { maxPageBytes: 2_000_000, maxLineBytes: 500_000 },
    retry: { times: 2, base: 1, cap: 5 }
  },
  streams: [
    {
      target: { path: "/timeseries/asset-metrics", content, paging: forms[form] },
      as: "records",
      consumer: { _tag: "All" },
      delay: 0,
      ...times[often](fault)
    }
  ]
})

describe("the rule of", () => {
  for (const { example, kind } of Fault.table) {
    it.live(`${kind} holds: ${example}, once and always, of pages and of lines`, () =>
      Effect.gen(function* () {
        const world = Faults.worksInMemory(kind) ? "memory" : "wire"
        const all = (["pages", "lines"] as const).flatMap((form) =>
          (["once", "always"] as const).map((often) => schedule(example, form, often, world))
        )
        const { failed } = yield* Run.run(Stream.fromIterable(all))
        if (failed.length > 0) assert.fail(yield* Run.explainAll(failed))
      })
    )
  }
})

const specsOf = ({ streams }: Schedule.Schedule) =>
  streams.flatMap(({ always, faults }) => [...faults, always]).filter((spec) => spec !== "")

describe("the schedules of the regular run", () => {
  const drawn = [...RegularSchedules.schedules("memory"), ...RegularSchedules.schedules("wire")]
  const streams = drawn.flatMap(({ streams }) => streams)

  it("read every endpoint, in every format it has", () => {
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
      assertSame(RegularSchedules.draw(world, 100), RegularSchedules.draw(world, 100))
    }
  })

  it.effect("shrink from many faults to a few with which they still fail", () =>
    Effect.gen(function* () {
      const fails = (schedule: Schedule.Schedule) => specsOf(schedule).some((spec) => spec.includes("damage="))
      const long = drawn.find((schedule) => fails(schedule) && specsOf(schedule).length > 20)!
      const result = yield* Arbitrary.checkEffect(
        Schedule.arbitrary(long.seed, long.world),
        (schedule) => !fails(schedule),
        { seed: long.seed, size: Schedule.size, runs: 1, maxShrinks: 500 }
      )
      if (result._tag !== "Falsified") return assert.fail(result._tag)
      assert.deepStrictEqual(result.initialInput, long)
      const left = specsOf(result.shrunkInput)
      assert.isAtMost(left.length, 4)
      assert.isTrue(fails(result.shrunkInput))
    })
  )
})
