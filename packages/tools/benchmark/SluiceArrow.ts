/** The case that writes records as Arrow with Sluice. */
import { Columns, Timeseries } from "@sluice/core"
import { Arrow } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { reader } from "./Downloads.ts"
import * as Workload from "./Workload.ts"

/** The bytes of the IPC stream. */
export const arrow = reader((workload) => {
  const seen = Workload.nothing()
  const batches = Stream.map(Columns.stream(Timeseries.assetMetrics, Workload.paramsOf(workload)), (batch) => {
    seen.records += batch.length
    return batch
  })
  return Effect.as(Stream.runDrain(Arrow.stream(batches)), seen)
})
