import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Download } from "@sluice/files"
import * as Files from "../../src/internal/folder/Files.ts"
import * as Lock from "../../src/internal/folder/Lock.ts"
import * as Owner from "../../src/internal/folder/Owner.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { data, events, job, memory, picture, temporary, world } from "./Harness.ts"
import * as Observed from "./Observed.ts"

/** Leaves the lock of a process in a container that cannot be seen from here, written so many seconds ago. */
const leave = Effect.fnUntraced(function* (to: string, seconds: number, holds = true) {
  const fs = yield* FileSystem.FileSystem
  const files = yield* Files.make
  const owner = { ...(yield* Owner.self(files)), pid: 1, host: "0ddba11", space: "pid:[1]" }
  const lock = files.join(to, ".sluice", "lock-other.json")
  yield* files.makeFolder(files.join(to, ".sluice"))
  yield* files.put(lock, JSON.stringify({ ...owner, holds, heartbeat: 10_000 }))
  const then = new Date((yield* Clock.currentTimeMillis) - seconds * 1_000)
  yield* fs.utimes(lock, then, then)
  return lock
})

const locks = Effect.fnUntraced(function* (to: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return (yield* fs.readDirectory(path.join(to, ".sluice"))).filter((name) => name.startsWith("lock-"))
})

describe("the lock of a process that cannot be seen from here", () => {
  it.live("holds the folder for a minute after its last heartbeat, and the error says when it expires", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const lock = yield* leave(to, 20)
      const before = yield* picture(to)
      const error = yield* Effect.flip(events(Download.run({ ...job, to })))
      assert.deepInclude(error, { _tag: "FolderInUse", pid: 1, host: "0ddba11", lock, seen: false })
      assert.match(
        error.message,
        /in use by process 1 on 0ddba11, which cannot be seen from here and was alive \d+ s ago/
      )
      assert.match(
        error.message,
        /if it has ended, start again in \d+ s, or delete \S+lock-other\.json and start again/
      )
      assert.deepStrictEqual(yield* picture(to), before)
    }).pipe(Effect.provide(world))
  )

  it.live("expires after a minute: a killed container comes back under another name and continues", () =>
    Effect.gen(function* () {
      for (const holds of [true, false]) {
        const to = yield* temporary
        yield* leave(to, 61, holds)
        assert.strictEqual((yield* events(Download.run({ ...job, to }))).at(-1)?._tag, "Finished")
        assert.deepStrictEqual(yield* locks(to), [])
      }
    }).pipe(Effect.provide(world))
  )

  it.live("is judged by the clock of the file system, where that of this machine is ahead by an hour", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const clock = yield* Clock.Clock
      const ahead: Clock.Clock = Object.assign(Object.create(clock), {
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + 3_600_000)
      })
      yield* leave(to, 20)
      const run = events(Download.run({ ...job, to })).pipe(Effect.provideService(Clock.Clock, ahead))
      const error = yield* Effect.flip(run)
      assert.strictEqual(error._tag, "FolderInUse")
      assert.deepStrictEqual(yield* locks(to), ["lock-other.json"])
    }).pipe(Effect.provide(world))
  )
})

/** A file system that counts how often a lock is written in place. */
const counting = (beats: { count: number }) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) =>
      Observed.make(fs, {
        operation: (_name, _path, self) => self,
        write: (path, bytes, write) => {
          if (path.endsWith(".json")) beats.count += 1
          return write(bytes)
        }
      })
    )
  ).pipe(Layer.provideMerge(NodeServices.layer))

/** Turns the virtual clock on by milliseconds, since real files are done at no moment of it. */
const turned = (isSo: () => boolean) =>
  Effect.gen(function* () {
    while (!isSo()) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("1 millis")
    }
  })

describe("whoever holds a folder", () => {
  it.effect("writes its lock again every ten seconds, with the same bytes", () => {
    const beats = { count: 0 }
    return Effect.gen(function* () {
      const to = yield* temporary
      const files = yield* Files.make
      const bookkeeping = files.join(to, ".sluice")
      yield* files.makeFolder(bookkeeping)
      const { check } = yield* Lock.hold(files, to, bookkeeping)
      const [lock = ""] = yield* locks(to)
      const text = yield* files.text(files.join(bookkeeping, lock))
      for (const beat of [1, 2, 3]) {
        yield* TestClock.adjust("9999 millis")
        assert.strictEqual(beats.count, beat - 1)
        yield* turned(() => beats.count === beat)
      }
      yield* check
      assert.strictEqual(yield* files.text(files.join(bookkeeping, lock)), text)
    }).pipe(Effect.scoped, Effect.provide(counting(beats)))
  })

  it.effect("notices at the next heartbeat that another process has taken it, and does not create its lock again", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const files = yield* Files.make
      const bookkeeping = files.join(to, ".sluice")
      yield* files.makeFolder(bookkeeping)
      const { check, lost } = yield* Lock.hold(files, to, bookkeeping)
      const [lock = ""] = yield* locks(to)
      const fiber = yield* Effect.forkChild(Effect.flip(lost))
      yield* files.remove(files.join(bookkeeping, lock))
      assert.strictEqual((yield* Effect.flip(check))._tag, "FolderLost")
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(fiber)
      assert.match(
        error.message,
        /this process has lost the folder \S+, because its lock \S+lock-\S+ is gone; check whether another/
      )
      assert.deepStrictEqual(yield* locks(to), [])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("gives no file its name after another process has taken it", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      let isBegun = false
      const reading = yield* Download.run({ ...job, to }).pipe(
        Stream.runForEach(({ _tag }) => Effect.sync(() => (isBegun ||= _tag === "PartStarted"))),
        Effect.flip,
        Effect.forkChild
      )
      yield* turned(() => isBegun)
      // Time stands still, so no part has been answered yet.
      const [lock = ""] = yield* locks(to)
      yield* fs.remove(path.join(to, ".sluice", lock))
      yield* turned(() => reading.pollUnsafe() !== undefined)
      const error = yield* Fiber.join(reading)
      assert.strictEqual(error._tag, "FolderLost")
      assert.deepStrictEqual(yield* data(to), {})
    }).pipe(Effect.provide(Layer.merge(memory({ latency: "300 millis" }), NodeServices.layer)))
  )
})
