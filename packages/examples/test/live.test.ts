import { assert, describe, it } from "@effect/vitest"
import { Client, LiveClient } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Effect, Layer, Stream } from "effect"
import { follow } from "../src/live/follow.ts"
import { pastQuotes } from "../src/live/pastQuotes.ts"
import { inMemory } from "./Guides.ts"

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

  it.effect("tell the quotes of a minute of the past", () =>
    Effect.gen(function* () {
      const quotes = yield* Stream.runCollect(pastQuotes)
      assert.strictEqual(quotes[0]?.time, "2026-10-01T12:00:00.000000000Z")
      assert.isAbove(quotes.length, 10)
      for (const { ask_price, bid_price } of quotes) assert.isBelow(Number(bid_price), Number(ask_price))
    }).pipe(Effect.provide(inMemory))
  )
})
