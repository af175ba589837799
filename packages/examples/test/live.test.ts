import { assert, describe, it } from "@effect/vitest"
import { Client, LiveClient } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Effect, Layer, Stream } from "effect"
import { follow } from "../src/live/follow.ts"

describe("the programs of docs/live.md", () => {
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
