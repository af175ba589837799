import { assert, describe, it } from "@effect/vitest"
import { ReferenceData } from "@sluice/core"
import { Download } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Random from "effect/Random"
import type * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import { data, events, job, memory, picture, temporary, world } from "./Harness.ts"
import * as FailingDisk from "./FailingDisk.ts"

const manifest = ".sluice/manifest.json"
const journal = ".sluice/done.ndjson"

/** A folder with some of the parts of the job, as a stop leaves it. */
const begun = Effect.gen(function* () {
  const to = yield* temporary
  const { params } = job
  const error = yield* Effect.flip(
    events(Download.run({ ...job, params: { ...params, assets: ["btc", "bzzz", "ltc"] }, to, concurrency: 1 }))
  )
  assert.strictEqual(error._tag, "PartsFailed")
  return { to, job: { ...job, params: { ...params, assets: ["btc", "bzzz", "ltc"] }, to } }
})

const finished = Effect.gen(function* () {
  const to = yield* temporary
  yield* events(Download.run({ ...job, to }))
  return { to, job: { ...job, to } }
})

/** Runs a download that is refused, and holds it to touch nothing and to send nothing. */
const refused = Effect.fnUntraced(function* <E, R>(to: string, stream: Stream.Stream<Download.Event, E, R>) {
  const { stats } = yield* Sandbox.Sandbox
  const before = yield* picture(to)
  const { requests } = yield* stats
  const error = yield* Effect.flip(events(stream))
  assert.deepStrictEqual(yield* picture(to), before)
  assert.strictEqual((yield* stats).requests, requests)
  return error
})

const change = Effect.fnUntraced(function* (to: string, name: string, edit: (text: string) => string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(to, name)
  yield* fs.writeFileString(file, edit(yield* fs.readFileString(file)))
})

const differing = (error: { readonly _tag: string }) =>
  error instanceof Download.OtherJob ? [...error.differs] : [error._tag]

describe("the download that a folder has", () => {
  it.live("is told with its request and the words it was given in, which do not make it another", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      assert.isUndefined(yield* Download.begun(to))
      const given = { start_time: "-30d" }
      yield* events(Download.run({ ...job, to, given }))
      const found = yield* Download.begun(to)
      assert.deepInclude(found, { endpoint: job.endpoint.path, given })
      assert.deepStrictEqual(found?.params["start_time"], job.params.start_time)
      const again = yield* events(Download.run({ ...job, to }))
      assert.deepInclude(again[0], { _tag: "Started", resumed: true })
      assert.deepStrictEqual((yield* Download.begun(to))?.given, given)
    }).pipe(Effect.provide(world))
  )
})

describe("a download by months of the calendar", () => {
  it.live("has a file for each, named after it, and is the same in other words", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const params = { ...job.params, assets: ["btc"], start_time: "2023-12-30", end_time: "2024-03-01" }
      const months = { ...job, to, params, split: { by: "assets", every: "1 month" } } as const
      yield* events(Download.run(months))
      const files = yield* data(to)
      assert.deepStrictEqual(
        Object.entries(files).map(([name, text]) => [name, text.split("\n").length - 1]),
        [
          ["btc_2023-12.ndjson", 2],
          ["btc_2024-01.ndjson", 31],
          ["btc_2024-02.ndjson", 29]
        ]
      )
      const again = yield* events(Download.run({ ...months, split: { by: "assets", every: "1 months" } }))
      assert.deepInclude(again[0], { _tag: "Started", resumed: true, done: 3 })
      const quarters = Download.run({ ...months, split: { by: "assets", every: "3 months" } })
      assert.deepStrictEqual(differing(yield* refused(to, quarters)), ["split.every"])
      const days = yield* refused(to, Download.run({ ...months, split: { by: "assets", every: "1 day" } }))
      assert.include(days.message, "split.every is 1 month there, and 1 day in the job")
    }).pipe(Effect.provide(world))
  )
})

describe("refused, with nothing touched and nothing sent:", () => {
  it.live("the folder of another download, with the settings that differ", () =>
    Effect.gen(function* () {
      const { job, to } = yield* begun
      const other = (params: object) => Download.run({ ...job, params: { ...job.params, ...params } })
      assert.deepStrictEqual(differing(yield* refused(to, other({ assets: ["btc"] }))), ["params.assets"])
      assert.deepStrictEqual(differing(yield* refused(to, other({ start_time: "2024-01-02" }))), ["params.start_time"])
      const csv = Download.run({ ...job, format: { as: "csv", compression: "gzip" } })
      assert.deepStrictEqual(differing(yield* refused(to, csv)), ["format.as"])
      const weeks = Download.run({ ...job, split: { by: "assets", size: Infinity, every: "1 week" } })
      assert.deepStrictEqual(differing(yield* refused(to, weeks)), ["split.size", "split.every"])
      const assets = Download.run({ endpoint: ReferenceData.assets, params: {}, to, format: job.format })
      assert.includeMembers(differing(yield* refused(to, assets)), ["endpoint", "params.assets", "split.by"])
      const params = { ...job.params, start_time: "2024-01-02" }
      const zipped = Download.run({ ...job, params, format: { ...job.format, compression: "gzip" } })
      const { message } = yield* refused(to, zipped)
      assert.include(message, "differs in params.start_time, format.compression; choose another folder")
      assert.include(message, " in the job; format.compression is none there, and gzip in the job")
    }).pipe(Effect.provide(world))
  )

  it.live("the folder of the same download from another root", () =>
    Effect.gen(function* () {
      const { job, to } = yield* finished
      const error = yield* refused(to, Download.run(job)).pipe(Effect.provide(memory({ fault: "crlf" })))
      assert.deepInclude(error, { _tag: "OtherJob", differs: ["root"] })
    }).pipe(Effect.provide(world))
  )

  it.live("but not the same download with its parameters in another form", () =>
    Effect.gen(function* () {
      const { job, to } = yield* finished
      const { end_inclusive, end_time, metrics, start_time } = job.params
      const params = { end_inclusive, metrics, assets: "ltc,btc,eth", end_time, start_time }
      const told = yield* events(Download.run({ ...job, params, to }))
      assert.strictEqual(told.at(-1)?._tag, "Finished")
    }).pipe(Effect.provide(world))
  )

  it.live("a manifest that was cut, wherever", () =>
    Effect.gen(function* () {
      const { job, to } = yield* begun
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const whole = yield* fs.readFileString(path.join(to, manifest))
      for (let length = 0; length < whole.trimEnd().length; length += 97) {
        yield* change(to, manifest, () => whole.slice(0, length))
        const error = yield* refused(to, Download.run(job))
        assert.strictEqual(error._tag, "BookkeepingDamaged", `cut after ${length}`)
        assert.include(error.message, "manifest.json cannot be trusted: it is cut or damaged")
      }
    }).pipe(Effect.provide(world))
  )

  it.live("a manifest that was edited, wherever", () =>
    Effect.gen(function* () {
      const { job, to } = yield* begun
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const whole = yield* fs.readFileString(path.join(to, manifest))
      const places = [...whole.matchAll(/[a-z0-9]/g)].map(({ index }) => index)
      const edited = yield* Random.withSeed(Random.shuffle(places), 1)
      for (const at of edited.slice(0, 50)) {
        yield* change(to, manifest, () => `${whole.slice(0, at)}${whole[at] === "5" ? "6" : "5"}${whole.slice(at + 1)}`)
        const error = yield* refused(to, Download.run(job))
        assert.strictEqual(error._tag, "BookkeepingDamaged", `edited at ${at}`)
      }
    }).pipe(Effect.provide(world))
  )

  it.live("a manifest that is missing, though files were finished", () =>
    Effect.gen(function* () {
      const { job, to } = yield* begun
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* fs.remove(path.join(to, manifest))
      assert.strictEqual((yield* refused(to, Download.run(job)))._tag, "BookkeepingDamaged")
    }).pipe(Effect.provide(world))
  )

  it.live("a journal in which a line was edited, or that ends in the middle", () =>
    Effect.gen(function* () {
      const { job, to } = yield* begun
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const whole = yield* fs.readFileString(path.join(to, journal))
      for (const edit of [
        whole.replace(/"records":(\d+)/, '"records":1$1'),
        whole.replace("\n", ""),
        whole.replace("\n", "\n\n"),
        whole.slice(20),
        `${whole}{}\n`,
        whole.replace('"part":0', '"part":1')
      ]) {
        yield* change(to, journal, () => edit)
        const error = yield* refused(to, Download.run(job))
        assert.strictEqual(error._tag, "BookkeepingDamaged", edit)
        assert.match(error.message, /done\.ndjson cannot be trusted: line \d was edited, or damaged; restore it, or/)
      }
    }).pipe(Effect.provide(world))
  )

  it.live("a finished file that is shorter or longer now", () =>
    Effect.gen(function* () {
      const { job, to } = yield* begun
      const file = "btc_2024-02-15.ndjson"
      yield* change(to, file, (text) => text.slice(0, -1))
      const error = yield* refused(to, Download.run(job))
      assert.deepInclude(error, { _tag: "FileChanged", file })
      assert.match(error.message, /it had \d+ bytes and has \d+; move it away to have it read again$/)
      yield* change(to, file, (text) => `${text}{}\n`)
      assert.strictEqual((yield* refused(to, Download.run(job)))._tag, "FileChanged")
    }).pipe(Effect.provide(world))
  )

  it.live("files of the same names that no download wrote", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* fs.writeFileString(path.join(to, "eth_2024-01-01.ndjson"), "mine")
      const error = yield* refused(to, Download.run({ ...job, to }))
      assert.deepInclude(error, { _tag: "FolderOccupied", files: ["eth_2024-01-01.ndjson"] })
    }).pipe(Effect.provide(world))
  )

  it.live("an unfinished download, without resume", () =>
    Effect.gen(function* () {
      const { job, to } = yield* begun
      const error = yield* refused(to, Download.run({ ...job, resume: "never" }))
      assert.deepInclude(error, { _tag: "NotFinished", done: 3, parts: 9 })
    }).pipe(Effect.provide(world))
  )

  it.live("a folder without a download, with resume required", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const path = yield* Path.Path
      for (const folder of [to, path.join(to, "new")]) {
        const error = yield* refused(to, Download.run({ ...job, to: folder, resume: "required" }))
        assert.deepInclude(error, { _tag: "NothingToResume", folder })
      }
    }).pipe(Effect.provide(world))
  )

  it.live("a path that leads through a file", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* fs.writeFileString(path.join(to, "file"), "mine")
      for (const folder of ["file", "file/below"]) {
        const error = yield* refused(to, Download.run({ ...job, to: path.join(to, folder) }))
        assert.deepInclude(error, { _tag: "FileFailed", code: "ENOTDIR" })
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a folder that cannot be written to", () => {
  it.live("is reported with a fix, and is left unchanged", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      for (const [code, advice] of [
        ["EACCES", "permission is missing; grant it, or choose another folder"],
        ["EROFS", "the disk is read-only; choose another folder"]
      ] as const) {
        const error = yield* Effect.flip(events(Download.run({ ...job, to }))).pipe(
          Effect.provide(FailingDisk.readOnly(code))
        )
        assert.include(error.message, `(${code}): ${advice}`)
        assert.deepStrictEqual(yield* picture(to), {})
      }
    }).pipe(Effect.provide(world))
  )
})

describe("a line of the journal that a kill cut", () => {
  it.live("is dropped, wherever it was cut, and its part is read again", () =>
    Effect.gen(function* () {
      const { job, to } = yield* finished
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const expected = yield* data(to)
      const whole = yield* fs.readFileString(path.join(to, journal))
      const start = whole.trimEnd().lastIndexOf("\n") + 1
      const isTried = (length: number) =>
        TestMode.isLong ||
        (length - start) % 8 === 0 ||
        [start + 1, whole.length - 2, whole.length - 1].includes(length)
      for (let length = start; length < whole.length; length += 1) {
        if (!isTried(length)) continue
        yield* change(to, journal, () => whole.slice(0, length))
        const told = yield* events(Download.run(job))
        const read = told.filter(({ _tag }) => _tag === "PartDone")
        assert.strictEqual(read.length, 1, `cut after ${length - start}`)
        assert.deepStrictEqual(yield* data(to), expected)
        const [started] = yield* events(Download.run(job))
        assert.deepInclude(started, { done: 9 }, `what follows a line cut after ${length - start} can be read`)
      }
    }).pipe(Effect.provide(world))
  )
})
