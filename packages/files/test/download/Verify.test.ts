import { assert, describe, it } from "@effect/vitest"
import { Download } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { data, events, job, picture, temporary, world } from "./Harness.ts"

/** Changes one byte of a file, so that its size stays. */
const damage = Effect.fnUntraced(function* (to: string, name: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const bytes = yield* fs.readFile(path.join(to, name))
  bytes[bytes.length >> 1]! ^= 1
  yield* fs.writeFile(path.join(to, name), bytes)
})

const requests = Effect.flatMap(Sandbox.Sandbox, ({ stats }) => Effect.map(stats, ({ requests }) => requests))

const finished = Effect.gen(function* () {
  const to = yield* temporary
  yield* events(Download.run({ ...job, to }))
  return { to, names: Object.keys(yield* data(to)) }
})

describe("a download that verifies", () => {
  it.live("names every finished file with a flipped bit, and touches and sends nothing", () =>
    Effect.gen(function* () {
      const { names, to } = yield* finished
      const [, second = "", third = ""] = names
      for (const file of [second, third]) yield* damage(to, file)
      const before = yield* picture(to)
      const sent = yield* requests
      for (const resume of ["allowed", "required", "never"] as const) {
        const error = yield* Effect.flip(events(Download.run({ ...job, to, resume, verify: true })))
        assert.deepInclude(error, { _tag: "FileChanged", file: second, others: [third] })
        assert.include(
          error.message,
          `(its SHA-256 is not the one in the journal): ${second}, ${third}; move them away`
        )
      }
      assert.deepStrictEqual(yield* picture(to), before)
      assert.strictEqual(yield* requests, sent)
      // Without it the size alone is looked at.
      assert.strictEqual((yield* events(Download.run({ ...job, to }))).at(-1)?._tag, "Finished")
    }).pipe(Effect.provide(world))
  )

  it.live("emits its progress, and sends nothing when everything is finished and unchanged", () =>
    Effect.gen(function* () {
      const { names, to } = yield* finished
      const sent = yield* requests
      const told = yield* events(Download.run({ ...job, to, resume: "never", verify: true }))
      const verifying = told.flatMap((event) => (event._tag === "Verifying" ? [event] : []))
      assert.deepStrictEqual(
        verifying.map(({ verified }) => verified),
        names.map((_, index) => index + 1)
      )
      const bytes = Object.values(yield* data(to)).reduce((sum, text) => sum + text.length, 0)
      assert.deepInclude(verifying.at(-1), { files: names.length, bytes })
      assert.deepStrictEqual([told.at(-2)?._tag, told.at(-1)?._tag], ["Started", "Finished"])
      assert.strictEqual(yield* requests, sent)
    }).pipe(Effect.provide(world))
  )

  it.live("reads a damaged file again once it is moved away", () =>
    Effect.gen(function* () {
      const { names, to } = yield* finished
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const before = yield* data(to)
      const [first = ""] = names
      yield* damage(to, first)
      yield* fs.rename(path.join(to, first), path.join(to, ".sluice", "mine"))
      const told = yield* events(Download.run({ ...job, to, verify: true }))
      assert.strictEqual(told.filter(({ _tag }) => _tag === "PartDone").length, 1)
      assert.deepStrictEqual(yield* data(to), before)
    }).pipe(Effect.provide(world))
  )

  it.live("without resume downloads nothing", () =>
    Effect.gen(function* () {
      const { names, to } = yield* finished
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const sent = yield* requests
      const only = { ...job, resume: "never", verify: true } as const
      const empty = yield* temporary
      const nothing = yield* Effect.flip(events(Download.run({ ...only, to: empty })))
      assert.strictEqual(nothing._tag, "NothingToResume")
      assert.deepStrictEqual(yield* picture(empty), {})
      const [first = "", second = ""] = names
      yield* fs.remove(path.join(to, first))
      assert.strictEqual((yield* Effect.flip(events(Download.run({ ...only, to }))))._tag, "NotFinished")
      yield* damage(to, second)
      assert.strictEqual((yield* Effect.flip(events(Download.run({ ...only, to }))))._tag, "FileChanged")
      assert.strictEqual(yield* requests, sent)
    }).pipe(Effect.provide(world))
  )
})
