import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Config, Console, Data, Effect, Layer, Option, type Redacted, Stream } from "effect"

/** A quarter of daily prices, a part for each asset and month. */
const prices = {
  endpoint: Timeseries.assetMetrics,
  params: { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-01-01", end_time: "2026-03-31" },
  split: { by: "assets", every: "1 month" }
} as const

/** As files of a folder, which has the same path on every worker. */
export const intoFolder = (to: string) => Backfill.submit({ ...prices, to, format: { as: "parquet" } })

/** As the folder of a dataset, with which `Dataset.sync` goes on: cut as its layout says, so without a split. */
export const intoDataset = (folder: string) => {
  const { endpoint, params } = prices
  return Backfill.submit({ endpoint, params, into: { folder, layout: { period: "month" } } })
}

/** As a table of PostgreSQL, with which `Dataset.sync` goes on. Workers need the same database. */
export const intoTable = (url: Redacted.Redacted) => Backfill.submit({ ...prices, into: { url, table: "prices" } })

/** Lets this process do its share, beside workers of other machines: it reads the endpoints that it is given. */
export const worker = (database?: Redacted.Redacted) => Worker.layer({ endpoints: [Timeseries.assetMetrics], database })

/** How a backfill ends, with a line every second on the way. */
export const ended = (id: string) =>
  Backfill.watch(id).pipe(
    Stream.tap(({ done, parts, reason, state }) => Console.log(state, `${done} of ${parts ?? "?"}`, reason ?? "")),
    Stream.runLast
  )

/** The backfill ended without all of its parts. */
class Unfinished extends Data.TaggedError("Unfinished")<{ readonly message: string }> {}

/** Fails where a backfill ends in another way than `finished`, so that the process ends with another code than 0. */
export const finished = Effect.fnUntraced(function* (id: string) {
  const last = Option.getOrUndefined(yield* ended(id))
  if (last?.state !== "finished")
    return yield* new Unfinished({ message: `the backfill ended ${last?.state ?? "unseen"}` })
})

if (import.meta.main) {
  const program = Effect.gen(function* () {
    const [url, secret] = yield* Config.all([
      Config.Redacted("SLUICE_CLUSTER"),
      Config.Redacted("SLUICE_CLUSTER_SECRET")
    ])
    const cluster = Layer.provideMerge(worker(url), Cluster.layerWorker({ url, secret }))
    yield* Effect.flatMap(intoTable(url), finished).pipe(Effect.provide(cluster))
  })
  program.pipe(Effect.provide([NodeClient.layerConfig(), NodeServices.layer]), NodeRuntime.runMain)
}
