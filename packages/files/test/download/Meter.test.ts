import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { Quota } from "@sluice/core"
import { Download } from "@sluice/files"
import * as Meter from "../../src/internal/download/Meter.ts"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as WallClock from "../../../core/test/WallClock.ts"
import { inVirtualTime } from "../../../node/test/Harness.ts"
import { events, job, memory, temporary } from "./Harness.ts"

const quota: Quota.State = {
  plan: undefined,
  limit: Infinity,
  window: Duration.seconds(6),
  remaining: Infinity,
  reset: Duration.infinity,
  inFlight: 1,
  waiting: 2,
  sent: 3,
  rejected: 4
}

const none = { done: 0, records: 0, bytes: 0 }

describe("progress", () => {
  it("counts running parts, and drops the counts of failed ones", () => {
    const meter = Meter.make(4, { done: 1, records: 10, bytes: 100 }, 0)
    const [kept, lost] = [meter.begin(), meter.begin()]
    for (const part of [kept, lost]) {
      part.records(5)
      part.bytes(50)
    }
    assert.deepInclude(meter.progress(1_000, quota), { done: 1, running: 2, records: 20, bytes: 200, failed: 0 })
    assert.deepInclude(meter.finished(), { done: 1, records: 10, bytes: 100 })
    kept.done()
    lost.dropped()
    const { failed, ...now } = meter.progress(2_000, quota)
    assert.strictEqual(failed, 1)
    assert.deepInclude(now, { done: 2, running: 0, records: 15, bytes: 150 })
    assert.deepInclude(meter.finished(), { done: 2, records: 15, bytes: 150 })
  })

  it("has the speed of the last ten seconds, and the end if the remaining parts are like the finished ones", () => {
    const meter = Meter.make(4, none, 0)
    assert.deepInclude(meter.progress(0, quota), { recordsPerSecond: 0, left: null })
    const first = meter.begin()
    first.records(100)
    first.bytes(1_000)
    assert.deepInclude(meter.progress(5_000, quota), { recordsPerSecond: 20, bytesPerSecond: 200, left: null })
    first.done()
    const second = meter.begin()
    second.records(100)
    // Of 400 records 200 are left, at 20 a second.
    assert.deepInclude(meter.progress(10_000, quota), { recordsPerSecond: 20, left: 10_000, elapsed: 10_000 })
    // What was read before the last ten seconds is no pace any more.
    assert.deepInclude(meter.progress(20_000, quota), { recordsPerSecond: 0, left: null })
  })

  it("has no negative speed when a large part fails", () => {
    const meter = Meter.make(2, none, 0)
    const part = meter.begin()
    part.records(1_000)
    meter.progress(1_000, quota)
    part.dropped()
    assert.deepInclude(meter.progress(2_000, quota), { recordsPerSecond: 0, records: 0 })
  })

  it("is JSON where a service names no limit", () => {
    const progress = Meter.make(1, none, 0).progress(0, quota)
    assert.deepStrictEqual(progress.quota, {
      plan: null,
      limit: null,
      remaining: null,
      reset: null,
      inFlight: 1,
      waiting: 2,
      sent: 3,
      rejected: 4,
      processes: null
    })
    const shared = { store: "redis://cache", processes: 3, isReached: true }
    assert.strictEqual(Meter.make(1, none, 0).progress(0, { ...quota, shared }).quota.processes, 3)
    const codec = Schema.fromJsonString(Download.Event)
    assert.deepStrictEqual(Schema.decodeSync(codec)(Schema.encodeSync(codec)(progress)), progress)
  })

  it.effect("comes four times a second, however often the wall clock is set back, with the plan once it is known", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const clock = yield* Clock.Clock
      const wall = WallClock.at(clock, () => -clock.currentTimeMillisUnsafe())
      const running = Effect.provideService(events(Download.run({ ...job, to, concurrency: 1 })), Clock.Clock, wall)
      const told = yield* inVirtualTime(running)
      const progress = told.flatMap((event) => (event._tag === "Progress" ? [event] : []))
      assert.isAbove(progress.length, 10)
      for (const [index, { elapsed, parts, quota }] of progress.entries()) {
        // The last comes at the end, whenever that is.
        if (index < progress.length - 1) assert.strictEqual(elapsed, 250 * (index + 1))
        assert.strictEqual(parts, 9)
        assert.deepInclude(quota, { plan: "download", limit: 6_000 })
      }
      const done = progress.map(({ done }) => done)
      assert.deepStrictEqual(
        done,
        done.toSorted((a, b) => a - b)
      )
      assert.strictEqual(done.at(-1), 9)
    }).pipe(Effect.provide([memory({ latency: "1 second" }), NodeServices.layer]))
  )
})
