/**
 * The case that writes records as Arrow with Sluice.
 */
import { Columns, Timeseries } from "@sluice/core"
import { Arrow } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { open } from "./Downloads.ts"
import * as Workload from "./Workload.ts"

/** The bytes of the IPC stream. */
export const arrow = (root: string): Workload.Reader => {
  const runtime = open(root)
  return {
    close: () => runtime.dispose(),
    read: (workload) => {
      const seen = Workload.nothing()
      const batches = Columns.stream(Timeseries.assetMetrics, {
        assets: workload.assets,
        metrics: Workload.metricsOf(workload),
        frequency: Workload.frequency,
        start_time: workload.start,
        end_time: Workload.endOf(workload)
      }).pipe(
        Stream.map((batch) => {
          seen.records += batch.length
          return batch
        })
      )
      return runtime.runPromise(Effect.as(Stream.runDrain(Arrow.stream(batches)), seen))
    }
  }
}
