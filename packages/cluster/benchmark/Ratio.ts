/**
 * How a backfill of many small parts compares with one `Download` of the same job, in one process and one worker:
 * `node packages/cluster/benchmark/Ratio.ts [parts] [rounds]`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Client, Timeseries } from "@sluice/core"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import { Download } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync } from "node:fs"
import { argv, cpuUsage, memoryUsage } from "node:process"
import { minutesBefore } from "../test/Days.ts"
import * as Postgres from "../test/Postgres.ts"

const parts = Number(argv[2] ?? 2_000)
const rounds = Number(argv[3] ?? 2)

const job = (to: string): Backfill.Job<typeof Timeseries.assetMetrics> => ({
  ...minutesBefore(new Date(Date.UTC(2024, 0, 1) + parts * 60_000)),
  split: { every: "1 minute" },
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

const run = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const postgres = yield* Postgres.make
  const server = Number((yield* postgres.query("SELECT pg_read_file('postmaster.pid')")).split("\n")[0])
  const folder = yield* fs.makeTempDirectoryScoped()
  const client = Layer.unwrap(
    Effect.map(Sandbox.Sandbox, ({ url }) => Client.layer({ root: url, apiKey: Redacted.make("sandbox-download") }))
  )
  const worker = Worker.layer({ endpoints: [Timeseries.assetMetrics] }).pipe(
    Layer.provideMerge(Cluster.layerWorker({ url: postgres.url, host: "127.0.0.1" })),
    Layer.provideMerge(client)
  )
  yield* Effect.gen(function* () {
    for (let round = 0; round < rounds; round++) {
      const one = yield* measured(server, Stream.runDrain(Download.run(job(`${folder}/one-${round}`))))
      const many = yield* measured(server, Backfill.run(job(`${folder}/many-${round}`)))
      yield* Console.log(
        `${parts} parts: download ${one.wall.toFixed(1)} s (processor ${one.own.toFixed(1)} s), backfill ${many.wall.toFixed(1)} s (${many.own.toFixed(1)} s, PostgreSQL ${many.postgres.toFixed(1)} s): ` +
          `time ${(many.wall / one.wall).toFixed(2)}, processor ${(many.own / one.own).toFixed(2)}, with PostgreSQL ${((many.own + many.postgres) / one.own).toFixed(2)}; ${(memoryUsage().rss / 1e6).toFixed(0)} MB`
      )
    }
    for (const table of ["sluice_messages", "sluice_replies", "sluice_backfill_parts"]) {
      const rows = yield* postgres.query(`SELECT count(*), pg_total_relation_size('${table}') FROM ${table}`)
      yield* Console.log(`${table}: ${rows}`)
    }
  }).pipe(Effect.provide(worker))
}).pipe(Effect.scoped, Effect.provide(Layer.fresh(Sandbox.layerMemory())), Effect.provide(NodeServices.layer))

NodeRuntime.runMain(run)
