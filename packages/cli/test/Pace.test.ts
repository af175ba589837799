import { assert, describe, it } from "@effect/vitest"
import * as Pace from "../src/terminal/Pace.ts"

const status = (done: number, more: object = {}) => ({
  done,
  failed: 0,
  generation: 1,
  parts: 100 as number | null,
  state: "running" as const,
  submitted: 0,
  ...more
})

describe("the pace of a backfill", () => {
  it("is that since it was submitted, where nobody watched", () => {
    assert.deepStrictEqual(Pace.average(status(20), 10_000), { partsPerSecond: 2, left: 40_000 })
    assert.strictEqual(Pace.textOf(Pace.average(status(20), 10_000)), ", 2.0 parts/s, 40 s left")
    assert.strictEqual(Pace.textOf(Pace.average(status(20), 600_000)), ", 2.0 parts/min, 40 min left")
    for (const more of [{ parts: null }, { state: "paused" as const }, { generation: 2 }, { done: 0 }]) {
      assert.isUndefined(Pace.average(status(20, more), 10_000))
      assert.strictEqual(Pace.textOf(undefined), "")
    }
  })

  it("is that of the last five minutes, where it was watched", () => {
    const see = Pace.make()
    assert.isUndefined(see(status(50), 0))
    assert.deepStrictEqual(see(status(60), 10_000), { partsPerSecond: 1, left: 40_000 })
    // Then it stands still: what was before is forgotten.
    for (let at = 20_000; at < 310_000; at += 10_000) see(status(60), at)
    assert.deepStrictEqual(see(status(60), 320_000), { partsPerSecond: 0, left: null })
    assert.strictEqual(Pace.textOf(see(status(60), 320_001)), ", 0.0 parts/min")
  })

  it("counts failed parts as read, and begins anew after a pause", () => {
    const see = Pace.make()
    see(status(0), 0)
    assert.deepStrictEqual(see(status(10, { failed: 40 }), 10_000), { partsPerSecond: 1, left: 50_000 })
    assert.isUndefined(see(status(10, { state: "paused" as const }), 20_000))
    assert.isUndefined(see(status(10), 1_000_000))
    assert.deepStrictEqual(see(status(11), 1_010_000)?.partsPerSecond, 0.1)
  })
})
