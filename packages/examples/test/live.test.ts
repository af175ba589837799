import { assert, describe, it } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Client, LiveClient } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Effect, FileSystem, Layer, Stream } from "effect"
import { follow } from "../src/live/follow.ts"

describe("the programs of docs/live.md", () => {
  it.effect("are the files of this package, word for word", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const root = new URL("../../..", import.meta.url).pathname
      const page = yield* fs.readFileString(`${root}docs/live.md`)
      const blocks = [...page.matchAll(/```ts\n\/\/ (packages\/\S+)\n\n([\s\S]*?)```/g)]
      assert.strictEqual(blocks.length, [...page.matchAll(/```ts/g)].length)
      assert.strictEqual(blocks.length, 2)
      for (const [, path = "", code] of blocks) {
        assert.strictEqual(code, yield* fs.readFileString(`${root}${path}`), path)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("follow a market from a moment on, and stop when nobody reads any more", () =>
    Effect.gen(function* () {
      const read = follow.pipe(
        Stream.filter(({ _tag }) => _tag === "Data"),
        Stream.take(3)
      )
      const seen = yield* Stream.runCollect(read)
      assert.deepStrictEqual(
        seen.map((message) => message._tag === "Data" && message.origin),
        ["history", "history", "history"]
      )
    }).pipe(Effect.provide(Sandbox.layerClient((given) => Layer.provideMerge(LiveClient.layer(), Client.layer(given)))))
  )
})
