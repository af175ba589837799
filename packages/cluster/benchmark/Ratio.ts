/**
 * How a backfill of many small parts compares with one `Download` of the same job, both in one process, which is the one worker.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Timeseries } from "@sluice/core"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import { Download } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync } from "node:fs"
import { cpuUsage, memoryUsage } from "node:process"
import * as Report from "../../tools/benchmark/Report.ts"
import * as Server from "../../tools/benchmark/Server.ts"
import * as Postgres from "../test/Postgres.ts"

const assets = Array.from({ length: 100 }, (_, index) => `a${index}`)
const hours = 30
const rounds = 3

/** Parts of 60 records. */
const job = (to: string): Backfill.Job<typeof Timeseries.assetMetrics> => ({
  endpoint: Timeseries.assetMetrics,
  params: {
    assets,
    metrics: ["PriceUSD"],
    frequency: "1m",
    start_time: "2024-01-01",
    end_time: new Date(Date.UTC(2024, 0, 1, hours)).toISOString().slice(0, 19),
    end_inclusive: false
  },
  split: { by: "assets", every: "1 hour" },
  to,
  format: { as: "ndjson" }
})

/** Seconds of the processor that a server and its processes have used. */
const usedBy = (server: number) => {
  let ticks = 0
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
      if (Number(name) === server) ticks += [11, 12, 13, 14].reduce((sum, at) => sum + Number(stat[at]), 0)
      else if (Number(stat[1]) === server) ticks += Number(stat[11]) + Number(stat[12])
    } catch {
      // It has ended.
    }
  }
  return ticks / 100
}

const measured = <A, E, R>(server: number, self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const cpu = cpuUsage()
    const used = usedBy(server)
    yield* self
    const { system, user } = cpuUsage(cpu)
    const wall = ((yield* Clock.currentTimeMillis) - before) / 1_000
    return { wall, own: (system + user) / 1e6, postgres: usedBy(server) - used }
  })

/** Measures both in turns, after one of each that does not count; nothing where no PostgreSQL is installed. */
export const run = Effect.gen(function* () {
  if (!Postgres.isInstalled) {
    yield* Console.log("\nA backfill of small parts: no PostgreSQL is installed, so it was not measured.")
    return []
  }
  const fs = yield* FileSystem.FileSystem
  const root = yield* Server.start(Server.replies())
  const postgres = yield* Postgres.make
  const server = Number((yield* postgres.query("SELECT pg_read_file('postmaster.pid')")).split("\n")[0])
  const folder = yield* fs.makeTempDirectoryScoped()
  const worker = Worker.layer({ endpoints: [Timeseries.assetMetrics] }).pipe(
    Layer.provideMerge(Cluster.layerWorker({ url: postgres.url, host: "127.0.0.1" })),
    Layer.provideMerge(NodeClient.layer({ root, apiKey: Redacted.make("sandbox-download") }))
  )
  const ratios: Array<number> = []
  const measure = Effect.gen(function* () {
    yield* Console.log(`\nA backfill of ${assets.length * hours} parts of 60 records, and a download of the same\n`)
    for (let round = 0; round <= rounds; round++) {
      const one = yield* measured(server, Stream.runDrain(Download.run(job(`${folder}/one-${round}`))))
      const many = yield* measured(server, Backfill.run(job(`${folder}/many-${round}`)))
      if (round === 0) continue
      ratios.push(many.own / one.own)
      yield* Console.log(
        `download ${one.wall.toFixed(1)} s (processor ${one.own.toFixed(1)} s), backfill ${many.wall.toFixed(1)} s (${many.own.toFixed(1)} s, PostgreSQL ${many.postgres.toFixed(1)} s): ` +
          `time ${(many.wall / one.wall).toFixed(2)}, processor ${(many.own / one.own).toFixed(2)}, with PostgreSQL ${((many.own + many.postgres) / one.own).toFixed(2)}; ${(memoryUsage().rss / 1e6).toFixed(0)} MB`
      )
    }
  })
  yield* Effect.provide(measure, worker)
  const bound = "a backfill of small parts, processor time, ratio to a download"
  return [{ bound, figure: Report.median(ratios), limit: 1.3 }]
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
