import { assert, describe, it } from "@effect/vitest"
import * as Repeats from "../src/terminal/Repeats.ts"

const hour = 3_600_000

describe("messages that say the same", () => {
  it("are shown once, and an hour later with how often they came meanwhile", () => {
    const repeats = Repeats.make()
    assert.strictEqual(repeats.see("a", 0), 0)
    for (let minute = 1; minute < 60; minute++) assert.isUndefined(repeats.see("a", minute * 60_000))
    assert.strictEqual(repeats.see("a", hour), 59)
    assert.isUndefined(repeats.see("a", hour + 1))
    assert.strictEqual(repeats.see("a", 2 * hour), 1)
    assert.strictEqual(Repeats.textOf(1), " (1 more time since this was said)")
    assert.strictEqual(Repeats.textOf(59), " (59 more times since this was said)")
  })

  it("are shown at once where they say something else", () => {
    const repeats = Repeats.make()
    assert.strictEqual(repeats.see("3 records", 0), 0)
    assert.strictEqual(repeats.see("4 records", 1), 0)
    assert.isUndefined(repeats.see("3 records", 2))
  })

  it("are shown again where the clock is set back, and are remembered in limits", () => {
    const repeats = Repeats.make()
    assert.strictEqual(repeats.see("a", 3 * hour), 0)
    assert.strictEqual(repeats.see("a", hour), 0)
    for (let at = 0; at < 2_000; at++) assert.strictEqual(repeats.see(`b${at}`, hour), 0)
    assert.strictEqual(repeats.see("a", hour), 0)
  })
})
