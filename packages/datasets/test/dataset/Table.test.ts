import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Effect from "effect/Effect"
import * as Table from "../../src/internal/folder/Table.ts"

// Type boundary: an endpoint whose parameters have types of its own is no `Endpoint.Any`, which takes data.
const endpoint = Timeseries.marketTrades as unknown as Endpoint.Any

describe("the columns of a dataset's files", () => {
  for (const [columns, byEntity, versions, lacking] of [
    [["price"], true, undefined, "time"],
    [["time", "price"], false, undefined, "market"],
    [["market", "time", "price"], true, "keep", "coin_metrics_id"],
    [["market", "time", "price"], true, undefined, undefined],
    [["time", "coin_metrics_id", "price"], true, "keep", undefined]
  ] as const) {
    it.effect(`are ${columns.join(", ")}: ${lacking === undefined ? "all that it needs" : `it needs ${lacking}`}`, () =>
      Effect.gen(function* () {
        const layout = { byEntity, period: "year", rows: 100 } as const
        const format = { as: "parquet", columns } as const
        const definition = { params: { markets: ["coinbase-btc-usd-spot"] }, ...(versions && { versions }) }
        const made = Effect.result(Table.make(endpoint, definition, { layout, format }))
        const reason = (yield* made).pipe((result) => (result._tag === "Failure" ? result.failure.message : undefined))
        const says = `invalid format option "columns": a dataset needs the column "${lacking}"`
        assert.strictEqual(reason, lacking && says)
      })
    )
  }
})
