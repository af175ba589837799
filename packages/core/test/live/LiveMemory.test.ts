import { assert, describe, it } from "@effect/vitest"
import * as Memory from "../../src/internal/live/lanes/Memory.ts"
import { time } from "./FakeLive.ts"

const day = (second: number) => `2026-01-02T${new Date(second * 1_000).toISOString().slice(11, 19)}.000000000Z`

/** Remembers records by second, one in each turn or as said. */
const remembering = (seconds: ReadonlyArray<string>, turnOf: (index: number) => number = () => 0) => {
  const memory = Memory.make("time", 0)
  for (const [index, position] of seconds.entries()) {
    Memory.note(memory, `${position}\n${index}`, position, 0, Memory.live, turnOf(index))
  }
  return memory
}

describe("What a lane remembers", () => {
  it("is bounded, also where all records have one time", () => {
    const memory = remembering(Array.from({ length: 60_000 }, () => time(1)))
    assert.isAtMost(Memory.entries(memory).length, 10_000)
    assert.isAtLeast(Memory.entries(memory).length, 5_000)
  })

  it("is at least the last eight records, and those of thirty seconds, whatever turns pass", () => {
    const quiet = remembering(
      Array.from({ length: 50 }, (_, second) => day(second)),
      (index) => 100 * index
    )
    assert.isAtLeast(Memory.entries(quiet).length, 8)
    const busy = remembering(
      Array.from({ length: 4_000 }, (_, second) => day(second)),
      (index) => Math.floor(index / 1_000)
    )
    // A turn is fifteen seconds.
    assert.isAtLeast(Memory.entries(busy).length, 2_000)
  })

  it("does not forget what lies ahead, and says up to where it has forgotten the rest", () => {
    const ahead = day(80_000)
    const memory = remembering([ahead, ...Array.from({ length: 15_000 }, (_, second) => day(second))])
    assert.isDefined(Memory.get(memory, `${ahead}\n0`))
    assert.isUndefined(Memory.get(memory, `${day(0)}\n1`))
    assert.isBelow(Memory.entries(memory).length, 10_002)
    const first = Memory.entries(memory)[1]?.[1].position
    assert.isTrue(memory.forgotten !== undefined && first !== undefined && memory.forgotten < first)
  })

  it("is more where a hole needs it, but bounded, and says up to where it has forgotten the rest all the same", () => {
    const memory = Memory.make("time", 0)
    memory.held = 1
    for (let second = 0; second < 60_000; second++) {
      const position = day(second)
      Memory.note(memory, position, position, 0, Memory.live, 0)
      if (second === 40_000) assert.isUndefined(memory.forgotten)
    }
    assert.isAtMost(Memory.entries(memory).length, 50_000)
    assert.isTrue(memory.forgotten !== undefined && memory.forgotten >= day(5_000))
  })

  it("ends where most of the last three records are, whichever one of them is wrong", () => {
    for (const wrong of [time(0), day(9), "1970-01-01T00:00:00.000000000Z", "9999-01-01T00:00:00.000000000Z"]) {
      for (const place of [0, 1, 2]) {
        const memory = remembering([time(1), time(2), ...[time(3), time(4)].toSpliced(place, 0, wrong)])
        const { late, reached } = Memory.frontier(memory, day(50))
        assert.include([time(3), time(4)], reached, `${wrong} at ${place}`)
        assert.isAtMost(Number(late), 30e9)
        assert.isFalse(Memory.isBehind(memory, time(5)))
        assert.isTrue(Memory.isBehind(memory, time(2)))
      }
    }
  })
})
