import { assert, describe, it } from "@effect/vitest"
import { Download } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { execFileSync } from "node:child_process"
import { data, events, job, picture, temporary, world } from "./Harness.ts"

const done = "btc_2024-01-01.ndjson"

/** The last part, which is not read yet. */
const left = "ltc_2024-03-31.ndjson"

/** A folder in which all parts are done but the last, and another one with what belongs to somebody else. */
const begun = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const above = yield* temporary
  const to = path.join(above, "to")
  const foreign = path.join(above, "foreign")
  yield* fs.makeDirectory(foreign)
  yield* fs.writeFileString(path.join(foreign, "file"), "of somebody else, and without an end of line")
  yield* events(Download.run({ ...job, to, concurrency: 1 }))
  yield* fs.remove(path.join(to, left))
  const journal = path.join(to, ".sluice", "done.ndjson")
  const lines = yield* fs.readFileString(journal)
  yield* fs.writeFileString(journal, lines.slice(0, lines.trimEnd().lastIndexOf("\n") + 1))
  return { to, foreign }
})

type Put = (foreign: string, at: string) => Effect.Effect<void, unknown, FileSystem.FileSystem | Path.Path>

const link =
  (target: string): Put =>
  (foreign, at) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* fs.symlink(path.join(foreign, target), at)
    })

const pipe: Put = (_foreign, at) => Effect.sync(() => execFileSync("mkfifo", [at]))

const folder: Put = (_foreign, at) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeDirectory(at))

const things: ReadonlyArray<readonly [what: string, put: Put]> = [
  ["a link to a file", link("file")],
  ["a link to nothing", link("made")],
  ["a link to a folder", link(".")],
  ["a named pipe", pipe],
  ["a folder", folder]
]

const names = [
  ".sluice/manifest.json",
  ".sluice/manifest.json.new",
  ".sluice/done.ndjson",
  ".sluice/done.ndjson.new",
  ".sluice/lock-00000000-0000-4000-8000-000000000000.json",
  ".sluice/lock-00000000-0000-4000-8000-000000000000.json.new",
  `.sluice/${left}.part`,
  done,
  left
]

describe("refused, with nothing touched, followed, waited for or sent:", () => {
  for (const [what, put] of things) {
    it.live(`${what} that has the name of any of its files`, () =>
      Effect.gen(function* () {
        const { foreign, to: whole } = yield* begun
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        for (const name of names) {
          const above = yield* temporary
          const to = path.join(above, "to")
          yield* fs.copy(whole, to)
          const at = path.join(to, name)
          yield* fs.remove(at, { force: true })
          yield* put(foreign, at)
          // What stands there is looked at without opening it.
          const before = yield* picture(foreign)
          const inside = (yield* fs.readDirectory(above, { recursive: true })).toSorted()
          const { requests } = yield* (yield* Sandbox.Sandbox).stats
          const error = yield* Effect.flip(events(Download.run({ ...job, to })))
          assert.deepInclude(error, { _tag: "UnexpectedEntry", path: at, expected: "file" })
          assert.match(error.message, /is a (?:symbolic link|named pipe|folder), not a regular file; move it away/)
          assert.deepStrictEqual(yield* picture(foreign), before, name)
          assert.deepStrictEqual((yield* fs.readDirectory(above, { recursive: true })).toSorted(), inside, name)
          assert.strictEqual((yield* (yield* Sandbox.Sandbox).stats).requests, requests, name)
        }
      }).pipe(Effect.provide(world))
    )
  }

  for (const [what, put] of things.filter(([what]) => what !== "a folder")) {
    it.live(`${what} in place of the bookkeeping folder`, () =>
      Effect.gen(function* () {
        const { foreign, to } = yield* begun
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const empty = path.join(to, "empty")
        yield* fs.makeDirectory(empty)
        for (const folder of [to, empty]) {
          const at = path.join(folder, ".sluice")
          yield* fs.remove(at, { force: true, recursive: true })
          yield* put(foreign, at)
          const before = yield* picture(foreign)
          const error = yield* Effect.flip(events(Download.run({ ...job, to: folder })))
          assert.deepInclude(error, { _tag: "UnexpectedEntry", path: at, expected: "folder" })
          assert.deepStrictEqual(yield* picture(foreign), before)
        }
      }).pipe(Effect.provide(world))
    )
  }

  it.live("a link that has the name of a file of a download that begins", () =>
    Effect.gen(function* () {
      const { foreign } = yield* begun
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      for (const name of [`.sluice/${done}.part`, ".sluice/done.ndjson", ".sluice/manifest.json.new"]) {
        const to = yield* temporary
        yield* fs.makeDirectory(path.join(to, ".sluice"))
        yield* link("made")(foreign, path.join(to, name))
        const error = yield* Effect.flip(events(Download.run({ ...job, to })))
        assert.strictEqual(error._tag, "UnexpectedEntry", name)
        assert.deepStrictEqual(yield* fs.readDirectory(foreign), ["file"])
      }
    }).pipe(Effect.provide(world))
  )
})

describe("files of somebody else", () => {
  it.live("stay unchanged when a download writes a name that is a hard link to them", () =>
    Effect.gen(function* () {
      const { foreign, to } = yield* begun
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const journal = path.join(to, ".sluice", "done.ndjson")
      const copy = path.join(foreign, "copy")
      yield* fs.link(path.join(foreign, "file"), path.join(to, ".sluice", `${left}.part`))
      yield* fs.link(journal, copy)
      const written = yield* fs.readFileString(copy)
      // A line that a kill cut, as far as can be told.
      yield* fs.writeFileString(copy, `${written}{"part":`)
      assert.strictEqual((yield* events(Download.run({ ...job, to }))).at(-1)?._tag, "Finished")
      const file = yield* fs.readFileString(path.join(foreign, "file"))
      assert.strictEqual(file, "of somebody else, and without an end of line")
      assert.strictEqual(yield* fs.readFileString(copy), `${written}{"part":`)
      assert.isTrue((yield* fs.readFileString(journal)).startsWith(written))
      assert.includeMembers(Object.keys(yield* data(to)), [left])
    }).pipe(Effect.provide(world))
  )

  it.live("are not removed from the bookkeeping folder, whatever they are called", () =>
    Effect.gen(function* () {
      const { foreign, to } = yield* begun
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const kept = ["mine.part", "mine.new", "lock-mine.json.new", "linked.part"]
      for (const name of kept.slice(0, 3)) yield* fs.writeFileString(path.join(to, ".sluice", name), "mine")
      yield* link("file")(foreign, path.join(to, ".sluice", "linked.part"))
      assert.strictEqual((yield* events(Download.run({ ...job, to }))).at(-1)?._tag, "Finished")
      assert.includeMembers(yield* fs.readDirectory(path.join(to, ".sluice")), kept)
    }).pipe(Effect.provide(world))
  )

  it.live("do not matter when the folder itself is a link", () =>
    Effect.gen(function* () {
      const { foreign } = yield* begun
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const real = yield* temporary
      const to = path.join(foreign, "link")
      yield* fs.symlink(real, to)
      assert.strictEqual((yield* events(Download.run({ ...job, to }))).at(-1)?._tag, "Finished")
      assert.strictEqual(Object.keys(yield* data(real)).length, 9)
    }).pipe(Effect.provide(world))
  )
})
