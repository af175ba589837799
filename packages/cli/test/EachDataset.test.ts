import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as EachDataset from "../src/commands/data/EachDataset.ts"
import * as Monitor from "../src/commands/data/Monitor.ts"
import { Explain } from "../src/settings/Explain.ts"
import * as GlobalFlags from "../src/settings/GlobalFlags.ts"
import { Screen } from "../src/terminal/Screen.ts"
import * as Style from "../src/terminal/Style.ts"

interface Failure {
  readonly _tag: string
  readonly message: string
}

const side = { isTerminal: false, columns: 80, style: Style.plain }

/** Begins to work on one dataset that fails so each time, and gives the pauses that were told. */
const begin = Effect.fnUntraced(function* (
  kind: string,
  failure: Failure,
  run: (attempt: number) => string = () => "0 seconds"
) {
  const pauses: Array<number | undefined> = []
  const work = EachDataset.run("datasets.toml", [{ name: "closes" }], {
    run: () => Effect.andThen(Effect.sleep(run(pauses.length) as "1 minute"), Effect.fail(failure)),
    tell: (_, __, again) => Effect.sync(() => void pauses.push(again)),
    concurrency: "unbounded",
    isEndless: true
  })
  const fiber = yield* work.pipe(
    Effect.provideService(Explain, ({ _tag: tag, message }) => Effect.succeed({ kind, tag, message, next: undefined })),
    Effect.provideService(GlobalFlags.Json, false),
    Effect.provideService(Screen, {
      out: side,
      err: side,
      write: () => Effect.void,
      print: () => Effect.void,
      say: () => Effect.void
    }),
    Effect.exit,
    Effect.forkChild
  )
  return { fiber, pauses }
})

describe("the health of a dataset", () => {
  it.effect("is bad while it fails at its start, and good again when it is current", () =>
    Effect.gen(function* () {
      const { end, fail, health, note } = yield* Monitor.ofDataset("closes", 0)
      const isWell = Effect.map(health, ({ isWell }) => isWell)
      assert.isTrue(yield* isWell)
      yield* fail({ tag: "Unavailable", message: "gone" })
      assert.isFalse(yield* isWell)
      const finished = { entities: 1, records: 0, replaced: 0, changes: 0, newest: null }
      yield* note({ _tag: "Finished", dataset: "closes", ...finished })
      assert.isTrue(yield* isWell)
      // One that was current has two hours.
      yield* fail({ tag: "Unavailable", message: "gone" })
      assert.isTrue(yield* isWell)
      yield* TestClock.adjust("121 minutes")
      assert.isFalse(yield* isWell)
      yield* note({ _tag: "Finished", dataset: "closes", ...finished })
      yield* end({ tag: "OtherDefinition", message: "wrong" })
      assert.isFalse(yield* isWell)
    })
  )
})

describe("a dataset of several that are watched", () => {
  it.effect("is tried again at pauses that grow to minutes", () =>
    Effect.gen(function* () {
      const { fiber, pauses } = yield* begin("system", { _tag: "FolderInUse", message: "in use" })
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual(
        pauses.map((pause) => (pause ?? 0) / 1_000),
        [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
      )
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("begins with a short pause again when it went on for long", () =>
    Effect.gen(function* () {
      const { fiber, pauses } = yield* begin("network", { _tag: "Unavailable", message: "gone" }, (attempt) =>
        attempt === 3 ? "2 hours" : "0 seconds"
      )
      yield* TestClock.adjust("121 minutes")
      assert.deepStrictEqual(pauses.slice(0, 5), [1_000, 2_000, 4_000, 1_000, 2_000])
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("stays ended where waiting does not help", () =>
    Effect.gen(function* () {
      for (const [kind, _tag] of [
        ["usage", "BadDefinition"],
        ["key", "Unauthorized"],
        ["system", "OtherDefinition"],
        ["system", "MissingPackage"]
      ] as const) {
        const { fiber, pauses } = yield* begin(kind, { _tag, message: "wrong" })
        const exit = yield* Fiber.join(fiber)
        assert.deepStrictEqual([exit._tag, pauses], ["Failure", [undefined]])
      }
    })
  )
})
