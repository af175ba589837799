import { type ChildProcess, spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { QuotaStore } from "@sluice/core"
import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as os from "node:os"
import * as path from "node:path"
import * as WallClock from "../../../core/test/WallClock.ts"
import * as QuotaStep from "../../../core/test/quota/QuotaStep.ts"
import * as State from "../../../core/src/internal/shared/State.ts"
import * as StoredState from "../../../core/src/internal/shared/StoredState.ts"
import * as Transition from "../../../core/src/internal/shared/Transition.ts"
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

/** A process that has the file open, and does nothing. */
const holder = (file: string) => {
  const program = `
    const { DatabaseSync } = require("node:sqlite")
    new DatabaseSync(${JSON.stringify(file)}).prepare("select * from quota").all()
    console.log("open")
    process.stdin.resume()
  `
  return Effect.acquireRelease(
    Effect.callback<ChildProcess>((resume) => {
      const child = spawn(process.execPath, ["--no-warnings", "--eval", program])
      child.stdout.once("data", () => resume(Effect.succeed(child)))
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
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

  it.effect.each([
    {
      what: "a folder that everybody may write into",
      lead: (place: string) => fs.chmodSync(place, 0o777),
      says: "other users may write into"
    },
    {
      what: "a folder that its group may write into",
      lead: (place: string) => fs.chmodSync(place, 0o775),
      says: "(chmod go-w)"
    },
    {
      what: "a file that is a link",
      lead: (place: string, name: string) => {
        fs.writeFileSync(path.join(place, "elsewhere"), "")
        fs.symlinkSync(path.join(place, "elsewhere"), path.join(place, name))
      },
      says: "quota-1.sqlite is not a regular file"
    },
    {
      what: "a link beside the file, where SQLite keeps what it has not written yet",
      lead: (place: string, name: string) =>
        fs.symlinkSync(path.join(place, "elsewhere"), path.join(place, `${name}-wal`)),
      says: "quota-1.sqlite-wal is not a regular file"
    },
    {
      what: "a view in place of a table",
      lead: (place: string, name: string) => {
        const database = new DatabaseSync(path.join(place, name))
        database.exec("create view quota as select 'a' as account, '1' as base, '{}' as state, 0 as unused")
        database.close()
      },
      says: "view"
    },
    {
      what: "a table with other columns",
      lead: (place: string, name: string) => {
        const database = new DatabaseSync(path.join(place, name))
        database.exec("create table quota (a)")
        database.close()
      },
      says: "column"
    }
  ])("refuses $what", ({ lead, says }) =>
    Effect.gen(function* () {
      const place = yield* folder
      lead(place, "quota-1.sqlite")
      const error = yield* Effect.flip(storeOf("a", place))
      assert.strictEqual(error._tag, "Misconfigured")
      assert.include(error.message, "SLUICE_QUOTA_STORE: local: ")
      assert.include(error.message, says)
      assert.strictEqual(fs.statSync(path.join(place, "elsewhere"), { throwIfNoEntry: false })?.size ?? 0, 0)
    })
  )

  it.effect("gives up a file that another process has locked for seconds, where the wall clock is set back too", () =>
    Clock.clockWith((clock) => {
      let offset = 0
      const wall = WallClock.at(clock, () => clock.currentTimeMillisUnsafe() + offset)
      const second = Effect.provideService(TestClock.adjust("1 second"), Clock.Clock, clock)
      return Effect.gen(function* () {
        const place = yield* folder
        const store = yield* storeOf("a", place)
        const file = yield* openFile(place)
        file.exec("begin immediate")
        const step = yield* Effect.forkChild(Effect.flip(store.step(joining)))
        yield* second
        offset = -3_600_000
        yield* Effect.repeat(second, { times: 1 })
        assert.isDefined(step.pollUnsafe())
      }).pipe(Effect.provideService(Clock.Clock, wall))
    })
  )

  const later = 1e14
  const someone = { id: "x", process: "gone", sent: 0, isProbe: false, isTold: true, isReplied: false }
  it.effect.each([
    { what: "no JSON", change: () => "{" },
    { what: "an empty object", change: () => "{}" },
    { what: "a grace that does not end", change: () => ({ grace: later }) },
    {
      what: "a process that never dies and has all permits",
      change: () => ({
        processes: [{ id: "gone", made: 0, nth: 0, lease: later, want: 0, told: 0 }],
        permits: Array.from({ length: 10 }, () => someone),
        running: 10
      })
    },
    { what: "permits of nobody", change: () => ({ permits: Array.from({ length: 10 }, () => someone), running: 10 }) },
    {
      what: "a probe that nobody sends",
      change: () => ({ blockedUntil: later, probed: { policies: [], until: 0 } })
    },
    { what: "requests that nobody sends", change: () => ({ running: 10 }) },
    { what: "replies that are no numbers", change: () => ({ replies: [1, 1, "x", 1] }) },
    { what: "replies that are still to come", change: () => ({ replies: [later, 10] }) },
    { what: "no permits at all", change: () => ({ parallel: 0 }) },
    { what: "a window that never ends", change: () => ({ policies: [{ limit: 1, window: later }] }) },
    { what: "a limit of nothing", change: () => ({ policies: [{ limit: 0, window: 6_000 }] }) },
    {
      what: "a pace that stands still",
      change: ({ pace }: State.State) => ({ pace: { ...pace, rates: [0, 0, 0] } })
    },
    { what: "others who never leave", change: () => ({ others: { count: 99, until: later, window: 6_000 } }) },
    { what: "a time that no number has", change: () => ({ now: 1e300 }) }
  ])("takes a state that somebody has changed for lost: $what", ({ change }) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 day")
      const place = yield* folder
      const store = yield* storeOf("a", place)
      const { generation, granted } = yield* store.step(joining)
      const file = yield* openFile(place)
      const state = State.make(generation, yield* Clock.currentTimeMillis)
      const found = StoredState.write(Transition.advance(state, joining, state.now).state)
      // Type boundary: it has just been written.
      const changed = change(JSON.parse(found) as State.State)
      const text = typeof changed === "string" ? changed : JSON.stringify({ ...JSON.parse(found), ...changed })
      file.prepare("update quota set base = 'changed', state = ?").run(text)
      file.exec("delete from entry")
      const end = {
        ...joining,
        generation,
        nonce: "again",
        events: granted.map((id) => ({ type: "end", id }) as const)
      }
      const answer = yield* store.step(end)
      assert.strictEqual(answer.generation, "again")
      // As after a loss, others may have sent something: for the time of a lease.
      yield* TestClock.adjust("6 seconds")
      assert.lengthOf((yield* store.step({ ...joining, generation: "again" })).granted, 1)
    })
  )

  it.effect(
    "tells a process that still knows what was there before somebody has changed it, when another finds that",
    () =>
      Effect.gen(function* () {
        const place = yield* folder
        const [store, other] = [yield* storeOf("a", place), yield* storeOf("a", place)]
        const { generation } = yield* store.step(joining)
        const file = yield* openFile(place)
        file.exec("update quota set state = '{}'")
        file.exec("delete from entry")
        const told = { ...joining, process: "q", nonce: "again" }
        assert.strictEqual((yield* other.step(told)).generation, "again")
        yield* other.step({ ...told, generation: "again", want: 0 })
        assert.isTrue((yield* store.step({ ...QuotaStep.step, generation })).isUnknown)
      })
  )

  it.effect("is the file that others have where somebody has removed the one it had", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const store = yield* storeOf("a", place)
      const { generation } = yield* store.step(joining)
      fs.rmSync(place, { recursive: true })
      const other = yield* storeOf("a", place)
      yield* other.step({ ...joining, process: "q", nonce: "again" })
      assert.isTrue((yield* store.step({ ...QuotaStep.step, generation })).isUnknown)
      assert.strictEqual((yield* store.step({ ...joining, generation })).processes, 2)
    })
  )

  it.effect("is a new file where the old one was removed alone, and an idle process still has it open", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const file = path.join(place, "quota-1.sqlite")
      const { step } = yield* storeOf("a", place)
      yield* step(joining)
      yield* holder(file)
      fs.rmSync(file)
      const other = yield* storeOf("a", place)
      assert.lengthOf((yield* other.step({ ...joining, process: "q" })).granted, 1)
      assert.strictEqual((yield* step({ ...joining, process: "r" })).processes, 2)
    })
  )

  it.effect("reads the clock when it has the lock, so that a wait for it is no clock that was set back", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const store = yield* storeOf("a", place)
      const other = yield* openFile(place)
      const clock = yield* Clock.Clock
      let isLocked = false
      const read = () => {
        try {
          other.exec("begin immediate")
          other.exec("rollback")
          isLocked = false
        } catch {
          isLocked = true
        }
        return clock.currentTimeMillisUnsafe()
      }
      const watched = { ...clock, currentTimeMillisUnsafe: read, currentTimeMillis: Effect.sync(read) }
      yield* Effect.provideService(store.step(joining), Clock.Clock, watched)
      assert.isTrue(isLocked)
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
        other
          .prepare("select account from quota order by 1")
          .all()
          .map(({ account }) => account)
      for (const account of ["old", "kept"]) {
        yield* Effect.flatMap(storeOf(account, place), (store) => store.step(joining))
        yield* TestClock.adjust("20 hours")
      }
      assert.deepStrictEqual(names(), ["kept", "old"])
      yield* Effect.flatMap(storeOf("new", place), (store) => store.step(joining))
      assert.deepStrictEqual(names(), ["kept", "new"])
    })
  )
})
