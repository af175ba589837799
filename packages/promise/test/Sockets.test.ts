import { assert, describe, it } from "@effect/vitest"
import * as Sluice from "@sluice/promise"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { endless, lines, over, rejected, thrownBy } from "./Harness.ts"

describe("sockets close", () => {
  const ends = {
    "on a break": async (sluice: Sluice.Sluice) => {
      for await (const _ of sluice.referenceData.assets(lines)) break
    },
    "on an error in the loop": async (sluice: Sluice.Sluice) => {
      const thrown = await thrownBy(sluice.referenceData.assets(lines), () => Promise.reject(new Error("mine")))
      assert.deepInclude(thrown, { message: "mine" })
    },
    "on an abort, while a loop waits": async (sluice: Sluice.Sluice) => {
      const controller = new AbortController()
      const records = sluice.referenceData.assets(lines, { signal: controller.signal })
      const reason = new Error("enough")
      assert.strictEqual(await thrownBy(records, () => setImmediate(() => controller.abort(reason))), reason)
    },
    "on an abort, while nobody asks": async (sluice: Sluice.Sluice) => {
      const controller = new AbortController()
      const iterator = sluice.referenceData.assets(lines, { signal: controller.signal })[Symbol.asyncIterator]()
      await iterator.next()
      controller.abort()
      assert.deepInclude(await rejected(iterator.next()), { name: "AbortError" })
    },
    "on an abort of a promise": async (sluice: Sluice.Sluice) => {
      const controller = new AbortController()
      const records = sluice.referenceData.assets(lines, { signal: controller.signal })
      const reading = rejected(records.toArray())
      for await (const _ of sluice.referenceData.assets(lines)) break
      controller.abort()
      assert.deepInclude(await reading, { name: "AbortError" })
    },
    "on close, while a loop waits": async (sluice: Sluice.Sluice) => {
      let closing = Promise.resolve()
      const thrown = await thrownBy(sluice.referenceData.assets(lines), () => {
        setImmediate(() => (closing = sluice.close()))
      })
      assert.instanceOf(thrown, Sluice.Closed)
      await closing
    },
    "on close, inside a loop": async (sluice: Sluice.Sluice) => {
      assert.instanceOf(await thrownBy(sluice.referenceData.assets(lines), sluice.close), Sluice.Closed)
    }
  }
  it.each(Object.entries(ends))("%s", (_, end) =>
    Effect.gen(function* () {
      const server = yield* endless
      yield* Effect.promise(async () => {
        await using sluice = await over(server.url)
        await end(sluice)
      })
      yield* Queue.take(server.closed)
      assert.strictEqual(yield* server.open, 0)
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  it("and permits return, so that a client goes on after a break", () =>
    Effect.gen(function* () {
      const server = yield* endless
      yield* Effect.promise(async () => {
        await using sluice = await over(server.url, { parallel: 1 })
        for (let round = 0; round < 3; round += 1) {
          for await (const { asset } of sluice.referenceData.assets(lines)) {
            assert.strictEqual(asset, "btc")
            break
          }
        }
        assert.deepInclude(await sluice.quota(), { inFlight: 0, waiting: 0, sent: 3 })
      })
    }).pipe(Effect.scoped, Effect.runPromise))
})
