import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const alert = { asset: "btc", time: "2026-07-31T12:00:00.000000000Z", alert: "a" }

const read = (more: object) => {
  const api = FakeApi.make([FakeApi.page([alert], undefined, more)])
  return Stream.runCollect(Timeseries.assetAlerts.pages({ assets: "btc", alerts: "a", include_heartbeats: true })).pipe(
    Effect.provide(api.layer())
  )
}

describe("Heartbeats", () => {
  it.effect.each([[[]], [[{ asset: "btc", beats: [1] }]]])(
    "stand beside the records of a page, as they came: %j",
    ([all]) =>
      Effect.gen(function* () {
        const [page] = yield* read({ heartbeats: all })
        assert.deepStrictEqual(page?.heartbeats, all)
        assert.lengthOf(page?.data ?? [], 1)
      })
  )

  it.effect.each([[{}], [{ heartbeats: null }], [{ heartbeats: {} }]])(
    "are absent where there is no list of them: %j",
    ([more]) =>
      Effect.gen(function* () {
        const [page] = yield* read(more ?? {})
        assert.notProperty(page, "heartbeats")
        assert.lengthOf(page?.data ?? [], 1)
      })
  )
})
