/** The cases that write files with Sluice: every record validated, defaults throughout, gzip off on both sides. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Timeseries } from "@sluice/core"
import { Download, type Format } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Workload from "./Workload.ts"

/** Files of a month and an asset each, written as the format says. What was touched are their bytes. */
const download = (workload: Workload.Workload, to: string, format: Format.Options) =>
  Effect.gen(function* () {
    const seen = Workload.nothing()
    yield* Stream.runForEach(
      Download.run({
        endpoint: Timeseries.assetMetrics,
        params: Workload.paramsOf(workload),
        split: { by: "assets", every: "30 days" },
        to,
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
  })

type Services = ManagedRuntime.ManagedRuntime.Services<ReturnType<typeof open>>

/** What the cases run in that write files. */
export const open = (root: string) =>
  ManagedRuntime.make(
    Layer.mergeAll(NodeClient.layer({ root, apiKey: Redacted.make(Workload.apiKey), gzip: false }), NodeServices.layer)
  )

/** A folder that is removed when the case has been measured. */
export const folder = () => {
  const to = fs.mkdtempSync(path.join(os.tmpdir(), "sluice-"))
  return { to, remove: () => fs.rmSync(to, { recursive: true }) }
}

/** Makes a case of what reads a workload, each time to another place. */
export const reader =
  (read: (workload: Workload.Workload, to: string) => Effect.Effect<Workload.Seen, unknown, Services>) =>
  (root: string): Workload.Reader => {
    const runtime = open(root)
    const { remove, to } = folder()
    return {
      read: (workload) => runtime.runPromise(read(workload, fs.mkdtempSync(path.join(to, "read-")))),
      close: async () => {
        await runtime.dispose()
        remove()
      }
    }
  }

export const ndjson = reader((workload, to) => download(workload, to, { as: "ndjson" }))

export const csv = reader((workload, to) => download(workload, to, { as: "csv" }))

export const parquet = reader((workload, to) => download(workload, to, { as: "parquet" }))
