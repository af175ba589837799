import { assert, describe, it } from "@effect/vitest"
import { Client, FastReader, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"

// More than 16 KiB, from where on pages are read in pieces.
const records = Array.from({ length: 400 }, (_, index) => ({
  asset: "btc",
  time: `2026-01-01T00:00:00.${String(index).padStart(9, "0")}Z`,
  PriceUSD: index % 9 === 0 ? null : `${index}.5`
}))

const read = (reader: Layer.Layer<never>) =>
  Effect.gen(function* () {
    const api = FakeApi.make([FakeApi.page(records)])
    const client = Client.layer({ root: "http://127.0.0.1:1/v4" }).pipe(Layer.provide([api.http, reader]))
    return yield* Timeseries.assetMetrics({ assets: "btc", metrics: "PriceUSD" }).pipe(
      Stream.runCollect,
      Effect.provide(client)
    )
  })

describe("A client without the fast reader", () => {
  it.effect("reads the same records as with it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* read(Layer.empty), records)
      assert.deepStrictEqual<unknown>(yield* read(FastReader.layer), records)
    })
  )
})
