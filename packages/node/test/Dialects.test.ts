import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData, Timeseries } from "@sluice/core"
import { Dialect, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { inVirtualTime, settings } from "./Harness.ts"

/** A client of a service that speaks so, both on the test clock. */
const speaking = (dialect: Partial<Dialect.Dialect>) =>
  Layer.effect(
    Client.Client,
    Effect.flatMap(Sandbox.Sandbox, ({ url }) => Client.make({ ...settings, root: url }))
  ).pipe(Layer.provide(Sandbox.layerMemory({ dialect })))

describe("A client reads alike", () => {
  it.effect.each(Dialect.questions.protocolWarnings.words)("a warning beside the protocols: %s", (protocolWarnings) =>
    Effect.gen(function* () {
      const [page] = yield* Stream.runCollect(ReferenceData.protocols.pages())
      assert.strictEqual(page?.warnings.length, 1)
      assert.deepInclude(page?.warnings[0], { type: "experimental_data" })
    }).pipe(inVirtualTime, Effect.provide(speaking({ protocolWarnings })))
  )

  it.effect.each(Dialect.questions.emptyLastPage.words)("pages that the records fill exactly: %s", (emptyLastPage) =>
    Effect.gen(function* () {
      const all = yield* Stream.runCollect(ReferenceData.exchanges({ format: "json_stream" }))
      const paged = yield* Stream.runCollect(ReferenceData.exchanges({ page_size: all.length / 2 }))
      assert.deepStrictEqual(paged, all)
      const days = { assets: ["btc", "eth"], metrics: "PriceUSD", start_time: "2024-01-01", end_time: "2024-01-06" }
      for (const paging_from of ["start", "end"] as const) {
        const prices = Timeseries.assetMetrics({ ...days, page_size: 4, paging_from })
        assert.strictEqual((yield* Stream.runCollect(prices)).length, 12)
      }
    }).pipe(inVirtualTime, Effect.provide(speaking({ emptyLastPage })))
  )
})
