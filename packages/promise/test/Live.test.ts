import { assert, describe, it } from "@effect/vitest"
import { Live } from "@sluice/core"
import * as Sluice from "@sluice/promise"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { over, thrownBy } from "./Harness.ts"

const market = "coinbase-btc-usd-spot"

describe("live streams without Effect", () => {
  const ends = {
    "a break": async (sluice: Sluice.Sluice) => {
      for await (const message of sluice.read(Live.marketTrades({ markets: market })))
        if (message._tag === "Data") break
    },
    "close, while a loop waits": async (sluice: Sluice.Sluice) => {
      let closing = Promise.resolve()
      const thrown = await thrownBy(sluice.read(Live.marketTrades({ markets: market })), (message) => {
        if (message._tag === "Data") setImmediate(() => (closing = sluice.close()))
      })
      assert.instanceOf(thrown, Sluice.Closed)
      await closing
    }
  }
  it.live.each(Object.entries(ends))("end their connection on %s", ([, end]) =>
    Effect.gen(function* () {
      const { stats, url } = yield* Sandbox.Sandbox
      yield* Effect.promise(async () => {
        await using sluice = await over(url)
        await end(sluice)
      })
      // The stand-in hears of it a moment later.
      const { connections } = yield* Effect.repeat(stats, { until: ({ connections }) => connections === 0 })
      assert.strictEqual(connections, 0)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it("throw as classes what the service refuses", async () => {
    await using sluice = await Sluice.Sluice.open(Sandbox.memory({ key: "wrong" }))
    assert.instanceOf(await thrownBy(sluice.read(Live.marketTrades({ markets: market }))), Sluice.Unauthorized)
  })
})
