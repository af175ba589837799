/**
 * A process of a cluster: `process.ts work|submit <root of the service> <url of PostgreSQL> <folder, "table NAME", or "dataset FOLDER"> <parts at once>`, with the key in its
 * environment, and the store of the quota where there is one.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Timeseries } from "@sluice/core"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { days, rows, trades } from "./Days.ts"

const [mode = "", root = "", postgres = "", to = "", concurrency = "3"] = process.argv.slice(2)

const url = Redacted.make(postgres)

const store = process.env["SLUICE_QUOTA_STORE"]

const client = NodeClient.layer({
  root,
  apiKey: Redacted.make(process.env["SLUICE_API_KEY"] ?? ""),
  quotaStore: store === undefined ? undefined : Redacted.make(store)
})

const worker = Worker.layer({
  endpoints: [Timeseries.assetMetrics, Timeseries.marketTrades],
  concurrency: Number(concurrency),
  database: url
}).pipe(Layer.provide(Cluster.layerWorker({ url, host: "127.0.0.1" })), Layer.provide(client))

const [kind, place = ""] = to.split(" ", 2)

const submitted =
  kind === "table"
    ? Backfill.run(rows(url, place))
    : kind === "dataset"
      ? Backfill.run(trades(place))
      : Backfill.run(days(to))

const submitter = submitted.pipe(Effect.provide(Layer.merge(client, Cluster.layerClient({ url }))))

const program: Effect.Effect<unknown, unknown, NodeServices.NodeServices> =
  mode === "work" ? Layer.launch(worker) : submitter

program.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
