/**
 * Requests of one client: a bulk, calls as pages and as json_streams, with faults, interrupted or read to their end.
 */
import { Bulk, Client, Retry, Timeseries } from "@sluice/core"
import { Simulation } from "@sluice/sandbox"
import { Effect } from "effect"
import * as Auditor from "./Auditor.ts"
import * as Reading from "./Reading.ts"

const params = {
  assets: ["btc", "eth", "ltc"],
  metrics: ["PriceUSD", "AdrActCnt"],
  start_time: "2024-01-01",
  end_time: "2024-02-10"
} as const

const trades = {
  markets: ["coinbase-btc-usd-spot", "kraken-btc-usd-spot"],
  start_time: "2024-03-01T09:30:00",
  end_time: "2024-03-01T09:31:00"
} as const

// Few permits, so that requests wait for each other, and one that is lost is missed. Many faults, most of them within a body.
const client = (parallel: number) =>
  Simulation.layerClient(
    (given) => Client.layer({ ...given, parallel, retry: Retry.make({ times: 30, within: "1 day" }) }),
    {
      ...Auditor.options,
      percent: 40,
      faults: [
        ...Simulation.transient,
        ..."truncate-after=# reset-after=#0 truncate-after=#0 truncate-line=20 truncate-line=41".split(" "),
        ..."cut-line=7 cut-line=60".split(" ")
      ]
    }
  )

/** What is read by one client at the same time. */
export const make = Effect.gen(function* () {
  const pages = Timeseries.assetMetrics({ ...params, page_size: 20 })
  const lines = Timeseries.assetMetrics({ ...params, format: "json_stream" }, { checkEnd: true })
  // Without names, a reply that was cut is read again from its beginning.
  const wild = { ...trades, markets: "coinbase-*-usd-spot", format: "json_stream" } as const
  const replayed = Timeseries.marketTrades(wild, { checkEnd: true })
  const endless = Timeseries.marketTrades({ ...trades, format: "json_stream" }, { checkEnd: true })
  const one = Timeseries.assetMetrics({ ...params, assets: "btc", format: "json_stream" }, { checkEnd: true })
  // Without names and ids, what came before is counted.
  const minutes = { ...wild, frequency: "1m", end_time: "2024-03-01T09:39:00" } as const
  const counted = Timeseries.marketCandles(minutes, { checkEnd: true })
  const parts = yield* Bulk.split(Timeseries.assetMetrics, params, { by: "assets", every: "1 month" })
  const bulks = (["arrival", "parts"] as const).map((order): Reading.Records =>
    Bulk.records(Timeseries.assetMetrics, parts, { order, concurrency: 4 })
  )
  const all: ReadonlyArray<Reading.Records> = [pages, lines, replayed, endless, one, counted, ...bulks]
  const cases = yield* Effect.forEach(all, (records) =>
    Effect.map(Reading.truthOf(records), (truth) => ({ records, truth, isOrdered: records !== bulks[0] }))
  )
  const both = Effect.gen(function* () {
    const first = yield* Simulation.below(cases.length)
    const read = [cases[first]!, cases[yield* Simulation.below(cases.length)]!]
    yield* Effect.forEach(read, ({ isOrdered, records, truth }) => Reading.audit(records, truth, { isOrdered }), {
      concurrency: 2
    })
    yield* Reading.released
    yield* Reading.audit(pages, cases[0]!.truth)
  })
  return Effect.flatMap(Simulation.below(2), (more) => Effect.provide(both, client(1 + more), { local: true }))
})
