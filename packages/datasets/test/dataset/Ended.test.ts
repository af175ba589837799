import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { events, temporary, world } from "./Harness.ts"

/** Its last trade is of 2025-03-08T15:52:31. */
const market = "ascendex-apt-btc-spot"

describe.each([
  ["that ended after the start of the dataset", "2025-03-08T14:00:00"],
  ["that ended before the start of the dataset", "2026-01-01"]
] as const)("a market %s", (_, start_time) => {
  it.live.each([true, false])("costs one small request a run, and no change (byEntity: %s)", (byEntity) =>
    Effect.gen(function* () {
      const to = yield* temporary
      const params = { markets: [market], start_time }
      const layout = { byEntity, period: "year" } as const
      const sync = Dataset.sync({ endpoint: Timeseries.marketTrades, params, to, layout })
      yield* Stream.runDrain(sync)
      const heldNow = Effect.map(Dataset.status(to), (found) => ({ ...found, synced: undefined }))
      const held = yield* heldNow
      const counts: Array<number> = []
      for (let run = 0; run < 3; run++) {
        const { requests } = yield* Dataset.check({ to })
        assert.deepStrictEqual(
          requests.map(({ entities, reason }) => [reason, entities]),
          [["probe", [market]]]
        )
        const told = yield* events(sync)
        counts.push(told.filter(({ _tag }) => _tag === "Changed").length)
        assert.isAtMost(
          told.reduce((most, event) => (event._tag === "Finished" ? event.records : most), 0),
          110
        )
      }
      // The first run after the load notes what it has read again.
      assert.deepStrictEqual(counts.slice(1), [0, 0])
      assert.deepStrictEqual(yield* heldNow, held)
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})
