/**
 * Requests of one client: a bulk, calls as pages and as json_streams, with faults, interrupted or read to their end.
 */
import { Bulk, Client, Retry, Timeseries } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Effect, Fiber, Stream } from "effect"
import * as Auditor from "./Auditor.ts"

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

// Few permits, so that requests wait for each other, and many faults, most of them within a body.
const client = Simulation.layerClient(
  (given) => Client.layer({ ...given, parallel: 2, retry: Retry.make({ times: 30, within: "1 day" }) }),
  {
    percent: 40,
    faults: [
      ...Simulation.transient,
      "reset-after=#",
      "close-after=#",
      "truncate-after=#",
      "truncate-line=20",
      "truncate-line=41",
      "cut-line=7",
      "cut-line=60"
    ]
  }
)

const truthOf = <A, E>(records: Stream.Stream<A, E, Client.Client>) =>
  Effect.map(
    Stream.runCollect(records).pipe(Effect.provide(Sandbox.layerClient(Client.layer), { local: true })),
    (all) => all.map(Auditor.textOf)
  )

/** Reads records, or stops in the middle, and asks what the client holds afterwards. */
const audited = Effect.fnUntraced(function* <A, E>(
  records: Stream.Stream<A, E, Client.Client>,
  truth: ReadonlyArray<string>
) {
  const told: Array<A> = []
  const read = Stream.runForEachArray(records, (batch) => Effect.sync(() => told.push(...batch)))
  const way = yield* Simulation.below(3)
  if (way === 0) {
    yield* read
    yield* Auditor.same(told, truth)
  } else if (way === 1) {
    const fiber = yield* Effect.forkChild(read)
    yield* Effect.sleep([0, 1, 20, 300, 5_000][yield* Simulation.below(5)]!)
    yield* Fiber.interrupt(fiber)
    yield* Auditor.part(told, truth)
  } else {
    const count = 1 + (yield* Simulation.below(40))
    const first = yield* Stream.runCollect(Stream.take(records, count))
    yield* Auditor.part(first, truth)
    yield* Auditor.released({ missing: Math.min(count, truth.length) - first.length })
  }
})

/** What is read by one client at the same time. */
export const make = Effect.gen(function* () {
  const pages = Timeseries.assetMetrics({ ...params, page_size: 20 })
  const lines = Timeseries.assetMetrics({ ...params, format: "json_stream" }, { checkEnd: true })
  // Without names, a reply that was cut is read again from its beginning.
  const replayed = Timeseries.marketTrades(
    { ...trades, markets: "coinbase-*-usd-spot", format: "json_stream" },
    { checkEnd: true }
  )
  const endless = Timeseries.marketTrades({ ...trades, format: "json_stream" }, { checkEnd: true })
  const parts = yield* Bulk.split(Timeseries.assetMetrics, params, { by: "assets", every: "1 month" })
  const bulks = (["arrival", "parts"] as const).map((order) =>
    Bulk.records(Timeseries.assetMetrics, parts, { order, concurrency: 4 })
  )
  const all: ReadonlyArray<Stream.Stream<unknown, unknown, Client.Client>> = [pages, lines, replayed, endless, ...bulks]
  const cases = yield* Effect.forEach(all, (records) => Effect.map(truthOf(records), (truth) => ({ records, truth })))
  return Effect.gen(function* () {
    const first = yield* Simulation.below(cases.length)
    const both = [cases[first]!, cases[yield* Simulation.below(cases.length)]!]
    yield* Effect.forEach(both, ({ records, truth }) => audited(records, truth), { concurrency: 2 })
    // What was interrupted lets go in its own turn.
    yield* Effect.sleep("2 minutes")
    const { inFlight, limit, remaining, waiting } = yield* Client.quota
    const { running } = yield* Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats)
    yield* Auditor.released({ inFlight, waiting, running, taken: limit - remaining })
  }).pipe(Effect.provide(client))
})
