/** The cases that write files with Sluice: every record validated, defaults throughout, gzip off on both sides. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Timeseries } from "@sluice/core"
import { Download, type Format } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Workload from "./Workload.ts"

/** Files of a month and an asset each, written as the format says. What was touched are their bytes. */
const download = (workload: Workload.Workload, format: Format.Options) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "sluice-" })
    const seen = Workload.nothing()
    yield* Stream.runForEach(
      Download.run({
        endpoint: Timeseries.assetMetrics,
        params: Workload.paramsOf(workload),
        split: { by: "assets", every: "30 days" },
        to: `${folder}/files`,
        format
      }),
      (event) =>
        Effect.sync(() => {
          if (event._tag !== "Finished") return
          seen.records = event.records
          seen.touched = event.bytes
        })
    )
    return seen
  }).pipe(Effect.scoped)

type Services = ManagedRuntime.ManagedRuntime.Services<ReturnType<typeof open>>

/** What the cases run in that write files. */
export const open = (root: string) =>
  ManagedRuntime.make(
    Layer.mergeAll(NodeClient.layer({ root, apiKey: Redacted.make(Workload.apiKey), gzip: false }), NodeServices.layer)
  )

/** Makes a case of what reads a workload. */
export const reader =
  (read: (workload: Workload.Workload) => Effect.Effect<Workload.Seen, unknown, Services>) =>
  (root: string): Workload.Reader => {
    const runtime = open(root)
    return { read: (workload) => runtime.runPromise(read(workload)), close: () => runtime.dispose() }
  }

export const ndjson = reader((workload) => download(workload, { as: "ndjson" }))

export const csv = reader((workload) => download(workload, { as: "csv" }))

export const parquet = reader((workload) => download(workload, { as: "parquet" }))
