import { assert, describe, it } from "@effect/vitest"
import { Download, SharedFolder } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { job, temporary, world } from "./Harness.ts"

describe("a folder that several processes share", () => {
  it.effect("keeps what a process reads that still had it open when another ended the work and began it again", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const one = yield* SharedFolder.make({ ...job, to }, "group")
      const other = yield* SharedFolder.make({ ...job, to }, "group")
      yield* one.begin
      yield* one.read(0)
      yield* other.end
      yield* other.begin
      for (let part = 1; part < one.parts; part++) yield* one.read(part)
      assert.strictEqual((yield* other.find(1))?.part, 1)
      yield* other.end
      const { done } = yield* other.begin
      assert.lengthOf(done, one.parts)
      yield* one.end
      yield* Stream.runDrain(Download.run({ ...job, to, resume: "never", verify: true }))
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})
