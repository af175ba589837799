import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { isLong, seeds } from "../../../core/test/TestMode.ts"
import * as Simulation from "../../src/quota/Simulation.ts"

const slow = (nth: number) => 40 + ((nth * 7_919) % 200)
const fast = (nth: number) => 15 + ((nth * 7_919) % 11)

const trial: Simulation.Scenario = {
  processes: 4,
  requests: 5,
  limit: 10,
  window: 6_000,
  plan: "trial",
  latency: slow,
  millis: 600_000
}

const large: Simulation.Scenario = {
  processes: 4,
  requests: 10,
  limit: 6_000,
  window: 20_000,
  plan: "default",
  latency: fast,
  millis: 600_000
}

/** The default plan with a twentieth of its window, for runs of every test. */
const small: Simulation.Scenario = { ...large, limit: 300, window: 1_000, plan: "other", millis: 2_900 }

const run = (scenario: Simulation.Scenario) => Effect.provide(Simulation.run(scenario), Logger.layer([]))

/** Each process got what is within a tenth of the mean. */
const assertFair = (perProcess: ReadonlyArray<number>) => {
  const mean = perProcess.reduce((a, b) => a + b, 0) / perProcess.length
  for (const count of perProcess) assert.closeTo(count, mean, mean / 10)
}

describe("Four processes with one key", () => {
  it.live.each([
    isLong
      ? { name: "ten minutes of the trial plan", ...trial }
      : { name: "a minute of the trial plan", ...trial, millis: 60_000 },
    isLong ? { name: "ten minutes of the default plan", ...large } : { name: "a window of its shape", ...small }
  ])("no 429, equal parts, and 95 of 100 places of the window used: $name", (scenario) =>
    Effect.gen(function* () {
      const { fill, most, perProcess, rejected } = yield* run(scenario)
      assert.strictEqual(rejected, 0)
      assert.isAtMost(most, 10)
      assertFair(perProcess)
      assert.isAtLeast(fill, 0.95)
    })
  )

  it.live.each(
    [
      { from: 13_500, to: 25_500, isLost: false },
      { from: 13_500, to: 25_500, isLost: true },
      { from: 20_000, to: 22_000, isLost: false },
      { from: 15_000, to: 15_100, isLost: true }
    ].flatMap((outage) =>
      (["share", "fail"] as const)
        .filter(
          (whenUnavailable) => isLong || (outage.from === 13_500 && (whenUnavailable === "share" || outage.isLost))
        )
        .map((whenUnavailable) => ({ ...outage, whenUnavailable }))
    )
  )(
    "the store is gone from $from to $to ms, its data lost: $isLost, $whenUnavailable: no 429, and back by itself",
    (one) =>
      Effect.gen(function* () {
        const { whenUnavailable, ...outage } = one
        const { accepted, meanwhile, rejected } = yield* run({ ...trial, millis: 50_000, outage, whenUnavailable })
        assert.strictEqual(rejected, 0)
        // Eight windows, less what the outage and the seconds after it cost.
        assert.isAtLeast(accepted, whenUnavailable === "share" ? 65 : 45)
        if (outage.to - outage.from > 6_000) assert.strictEqual(meanwhile > 0, whenUnavailable === "share")
      })
  )
})

/** What a machine does to processes: they wait for a lock, messages are late, processes stand still for long, and for longer than a lease. */
const machines: ReadonlyArray<{ name: string; busy: Omit<Simulation.Busy, "seed"> }> = [
  {
    name: "times of steps out of order",
    busy: { pauses: { part: 0, from: 0, to: 0 }, delays: { part: 0, most: 0 }, lag: 5 }
  },
  { name: "late messages", busy: { pauses: { part: 0, from: 0, to: 0 }, delays: { part: 0.2, most: 1_500 }, lag: 0 } },
  {
    name: "short pauses",
    busy: { pauses: { part: 0.01, from: 100, to: 500 }, delays: { part: 0.1, most: 500 }, lag: 3 }
  },
  {
    name: "long pauses",
    busy: { pauses: { part: 0.001, from: 1_500, to: 5_000 }, delays: { part: 0.01, most: 300 }, lag: 3 }
  },
  {
    name: "freezes",
    busy: { pauses: { part: 0.0005, from: 5_000, to: 20_000 }, delays: { part: 0.01, most: 300 }, lag: 3 }
  }
]

describe("Four processes on a busy machine", () => {
  it.live.each(machines)("no 429, whichever delays there are: $name", ({ busy }) =>
    Effect.gen(function* () {
      const plans = isLong ? [trial, { ...small, window: 3_000 }] : [{ ...small, limit: 30 }]
      for (const plan of plans) {
        for (const seed of seeds(1, 5)) {
          const millis = isLong ? 40_000 : 8_000
          const { accepted, rejected } = yield* run({ ...plan, millis, busy: { ...busy, seed } })
          assert.strictEqual(rejected, 0, `limit ${plan.limit}, seed ${seed}`)
          assert.isAbove(accepted, plan.limit)
        }
      }
    })
  )
})

describe("Fifty processes that come and go", () => {
  it.live(`no 429, and nearly all of the window used${isLong ? ": 100,000 parts of the default plan" : ""}`, () =>
    Effect.gen(function* () {
      const scenario = isLong
        ? { ...large, millis: undefined, parts: 100_000, churn: 5_000 }
        : { ...small, millis: undefined, parts: 1_000, churn: 800 }
      const { accepted, fill, killed, rejected } = yield* run({ ...scenario, processes: 50, requests: 4 })
      assert.strictEqual(rejected, 0)
      assert.isAtLeast(accepted, scenario.parts)
      assert.isAtLeast(killed, isLong ? 20 : 1)
      // A twentieth of the window loses more to the 10 ms between two looks at it.
      assert.isAtLeast(fill, isLong ? 0.97 : 0.9)
    })
  )
})
