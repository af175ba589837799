import { NodeRuntime } from "@effect/platform-node"
import { Bulk, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect } from "effect"

const request = {
  markets: ["coinbase-btc-usd-spot", "kraken-btc-usd-spot"],
  frequency: "1h",
  start_time: "2026-01-01",
  end_time: "2026-06-30"
} as const

/** What half a year of candles of two markets takes, a request for each month; more than a hundred are refused. */
export const plan = Effect.gen(function* () {
  const parts = yield* Bulk.split(Timeseries.marketCandles, request, { by: "markets", every: "1 month" })
  const { entities, total, unknown } = yield* Bulk.plan(Timeseries.marketCandles, parts, { maxRequests: 100 })
  for (const { entity, records } of entities) yield* Console.log(`${entity}: ${records.expected} records`)
  yield* Console.log(`${total.requests.expected} requests; not known: ${unknown.join("; ")}`)
})

if (import.meta.main) plan.pipe(Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
