/** How much faster more workers are, where the service is slow and the window wide. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Timeseries } from "@sluice/core"
import { Backfill, Cluster } from "@sluice/cluster"
import { NodeClient } from "@sluice/node"
import { type Plan, Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import * as Postgres from "../test/Postgres.ts"

/** The backfill did not end as it should have. */
export class NotFinished extends Data.TaggedError("NotFinished")<{ readonly state: string }> {}

/** So many that chance, by which parts fall to workers, gives each nearly as many. */
const parts = 800

/** Parts that a worker reads at once. */
const atOnce = "2"

const latency = "100 millis"

const keyOf = (worker: number) => `bench-${worker}`

const keys: Readonly<Record<string, Plan.Key>> = Object.fromEntries(
  Array.from({ length: 4 }, (_, worker) => [keyOf(worker), { plan: "default" }])
)

const job = (to: string): Backfill.Job<typeof Timeseries.assetMetrics> => ({
  endpoint: Timeseries.assetMetrics,
  params: {
    assets: ["btc"],
    metrics: ["PriceUSD"],
    // With it, a part is one request of one page.
    frequency: "1d",
    start_time: "2020-01-01",
    end_time: new Date(Date.UTC(2020, 0, 1 + parts)).toISOString().slice(0, 10),
    end_inclusive: false
  },
  split: { every: "1 day" },
  to,
  format: { as: "ndjson" }
})

const script = fileURLToPath(new URL("../test/process.ts", import.meta.url))

const start = (root: string, url: string, worker: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(execPath, [script, "work", root, url, "", atOnce], {
        env: { ...process.env, SLUICE_API_KEY: keyOf(worker) },
        stdio: "ignore"
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const waitUntil = <E, R>(is: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(Effect.delay(is, "20 millis"), { until: (done) => done })

/** Seconds from the first part to the last. */
const seconds = Effect.fnUntraced(function* (workers: number) {
  const fs = yield* FileSystem.FileSystem
  const sandbox = yield* Sandbox.Sandbox
  const postgres = yield* Postgres.make
  const url = Redacted.value(postgres.url)
  for (let worker = 0; worker < workers; worker++) yield* start(sandbox.url, url, worker)
  const registered = Effect.map(
    postgres.query("SELECT CASE WHEN to_regclass('sluice_runners') IS NULL THEN 0 ELSE 1 END"),
    (found) => found === "1"
  )
  yield* waitUntil(Effect.delay(registered, "1 second"))
  const count = Effect.map(postgres.query("SELECT count(*) FROM sluice_runners"), (found) => Number(found) === workers)
  yield* waitUntil(Effect.delay(count, "1 second"))
  // Until the shards are divided among them.
  yield* Effect.sleep("10 seconds")
  const folder = yield* fs.makeTempDirectoryScoped()
  const client = NodeClient.layer({ root: sandbox.url, apiKey: Redacted.make(keyOf(0)) })
  const elapsed = Effect.gen(function* () {
    const id = yield* Backfill.submit(job(`${folder}/data`))
    // The first two requests are of the check.
    yield* waitUntil(Effect.map(sandbox.stats, ({ requests }) => requests > 2))
    const began = yield* Clock.currentTimeMillis
    yield* waitUntil(
      Effect.delay(
        Effect.map(Backfill.status(id), ({ done }) => done === parts),
        "50 millis"
      )
    )
    const ended = yield* Clock.currentTimeMillis
    const last = yield* Stream.runLast(Backfill.watch(id)).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie)
    if (last.state !== "finished") return yield* new NotFinished({ state: last.state })
    return (ended - began) / 1_000
  })
  return yield* Effect.provide(elapsed, Layer.merge(client, Cluster.layerClient({ url: postgres.url })))
}, Effect.scoped)

/** Measures 1, 2 and 4 workers, and tells how much faster two are than one; nothing where no PostgreSQL is installed. */
export const run = Effect.gen(function* () {
  if (!Postgres.isInstalled) {
    yield* Console.log("\nWorkers of a cluster: no PostgreSQL is installed, so they were not measured.")
    return []
  }
  const measured: Array<number> = []
  for (const workers of [1, 2, 4]) {
    // A stand-in of its own for each, whose counts begin at none.
    measured.push(yield* Effect.provide(seconds(workers), Layer.fresh(Sandbox.layer({ latency, keys }))))
  }
  const [one = 0, two = 0, four = 0] = measured
  const row = (workers: number, time: number) =>
    `| ${workers} | ${time.toFixed(1)} | ${(parts / time).toFixed(0)} | ${(one / time).toFixed(2)} |`
  yield* Console.log(
    `\nA backfill of ${parts} parts, 100 ms a reply, ${atOnce} at once for each worker, each with a key of its own\n
| workers | seconds | parts a second | times as fast |
|---|---|---|---|
${[row(1, one), row(2, two), row(4, four)].join("\n")}`
  )
  return [{ bound: "two workers, time against one", figure: two / one, limit: 1 / 1.8 }]
}).pipe(Effect.provide(NodeServices.layer))
