import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Download } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import { withClient } from "../../../node/test/Harness.ts"
import { data, temporary } from "./Harness.ts"
import { killed } from "./Killed.ts"
import * as Process from "./Process.ts"

/** Fifteen moments, anywhere: how much a process has done with files when it is killed. */
const anywhere = (seed: number) =>
  Effect.replicateEffect(
    Effect.flatMap(Random.nextBoolean, (isEarly) => Random.nextIntBetween(1, isEarly ? 120 : 450)),
    15
  ).pipe(Random.withSeed(seed))

/** Kills and starts again at each moment, and compares whatever comes to its end with the undisturbed run. */
const killAt = Effect.fnUntraced(function* (moments: ReadonlyArray<number>, as: string, fault?: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const sandbox = yield* Sandbox.Sandbox
  const root = fault === undefined ? sandbox.url : sandbox.faultUrl(fault)
  const folder = yield* temporary
  const calm = path.join(folder, "calm")
  yield* withClient(Stream.runDrain(Download.run(killed(calm, as))))
  const expected = yield* data(calm)
  let kills = 0
  let finished = 0
  let to = path.join(folder, "0")
  const seen: Array<string> = []
  for (const moment of [...moments, Infinity]) {
    const ended = yield* Process.run(root, to, as, moment)
    const files = (yield* fs.exists(to)) ? yield* data(to) : {}
    seen.push(`${moment}:${ended.moments}:${Object.keys(files).length}:${ended.signal}`)
    // A file that has its name is whole, at every moment.
    for (const [name, content] of Object.entries(files)) {
      assert.isTrue(content === expected[name], `${name} after ${seen.join(" ")}`)
    }
    if (ended.signal === "SIGKILL") kills += 1
    else {
      assert.strictEqual(ended.code, 0, ended.said)
      assert.sameMembers(Object.keys(files), Object.keys(expected))
      finished += 1
      to = path.join(folder, String(finished))
    }
  }
  assert.isAtLeast(kills, moments.length / 2, seen.join(" "))
  if (fault === undefined) return
  const { faults } = yield* sandbox.stats
  for (const kind of ["status", "reset-after", "close-after", "truncate-after"])
    assert.isAbove(faults[kind] ?? 0, 0, kind)
})

const world = Layer.merge(Sandbox.layer(), NodeServices.layer)

/** Of every kind, and so often that each run meets some. */
const faults = [
  ...[2, 19, 44, 71].map((after) => `status=429;headers=none;retry-after=0.05;after=${after};times=1`),
  ...[9, 30, 55, 90].map((after) => `reset-after=within:700;after=${after};times=9`),
  ...[5, 40, 63, 99].map((after) => `truncate-after=within:300;after=${after};times=9`),
  ...[13, 36, 77].map((after) => `close-after=30000;after=${after};times=5`),
  ...[25, 60].map((after) => `status=503;after=${after};times=3`)
].join(",")

describe("a process that is killed again and again, and started again", () => {
  it.live("has the files of an undisturbed run", () =>
    Effect.gen(function* () {
      // While the bookkeeping begins, and late in the parts; in a long run anywhere.
      yield* killAt(TestMode.isLong ? yield* anywhere(20) : [25, 300], "ndjson")
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  if (TestMode.isLong) {
    it.live("has them as Arrow too", () =>
      Effect.gen(function* () {
        yield* killAt(yield* anywhere(22), "arrow")
      }).pipe(Effect.scoped, Effect.provide(world))
    )
  }

  it.live("has them compressed too, from a service that refuses, cuts and truncates", () =>
    Effect.gen(function* () {
      yield* killAt(TestMode.isLong ? yield* anywhere(21) : [130], "csv", faults)
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})
