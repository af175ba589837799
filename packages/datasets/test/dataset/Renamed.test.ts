import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { data, events, temporary } from "./Harness.ts"

/** Of this seed the stand-in renames `sand`, which it knows as `sandold` before, within 26 days; the old name is an alias then. */
const world = Layer.merge(Sandbox.layerClient(Client.layer, { history: { seed: 3 } }), NodeServices.layer)

/** Records of a folder by entity. */
const countsIn = Effect.fnUntraced(function* (folder: string) {
  const counts: Record<string, number> = {}
  for (const [file, text] of Object.entries(yield* data(folder))) {
    const [, asset = ""] = /asset=([^/]+)/.exec(file) ?? []
    counts[asset] = (counts[asset] ?? 0) + text.split("\n").length - 1
  }
  return counts
})

const jobOf = (to: string, assets: ReadonlyArray<string>) => ({
  endpoint: Timeseries.assetMetrics,
  params: { assets, metrics: ["PriceUSD"], start_time: "2026-09-01" },
  to,
  format: { as: "ndjson" } as const
})

describe("an asset that is renamed, and whose old name is another name of it", () => {
  it.effect("fails the run by both names, keeps all others, and is right once the new name is in the list", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const before = ["ada", "btc", "eth", "sandold"]
      yield* events(Dataset.sync(jobOf(to, before)))
      const first = yield* countsIn(to)
      assert.sameMembers(Object.keys(first), before)
      yield* TestClock.adjust("26 days")
      const error = yield* Effect.flip(events(Dataset.sync(jobOf(to, before))))
      assert.deepInclude(error, { _tag: "OtherName", names: [{ entity: "sandold", now: "sand" }] })
      assert.include(error.message, 'add "sand" to the list')
      const others = yield* countsIn(to)
      assert.strictEqual(others["sandold"], first["sandold"])
      assert.isAtLeast(others["btc"] ?? 0, (first["btc"] ?? 0) + 25)
      const both = [...before, "sand"]
      yield* events(Dataset.sync(jobOf(to, both)))
      const kept = yield* countsIn(to)
      assert.strictEqual(kept["sandold"], first["sandold"])
      const { endpoint, params } = jobOf(to, ["sand"])
      assert.strictEqual(kept["sand"], (yield* Stream.runCollect(endpoint(params))).length)
      const again = yield* data(to)
      yield* events(Dataset.sync(jobOf(to, both)))
      assert.deepStrictEqual(yield* data(to), again)
      yield* events(Dataset.sync({ ...jobOf(to, both), onRemoved: "remove" }))
      assert.sameMembers(Object.keys(yield* countsIn(to)), ["ada", "btc", "eth", "sand"])
      yield* Stream.runDrain(Dataset.verify(to))
    }).pipe(Effect.provide(world))
  )

  it.effect("is told of a dataset that begins with the old name too", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("26 days")
      const to = yield* temporary
      const error = yield* Effect.flip(events(Dataset.sync(jobOf(to, ["btc", "sandold"]))))
      assert.deepInclude(error, { _tag: "OtherName", names: [{ entity: "sandold", now: "sand" }] })
      assert.hasAllKeys(yield* countsIn(to), ["btc"])
      assert.isTrue(Object.keys(yield* data(to)).every((file) => !file.endsWith("-2.ndjson")))
    }).pipe(Effect.provide(world))
  )
})
