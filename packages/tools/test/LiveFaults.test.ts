import { assert, describe, it } from "@effect/vitest"
import { Client, Live, LiveClient } from "@sluice/core"
import { Fault, Sandbox } from "@sluice/sandbox"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import * as LiveStreams from "../src/faults/LiveStreams.ts"
import * as Page from "../src/faults/Page.ts"

const client = Layer.unwrap(
  Effect.map(Sandbox.Sandbox, ({ url }) =>
    Layer.provideMerge(LiveClient.layer(), Client.layer({ root: url, apiKey: Redacted.make("demo-key") }))
  )
).pipe(Layer.provideMerge(Sandbox.layerMemory({ live: {} })))

describe("live streams under faults", () => {
  it.effect("lose and repeat nothing that the page does not name, and the page is what they do now", () =>
    Effect.gen(function* () {
      const { problems, rows } = yield* LiveStreams.measure
      assert.deepStrictEqual(problems, [])
      const page = Page.pieces(readFileSync(new URL("../../../docs/faults.md", import.meta.url), "utf8"))
      const tables = page.filter((piece) => typeof piece !== "string")
      assert.deepStrictEqual(tables.find(({ head }) => head[0] === "the connection …")?.rows, rows)
      // A row of each kind, and one of a service that is late.
      assert.lengthOf(rows, Fault.liveKinds.length + 1)
    })
  )

  const once = ["live-drop=0", "live-drop=3", "live-close=3500ms", "live-stall=3", "live-silence=3"]
  it.effect.each(once)("meet the first connection alone with times=1, and the second heals it: %s", (fault) =>
    Effect.gen(function* () {
      const { connections, defect, failure, gaps, lost, repeated } = yield* LiveStreams.run("", `${fault};times=1`)
      assert.deepStrictEqual(
        [connections, lost, repeated, gaps.length, failure, defect],
        [2, 0, 0, 0, undefined, undefined]
      )
    })
  )

  it.effect("that take a frame away are healed on the same connection", () =>
    Effect.gen(function* () {
      const { connections, defect, failure, filled, gaps, lost, repeated } = yield* LiveStreams.run("", "live-skip=2")
      assert.deepStrictEqual(
        [connections, filled, lost, repeated, gaps.length, failure, defect],
        [1, 1, 0, 0, 0, undefined, undefined]
      )
    })
  )

  it.effect("leave no connection and no permit after two hundred of them were opened and closed", () =>
    Effect.gen(function* () {
      const { stats } = yield* Sandbox.Sandbox
      const { connections } = yield* LiveClient.LiveClient
      const trades = Live.marketTrades({ markets: "coinbase-btc-usd-spot" })
      for (let round = 0; round < 200; round++) {
        // Half of them are read to a message, half are interrupted while they wait for more.
        const fiber = yield* Effect.forkChild(Stream.runDrain(round % 2 === 0 ? Stream.take(trades, 1) : trades))
        yield* Effect.repeat(Effect.andThen(TestClock.adjust("100 millis"), stats), {
          until: ({ opened }) => opened > round,
          times: 100
        })
        yield* Fiber.interrupt(fiber)
      }
      yield* TestClock.adjust("1 second")
      const { connections: open, opened, running } = yield* stats
      assert.deepStrictEqual([opened, open, running], [200, 0, 0])
      assert.strictEqual(yield* connections, 0)
    }).pipe(Effect.provide(client))
  )
})
