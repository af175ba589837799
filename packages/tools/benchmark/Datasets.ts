/** The cases that keep a dataset in a folder with Sluice: its first load, and a sync without news. */
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as WallClock from "../../core/test/WallClock.ts"
import { open, reader } from "./Downloads.ts"
import * as Workload from "./Workload.ts"

const inFiles = { layout: { period: "month" }, format: { as: "parquet" } } as const

type Events = ReturnType<typeof Dataset.sync>

/** Syncs, and tells what the run did. */
export const sync = (
  workload: Workload.Workload,
  to: Pick<Dataset.Job, "to" | "layout" | "format">,
  rows: number,
  lookBack: number
) => follow(Dataset.sync({ ...metrics(workload, rows), ...to, lookBack: `${lookBack} minutes` }))

export const metrics = (workload: Workload.Workload, rows: number) => ({
  endpoint: Timeseries.assetMetrics,
  params: {
    assets: workload.assets,
    metrics: Workload.metricsOf(workload),
    frequency: Workload.frequency,
    start_time: Workload.before(rows)
  }
})

/** Tells what a run did. */
export const follow = (run: Events) =>
  Effect.gen(function* () {
    const seen = Workload.nothing()
    yield* Stream.runForEach(run, (event) =>
      Effect.sync(() => {
        if (event._tag === "Changed") seen.touched += event.written.length
        if (event._tag === "Finished") seen.records = event.records
      })
    )
    return seen
  }).pipe(Effect.updateService(Clock.Clock, atTheEnd))

/** The clock of a day on which the data has just ended. */
const atTheEnd = (real: Clock.Clock): Clock.Clock => {
  const behind = performance.timeOrigin - Date.parse(Workload.end)
  return WallClock.at(real, () => real.currentTimeMillisUnsafe() - behind)
}

export const folder = () => fs.mkdtempSync(path.join(os.tmpdir(), "sluice-"))

/** Uses a folder, which is removed as the downloads do it beside which this is measured. */
export const inFolder = <E, R>(use: (to: string) => Effect.Effect<Workload.Seen, E, R>) =>
  Effect.acquireUseRelease(Effect.sync(folder), use, (to) =>
    Effect.promise(() => fs.promises.rm(to, { recursive: true }))
  )

/** Makes a dataset of a month and an asset a file. What was touched are its files. */
export const load = reader((workload) => inFolder((to) => sync(workload, { to, ...inFiles }, workload.rows, 60)))

/** Rows of each asset that a dataset has before it is synced without news. */
const held = 60

/** The records of each asset that are read again: those of two minutes, and the one before them. */
const again = 3

/** Syncs a dataset that is current, and has been synced since it was made: the records of the look-back, and no file. */
export const noNews = (root: string): Workload.Reader => {
  const runtime = open(root)
  const to = folder()
  let isMade = false
  return {
    // The first read warms up, with other records than are measured: it makes the dataset.
    read: async (workload) => {
      const one = sync(workload, { to, ...inFiles }, held, again - 1)
      if (isMade) return runtime.runPromise(one)
      isMade = true
      await runtime.runPromise(one)
      return runtime.runPromise(one)
    },
    close: async () => {
      await runtime.dispose()
      fs.rmSync(to, { recursive: true })
    }
  }
}
