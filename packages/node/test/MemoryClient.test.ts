import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData, Retry } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestLog from "../../core/test/TestLog.ts"

/** A client that sends every request once. */
const without = (given: Client.Options) => Client.layer({ ...given, retry: Retry.none })

const assets = ReferenceData.assets({ page_size: 100 })

describe("a client over the stand-in in memory", () => {
  it.effect("needs one line, and prints nothing", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = TestLog.layer((text) => said.push(text))
      const { requests, records } = yield* Effect.gen(function* () {
        const count = yield* Stream.runCount(assets)
        const stats = yield* Effect.flatMap(Sandbox.Sandbox, (sandbox) => sandbox.stats)
        assert.strictEqual(stats.records, count)
        return stats
      }).pipe(Effect.provide(Sandbox.layerClient(Client.layer)), Effect.provide(logger))
      assert.isAbove(records, 300)
      assert.strictEqual(requests, Math.ceil(records / 100))
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect("accepts a fault, a key, options of the stand-in, and settings of the client", () =>
    Effect.gen(function* () {
      const { failed, rejected } = yield* Effect.gen(function* () {
        const failed = yield* Effect.flip(Stream.runDrain(assets))
        const { statuses } = yield* Effect.flatMap(Sandbox.Sandbox, (sandbox) => sandbox.stats)
        return { failed, rejected: statuses[503] }
      }).pipe(Effect.provide(Sandbox.layerClient(without, { fault: "status=503;times=1" })))
      assert.strictEqual(failed._tag, "Unavailable")
      assert.strictEqual(rejected, 1)
      const nobody = yield* Effect.flip(Stream.runDrain(assets)).pipe(
        Effect.provide(Sandbox.layerClient(Client.layer, { key: "nobody" }))
      )
      assert.strictEqual(nobody._tag, "Unauthorized")
      const { plan } = yield* Effect.andThen(Stream.runDrain(Stream.take(assets, 1)), Client.quota).pipe(
        Effect.provide(Sandbox.layerClient(Client.layer, { plan: "trial" }))
      )
      assert.strictEqual(plan, "trial")
    })
  )
})
