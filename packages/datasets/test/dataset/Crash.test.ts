import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { Dataset } from "@sluice/datasets"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import type { OpenLake } from "../../src/internal/model/VersionLog.ts"
import * as FailingDisk from "../../../files/test/download/FailingDisk.ts"
import * as Observed from "../../../files/test/download/Observed.ts"
import * as Bucket from "../../../files/test/storage/Bucket.ts"
import * as Disk from "../../../files/test/storage/Disk.ts"
import { data, temporary } from "./Harness.ts"
import { change, type Row, series, setup, time } from "./Store.ts"

const options = { layout: { byEntity: true, period: "month", rows: 20 }, format: { as: "ndjson" } } as const

const daily = (asset: string, from: number, to: number, PriceUSD: string): ReadonlyArray<Row> =>
  Array.from({ length: to - from }, (_, day) => ({ asset, time: time(from + day), PriceUSD }))

const apply = (to: string, change: Dataset.Change) =>
  Effect.gen(function* () {
    const store = yield* FolderStore.make(to, options)
    const { apply, kept } = yield* store.open(setup)
    return { kept, applied: yield* apply(change) }
  }).pipe(Effect.scoped)

/** What there is before: two assets over two months, in files of twenty records. */
const before = change(
  [
    { entity: "btc", from: undefined, to: undefined },
    { entity: "eth", from: undefined, to: undefined }
  ],
  [...daily("btc", 0, 40, "1"), ...daily("eth", 20, 50, "1")]
)

/** Revises a file, lengthens one, begins one, and empties one. */
const after = change(
  [
    { entity: "btc", from: time(38), to: undefined },
    { entity: "eth", from: undefined, to: time(33) },
    { entity: "ltc", from: undefined, to: undefined }
  ],
  [...daily("btc", 38, 60, "2"), ...daily("eth", 31, 33, "2"), ...daily("ltc", 10, 12, "2")]
)

type Picture = Record<string, string>

/** Each file is one of those before or one of those after. */
const assertWhole = (found: Picture, old: Picture, next: Picture, when: string) => {
  for (const [name, content] of Object.entries(found)) {
    assert.isTrue(content === old[name] || content === next[name], `${name}, ${when}`)
  }
}

const scene = Effect.gen(function* () {
  const to = yield* temporary
  const path = yield* Path.Path
  const base = path.join(to, "base")
  yield* apply(base, before)
  const old = yield* data(base)
  const fs = yield* FileSystem.FileSystem
  const calm = path.join(to, "calm")
  yield* fs.copy(base, calm)
  const log: FailingDisk.Log = []
  yield* Effect.provide(apply(calm, after), FailingDisk.life(1, Infinity, log))
  return { to, base, old, next: yield* data(calm), log }
})

const verify = Effect.fnUntraced(function* (to: string) {
  const store = yield* FolderStore.make(to, options)
  yield* store.verify(series, () => Effect.void)
})

/** A disk that knows which changes a loss of power would leave, and the loss of the others. */
const withPower = Effect.map(FileSystem.FileSystem, (fs) => {
  const certain = new Map<string, string>()
  const note = (path: string) => Effect.map(fs.readFileString(path), (text) => certain.set(path, text))
  const disk = Observed.make(fs, {
    operation: (name, path, self) =>
      path.endsWith(".journal") && (name === "sync" || name === "rename") ? Effect.tap(self, note(path)) : self,
    write: (_, bytes, write) => write(bytes)
  })
  const unsure = Effect.filter(certain, ([path, text]) =>
    Effect.map(
      Effect.orElseSucceed(fs.readFileString(path), () => text),
      (now) => now !== text
    )
  )
  const lose = Effect.flatMap(unsure, (all) => Effect.forEach(all, ([path, text]) => fs.writeFileString(path, text)))
  const life = (...args: Parameters<typeof FailingDisk.life>) =>
    Layer.provide(FailingDisk.life(...args), Layer.succeed(FileSystem.FileSystem, disk))
  return { life, lose, isUnsure: Effect.map(unsure, (all) => all.length > 0) }
})

const leftovers = (to: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.map(fs.readDirectory(`${to}/.sluice`, { recursive: true }), (names) =>
      names.filter((name) => !/^(?:dataset\.json|changes-\d+\.journal|parts)$/.test(name))
    )
  )

describe("whatever a change was doing with files", () => {
  it.live("when the process that begins a dataset ended, the next one begins it, or goes on", () =>
    Effect.gen(function* () {
      const { old, to } = yield* scene
      const log: FailingDisk.Log = []
      yield* Effect.provide(apply(`${to}/first`, before), FailingDisk.life(1, Infinity, log))
      assert.isAbove(log.length, 50)
      for (const moment of log.keys()) {
        if (!TestMode.isLong && moment > 40 && moment % 6 !== 0) continue
        const folder = `${to}/${moment}`
        yield* Effect.ignore(Effect.provide(apply(folder, before), FailingDisk.life(1, moment)))
        yield* Effect.provide(apply(folder, before), FailingDisk.life(2))
        assert.deepStrictEqual(yield* data(folder), old, `killed at ${moment}, ${log[moment]}`)
        yield* verify(folder)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("when its process ended, the next one has what was before or what comes after, and goes on", () =>
    Effect.gen(function* () {
      const { base, log, next, old, to } = yield* scene
      assert.notDeepEqual(next, old)
      assert.isAbove(log.length, 50)
      const fs = yield* FileSystem.FileSystem
      let completed = 0
      for (const moment of log.keys()) {
        if (!TestMode.isLong && moment % (moment < log.length - 16 ? 24 : 2) !== 0) continue
        const when = `killed at ${moment}, ${log[moment]}`
        const folder = `${to}/${moment}`
        yield* fs.copy(base, folder)
        yield* Effect.ignore(Effect.provide(apply(folder, after), FailingDisk.life(1, moment)))
        assertWhole(yield* data(folder), old, next, when)
        const opened = Effect.gen(function* () {
          const store = yield* FolderStore.make(folder, options)
          return (yield* store.open(setup)).kept
        })
        const { cursors } = yield* Effect.provide(Effect.scoped(opened), FailingDisk.life(2))
        const isDone = cursors.has("ltc")
        if (isDone) completed += 1
        assert.deepStrictEqual(yield* data(folder), isDone ? next : old, when)
        yield* verify(folder)
        assert.deepStrictEqual(yield* leftovers(folder), [], when)
        yield* Effect.provide(apply(folder, after), FailingDisk.life(3))
        assert.deepStrictEqual(yield* data(folder), next, `${when}, after the one after it`)
        yield* fs.remove(folder, { recursive: true })
      }
      assert.isAbove(completed, 3)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live(
    "when its process ended before the disk had the change, and the power went while the next one completed it",
    () =>
      Effect.gen(function* () {
        const { base, log, next, old, to } = yield* scene
        const fs = yield* FileSystem.FileSystem
        const kept = Effect.fnUntraced(function* (folder: string) {
          const store = yield* FolderStore.make(folder, options)
          return (yield* store.open(setup)).kept
        }, Effect.scoped)
        // The last is that of the change.
        const moment = log.lastIndexOf("sync")
        let [lost, completed] = [0, 0]
        for (let second = 0, more = true; more; second += TestMode.isLong ? 1 : 17) {
          const folder = `${to}/${second}`
          yield* fs.copy(base, folder)
          const power = yield* withPower
          yield* Effect.ignore(Effect.provide(apply(folder, after), power.life(1, moment)))
          assert.isTrue(yield* power.isUnsure)
          const made: FailingDisk.Log = []
          yield* Effect.ignore(Effect.provide(kept(folder), power.life(2, second, made)))
          more = made.length > second
          yield* power.lose
          const { cursors } = yield* Effect.provide(kept(folder), FailingDisk.life(3))
          if (cursors.has("ltc")) completed += 1
          else lost += 1
          const when = `killed at ${second}, ${made[second]}`
          assert.deepStrictEqual(yield* data(folder), cursors.has("ltc") ? next : old, when)
          yield* verify(folder)
          yield* fs.remove(folder, { recursive: true })
        }
        assert.isAbove(lost, 3)
        assert.isAbove(completed, 3)
      }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("when the disk was full, it says so, and nothing of it is held or left", () =>
    Effect.gen(function* () {
      const { base, next, old, to } = yield* scene
      const fs = yield* FileSystem.FileSystem
      let refused = 0
      for (let moment = 0; ; moment += TestMode.times(11, 1)) {
        const folder = `${to}/full${moment}`
        yield* fs.copy(base, folder)
        const exit = yield* Effect.result(Effect.provide(apply(folder, after), FailingDisk.full(moment)))
        if (exit._tag === "Success") break
        refused += 1
        assert.strictEqual(exit.failure._tag, "FileFailed")
        assert.include(exit.failure.message, "(ENOSPC)")
        assertWhole(yield* data(folder), old, next, `full at ${moment}`)
        yield* apply(folder, after)
        assert.deepStrictEqual(yield* data(folder), next, `full at ${moment}`)
        yield* fs.remove(folder, { recursive: true })
      }
      assert.isAbove(refused, 3)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("a version that a catalog elsewhere has", () => {
  it.effect("has its files after a loss of power", () =>
    Effect.gen(function* () {
      // Of all that can be lost, everything is.
      const disk = Disk.make((bound) => Effect.succeed(bound - 1), false)
      const seen: Array<string> = []
      const lake: OpenLake = {
        name: "a catalog",
        versionsOf: () => ({
          settle: Effect.undefined,
          schemaOf: () => "",
          commit: ({ files }) => Effect.sync(() => seen.push(...files.map(({ path }) => path)))
        })
      }
      const synced = Effect.gen(function* () {
        const format = { as: "parquet", times: "micros" } as const
        const store = yield* FolderStore.make(disk.folder, { format, snapshots: lake })
        const { apply, settle } = yield* store.open(setup)
        yield* apply(before)
        yield* settle!(undefined)
      })
      yield* synced.pipe(
        Effect.scoped,
        Effect.provideService(FileSystem.FileSystem, disk.fileSystem({ ...Bucket.calm, machine: "one" }))
      )
      yield* disk.loseUnsynced("one")
      assert.isAbove(seen.length, 1)
      for (const path of seen) assert.isTrue(disk.files().has(`${disk.folder}.ducklake/${path}`), path)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
