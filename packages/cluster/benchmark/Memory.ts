/**
 * The most memory that a worker has while it reads many small parts: `node packages/cluster/benchmark/Memory.ts [parts]`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import type { Timeseries } from "@sluice/core"
import { Backfill, Cluster } from "@sluice/cluster"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { argv, env, execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { minutesBefore } from "../test/Days.ts"
import * as Postgres from "../test/Postgres.ts"

const parts = Number(argv[2] ?? 10_000)

const key = "sandbox-download"

const job = (to: string): Backfill.Job<typeof Timeseries.assetMetrics> => ({
  ...minutesBefore(new Date(Date.UTC(2024, 0, 1) + parts * 60_000)),
  split: { every: "1 minute" },
  to,
  format: { as: "ndjson" }
})

const script = fileURLToPath(new URL("../test/process.ts", import.meta.url))

const run = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { url: root } = yield* Sandbox.Sandbox
  const postgres = yield* Postgres.make
  const folder = yield* fs.makeTempDirectoryScoped()
  const args = [script, "work", root, Redacted.value(postgres.url), "", "10"]
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(execPath, args, { env: { ...env, SLUICE_API_KEY: key }, stdio: "ignore" })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  /** Megabytes, the most so far and now. */
  const memory = () => {
    const status = readFileSync(`/proc/${worker.pid}/status`, "utf8")
    return ["VmHWM", "VmRSS"].map((name) =>
      Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024)
    )
  }
  yield* Effect.sleep("5 seconds")
  yield* Console.log(`before: ${memory().join(" MB at most, ")} MB now`)
  yield* Effect.gen(function* () {
    const id = yield* Backfill.submit(job(`${folder}/data`))
    yield* Backfill.watch(id, "5 seconds").pipe(
      Stream.runForEach(({ done }) => Console.log(`${done} parts: ${memory().join(" MB at most, ")} MB now`))
    )
  }).pipe(
    Effect.provide(
      Layer.merge(NodeClient.layer({ root, apiKey: Redacted.make(key) }), Cluster.layerClient({ url: postgres.url }))
    )
  )
}).pipe(Effect.scoped, Effect.provide(Layer.fresh(Sandbox.layer({}))), Effect.provide(NodeServices.layer))

NodeRuntime.runMain(run)
