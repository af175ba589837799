import { assert, describe, it } from "@effect/vitest"
import { QuotaStore } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as os from "node:os"
import * as path from "node:path"
import * as QuotaStep from "../../../core/test/QuotaStep.ts"
import * as LocalStore from "../../src/internal/quota/LocalStore.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "sluice-quota-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

const storeOf = (account: string, place: string) =>
  Effect.map(Layer.build(LocalStore.layer(account, place)), (context) => Context.get(context, QuotaStore.QuotaStore))

/** What another program sees of the file. */
const openFile = (place: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(path.join(place, "quota-1.sqlite"))),
    (database) => Effect.sync(() => database.close())
  )

const joining: QuotaStore.Step = {
  ...QuotaStep.step,
  join: { alone: false, parallel: 10, planned: undefined, policies: [], requests: [] }
}

describe("The store in a file", () => {
  it.effect("is in the home of the user, or in a folder of the user where there is none", () =>
    Effect.gen(function* () {
      const home = yield* folder
      assert.strictEqual(LocalStore.ownFolder(home, 7), path.join(home, ".cache", "sluice"))
      for (const none of ["", "/", "relative", path.join(home, "missing")]) {
        assert.match(LocalStore.ownFolder(none, 7), /sluice-7$/)
      }
    })
  )

  it.effect("is in a folder that nobody else may read", () =>
    Effect.gen(function* () {
      const place = path.join(yield* folder, ".cache", "sluice")
      yield* storeOf("a", place)
      if (process.platform !== "win32") assert.strictEqual(fs.statSync(place).mode & 0o777, 0o700)
    })
  )

  it.effect("waits for the lock of another process on the clock of the program, which goes on meanwhile", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const store = yield* storeOf("a", place)
      const other = yield* openFile(place)
      other.exec("begin immediate")
      const step = yield* Effect.forkChild(store.step(joining))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(step.pollUnsafe())
      other.exec("commit")
      yield* TestClock.adjust("100 millis")
      assert.lengthOf((yield* Fiber.join(step)).granted, 1)
    })
  )

  it.effect("takes the time when it has the lock, so that steps are in the order of their times", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const store = yield* storeOf("a", place)
      const other = yield* openFile(place)
      const clock = yield* Clock.Clock
      const readings: Array<boolean> = []
      const isLocked = () => {
        try {
          other.exec("begin immediate; rollback")
          return false
        } catch {
          return true
        }
      }
      yield* Effect.provideService(store.step(joining), Clock.Clock, {
        ...clock,
        currentTimeMillisUnsafe: () => {
          readings.push(isLocked())
          return clock.currentTimeMillisUnsafe()
        }
      })
      assert.deepStrictEqual(readings, [true])
    })
  )

  it.effect("says that it cannot be used when the lock stays taken", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const store = yield* storeOf("a", place)
      const other = yield* openFile(place)
      other.exec("begin immediate")
      const step = yield* Effect.forkChild(Effect.flip(store.step(joining)))
      yield* TestClock.adjust("3 seconds")
      const error = yield* Fiber.join(step)
      assert.isTrue(error.transient)
      assert.include(error.reason, "locked")
      other.exec("commit")
      assert.lengthOf((yield* store.step(joining)).granted, 1)
    })
  )

  it.effect("drops all that it has of an account that nobody has used for long", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const other = yield* Effect.andThen(storeOf("old", place), openFile(place))
      const names = () =>
        ["account", "reply", "wake"].map((table) =>
          other
            .prepare(`select distinct ${table === "account" ? "name" : "account"} as name from ${table} order by 1`)
            .all()
            .map(({ name }) => name)
        )
      for (const account of ["old", "kept"]) {
        yield* Effect.flatMap(storeOf(account, place), (store) => store.step(joining))
        other.prepare("insert into reply values (?, 1, 'r', 0)").run(account)
        other.prepare("insert into wake values (?, 'q')").run(account)
        yield* TestClock.adjust("39 days")
      }
      assert.deepStrictEqual(names(), [
        ["kept", "old"],
        ["kept", "old"],
        ["kept", "old"]
      ])
      yield* Effect.flatMap(storeOf("new", place), (store) => store.step(joining))
      assert.deepStrictEqual(names(), [["kept", "new"], ["kept"], ["kept"]])
    })
  )
})
