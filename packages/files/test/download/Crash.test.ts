import { assert, describe, it } from "@effect/vitest"
import { Download } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import { data, events, job as nine, temporary, world } from "./Harness.ts"
import * as FailingDisk from "./FailingDisk.ts"

/** A part of each asset; in a long run three. */
const job = TestMode.isLong ? nine : { ...nine, params: { ...nine.params, end_time: "2024-02-15" } }

const run = (to: string) => Stream.runDrain(Download.run({ ...job, to, concurrency: 2 }))

/** The files of an undisturbed run, and what it does with files, in order. */
const calm = Effect.gen(function* () {
  const to = yield* temporary
  const log: FailingDisk.Log = []
  yield* Effect.provide(run(to), FailingDisk.life(1, Infinity, log))
  return { files: yield* data(to), log }
})

const assertWhole = (files: Record<string, string>, expected: Record<string, string>, when: string) => {
  for (const [name, content] of Object.entries(files)) {
    assert.isTrue(content === expected[name], `${name}, ${when}`)
  }
}

describe("whatever a download was doing with files", () => {
  it.live("when its process ended, the next one has the files of an undisturbed run", () =>
    Effect.gen(function* () {
      const { files, log } = yield* calm
      const path = yield* Path.Path
      const folder = yield* temporary
      assert.isAbove(log.length, TestMode.times(30, 50))
      // Every step after every other step that it comes after, the first time it does, and the end. A long run tries all.
      const steps = [...log.keys()].map((moment) => log.slice(Math.max(0, moment - 1), moment + 1).join(" "))
      const isTried = (moment: number) =>
        TestMode.isLong || moment > log.length - 6 || steps.indexOf(steps[moment]!) === moment
      for (const moment of [...log.keys()].filter(isTried)) {
        const when = `killed at ${moment}, ${log[moment]}`
        const to = path.join(folder, String(moment))
        yield* Effect.ignore(Effect.provide(run(to), FailingDisk.life(1, moment)))
        const fs = yield* FileSystem.FileSystem
        if (yield* fs.exists(to)) assertWhole(yield* data(to), files, when)
        const [started] = yield* Effect.provide(events(Download.run({ ...job, to })), FailingDisk.life(2))
        assert.deepStrictEqual(yield* data(to), files, when)
        // The run after that finds all done, whatever was before the one before it: tried after some.
        if (TestMode.isLong || moment % 4 === 0) {
          const [again] = yield* events(Download.run({ ...job, to }))
          assert.deepInclude(again, { done: Object.keys(files).length }, `${when}, the one after it`)
        }
        // A run that finds all done touches nothing, not even a lock that was left.
        const wasDone = started?._tag === "Started" && started.done === started.parts
        const left = (yield* fs.readDirectory(path.join(to, ".sluice"))).toSorted()
        const kept = wasDone ? left.filter((name) => !name.startsWith("lock-")) : left
        assert.deepStrictEqual(kept, ["done.ndjson", "manifest.json"], when)
      }
    }).pipe(Effect.provide(world))
  )

  it.live("when its process and the next ones ended, each a little later, the last one has them too", () =>
    Effect.gen(function* () {
      const { files } = yield* calm
      const to = yield* temporary
      let lives = 0
      yield* Effect.suspend(() => {
        lives += 1
        return Effect.provide(run(to), FailingDisk.life(lives, 7 * lives))
      }).pipe(Effect.eventually)
      assert.isAbove(lives, TestMode.times(3, 5))
      assert.deepStrictEqual(yield* data(to), files)
    }).pipe(Effect.provide(world))
  )

  it.live("when the disk was full, it says so, and continues once there is room", () =>
    Effect.gen(function* () {
      const { files } = yield* calm
      const path = yield* Path.Path
      const folder = yield* temporary
      let refused = 0
      for (let moment = 0; ; moment += moment < 12 || TestMode.isLong ? 1 : 9) {
        const when = `full at ${moment}`
        const to = path.join(folder, String(moment))
        const exit = yield* Effect.result(Effect.provide(run(to), FailingDisk.full(moment)))
        if (exit._tag === "Success") break
        refused += 1
        assert.strictEqual(exit.failure._tag, "FileFailed", when)
        assert.include(exit.failure.message, "(ENOSPC): the disk is full; make room and continue")
        const fs = yield* FileSystem.FileSystem
        if (yield* fs.exists(to)) {
          assertWhole(yield* data(to), files, when)
          const left = yield* fs.readDirectory(to, { recursive: true })
          const unfinished = left.filter((name) => /lock|\.part$|\.new$/.test(name))
          assert.deepStrictEqual(unfinished, [], when)
        }
        yield* run(to)
        assert.deepStrictEqual(yield* data(to), files, when)
      }
      assert.isAbove(refused, 14)
    }).pipe(Effect.provide(world))
  )
})
