import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Download } from "@sluice/files"
import * as Files from "../../src/internal/folder/Files.ts"
import * as Owner from "../../src/internal/folder/Owner.ts"
import { Sandbox } from "@sluice/sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { kill, pid } from "node:process"
import * as TestMode from "../../../core/test/TestMode.ts"
import { until } from "../../../node/test/Harness.ts"
import { data, events, job, memory, picture, temporary, world } from "./Harness.ts"
import * as Process from "./Process.ts"

/** Leaves a lock in a folder, as its owner would have written it. */
const lockOf = Effect.fnUntraced(function* (to: string, edit: (me: Owner.Owner) => Owner.Owner) {
  const files = yield* Files.make
  const owner = edit(yield* Owner.self(files))
  yield* files.makeFolder(files.join(to, ".sluice"))
  yield* files.put(files.join(to, ".sluice", "lock-other.json"), JSON.stringify({ ...owner, holds: true }))
})

const isTaken = Effect.fnUntraced(function* (edit: (me: Owner.Owner) => Owner.Owner) {
  const to = yield* temporary
  yield* lockOf(to, edit)
  const told = yield* events(Download.run({ ...job, to }))
  assert.strictEqual(told.at(-1)?._tag, "Finished")
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const left = yield* fs.readDirectory(path.join(to, ".sluice"))
  assert.deepStrictEqual(left.toSorted(), ["done.ndjson", "manifest.json"])
})

const isRefused = Effect.fnUntraced(function* (edit: (me: Owner.Owner) => Owner.Owner) {
  const to = yield* temporary
  yield* lockOf(to, edit)
  const before = yield* picture(to)
  const error = yield* Effect.flip(events(Download.run({ ...job, to })))
  assert.deepStrictEqual(yield* picture(to), before)
  assert.strictEqual(error._tag, "FolderInUse")
  return error.message
})

/** A process that has ended and was waited for: nothing of it is left. */
const gone = Effect.callback<number>((resume) => {
  const child = spawn("true")
  child.once("exit", () => resume(Effect.succeed(child.pid!)))
})

/** A process that was killed, and whose parent does not wait for it: its number is still taken. */
const notAwaited = Effect.gen(function* () {
  const parent = yield* Effect.acquireRelease(
    // The shell gives way to a program that knows nothing of the child.
    Effect.sync(() => spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"])),
    (parent) => Effect.sync(() => parent.kill("SIGKILL"))
  )
  const number = yield* Effect.callback<number>((resume) => {
    parent.stdout.once("data", (text: Buffer) => resume(Effect.succeed(Number(text.toString()))))
  })
  const fs = yield* FileSystem.FileSystem
  yield* until(fs.readFileString(`/proc/${parent.pid}/comm`), (name) => name.trim() === "sleep")
  kill(number, "SIGKILL")
  const stat = yield* until(fs.readFileString(`/proc/${number}/stat`), (text) => text.includes(") Z "))
  return { pid: number, started: stat.split(") ")[1]!.split(" ")[19]! }
})

describe("a folder that is in use is refused, and not touched,", () => {
  it.live("by another download of the same process", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const path = yield* Path.Path
      const fs = yield* FileSystem.FileSystem
      const started = yield* Deferred.make<void>()
      const first = yield* Download.run({ ...job, to }).pipe(
        Stream.runForEach(({ _tag }) => (_tag === "PartStarted" ? Deferred.succeed(started, undefined) : Effect.void)),
        Effect.forkChild
      )
      yield* Deferred.await(started)
      const before = yield* picture(to)
      const error = yield* Effect.flip(events(Download.run({ ...job, to })))
      assert.deepInclude(error, { _tag: "FolderInUse", pid, seen: true })
      assert.include(error.message, "is in use by this process; wait for")
      assert.sameMembers(Object.keys(yield* picture(to)), Object.keys(before))
      yield* Fiber.interrupt(first)
      const left = yield* fs.readDirectory(path.join(to, ".sluice"))
      assert.deepStrictEqual(left.toSorted(), ["done.ndjson", "manifest.json"])
      // The first look is answered, and then nothing.
    }).pipe(Effect.provide([memory({ fault: "stall;after=2" }), NodeServices.layer]))
  )

  it.live("by another process, even one that started at the same moment", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const folder = yield* temporary
      const path = yield* Path.Path
      const refused: Array<string> = []
      // Once is enough where they met: on a busy machine one may have ended before the next began.
      for (let round = 0; round < TestMode.times(1, 5) || refused.length === 0; round += 1) {
        const to = path.join(folder, String(round))
        const run = Process.run(url, to, "ndjson")
        const all = yield* Effect.all([run, run, run], { concurrency: "unbounded" })
        assert.include(
          all.map(({ code }) => code),
          0,
          all.map(({ said }) => said).join("")
        )
        refused.push(...all.filter(({ code }) => code !== 0).map(({ said }) => said))
        assert.strictEqual(Object.keys(yield* data(to)).length, 16)
        // Had two been at work at any time, a part would have been read twice.
        const lines = (yield* picture(to))[".sluice/done.ndjson"]?.trimEnd().split("\n")
        assert.strictEqual(lines?.length, 16)
      }
      assert.isAbove(refused.length, 0)
      for (const said of refused) {
        assert.match(said, /FolderInUse: \S+ is in use by process \d+ on \S+; wait for it to end, or stop it/)
      }
    }).pipe(Effect.provide(Layer.merge(Sandbox.layer({ latency: "150 millis" }), NodeServices.layer)))
  )

  it.live("by any but one of five that start at the same moment, time after time", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const path = yield* Path.Path
      const tags = new Set<string>()
      // Until two have met: it is by chance whether one begins before another has ended.
      for (let round = 0; round < TestMode.times(4, 30) || tags.size === 0; round += 1) {
        const to = path.join(folder, String(round))
        const run = Effect.result(events(Download.run({ ...job, to })))
        const results = yield* Effect.all([run, run, run, run, run], { concurrency: "unbounded" })
        const failures = results.flatMap((result) => (result._tag === "Failure" ? [result.failure._tag] : []))
        assert.isBelow(failures.length, 5, `round ${round}`)
        for (const tag of failures) tags.add(tag)
        const lines = (yield* picture(to))[".sluice/done.ndjson"]?.trimEnd().split("\n")
        assert.strictEqual(lines?.length, 9, `round ${round}`)
      }
      assert.deepStrictEqual([...tags], ["FolderInUse"])
    }).pipe(Effect.provide(world))
  )

  it.live("by a process that runs", () =>
    Effect.provide(
      isRefused((me) => me),
      world
    )
  )

  it.live("by one on another machine, with what to do if it has ended", () =>
    Effect.gen(function* () {
      const message = yield* isRefused((me) => ({ ...me, host: "elsewhere", started: "1" }))
      assert.match(message, /cannot be seen from here; when it no longer runs, delete \S+lock-other\.json and start/)
      yield* isRefused((me) => ({ ...me, machine: "another" }))
    }).pipe(Effect.provide(world))
  )

  it.live("by one in another container", () =>
    Effect.provide(
      isRefused((me) => ({ ...me, space: "pid:[1]" })),
      world
    )
  )
})

describe("a lock is taken over", () => {
  it.live("when its process has ended", () =>
    Effect.gen(function* () {
      const number = yield* gone
      yield* isTaken((me) => ({ ...me, pid: number }))
    }).pipe(Effect.provide(world))
  )

  it.live("when its process was killed and nobody has waited for it", () =>
    Effect.gen(function* () {
      const killed = yield* notAwaited
      yield* isTaken((me) => ({ ...me, ...killed }))
    }).pipe(Effect.provide(world))
  )

  it.live("when another process has its ID now", () =>
    Effect.provide(
      isTaken((me) => ({ ...me, started: "1" })),
      world
    )
  )

  it.live("when the machine was restarted since, whichever process has its ID now", () =>
    Effect.provide(
      isTaken((me) => ({ ...me, boot: "before" })),
      world
    )
  )

  it.live("when the system has no start times, and no process has its ID", () =>
    Effect.gen(function* () {
      const number = yield* gone
      yield* isTaken((me) => ({ ...me, pid: number, started: "" }))
      yield* isRefused((me) => ({ ...me, started: "" }))
    }).pipe(Effect.provide(world))
  )

  it.live("when it was damaged as the machine went down, and is empty", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const files = yield* Files.make
      yield* files.makeFolder(files.join(to, ".sluice"))
      yield* files.put(files.join(to, ".sluice", "lock-other.json"), "")
      assert.strictEqual((yield* events(Download.run({ ...job, to }))).at(-1)?._tag, "Finished")
    }).pipe(Effect.provide(world))
  )
})
