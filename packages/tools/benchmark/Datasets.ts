/** The cases that keep a dataset in a folder with Sluice: its first load, and a sync without news. */
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as path from "node:path"
import * as WallClock from "../../core/test/WallClock.ts"
import { folder, open, reader } from "./Downloads.ts"
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

/** Makes a dataset of a month and an asset a file. What was touched are its files. */
export const load = reader((workload, to) => sync(workload, { to, ...inFiles }, workload.rows, 60))

/**
 * Reads all of a dataset again, of which the service has changed one record in a hundred, and as many back. The first read of so many records
 * makes the dataset. What was touched are its files.
 */
const again =
  (as: "ndjson" | "parquet", versions?: "keep") =>
  (root: string): Workload.Reader => {
    const runtime = open(root)
    const { remove, to } = folder()
    const made = new Map<number, number>()
    return {
      read: async (workload) => {
        const { rows } = workload
        const times = made.get(rows) ?? 0
        made.set(rows, times + 1)
        await fetch(`${root}/revision?of=${1 + (times % 2)}`)
        const series = metrics(workload, rows)
        const place = { to: path.join(to, String(rows)), layout: { period: "none" }, format: { as } } as const
        const looks = { lookBack: "60 minutes", recheck: "10000 days" } as const
        return runtime.runPromise(
          follow(Dataset.sync({ ...series, ...place, ...looks, ...(versions && { versions }) }))
        )
      },
      close: async () => {
        await runtime.dispose()
        remove()
      }
    }
  }

export const againNdjson = again("ndjson")
export const againNdjsonKept = again("ndjson", "keep")
export const againParquet = again("parquet")
export const againParquetKept = again("parquet", "keep")

/** Rows of each asset that a dataset has before it is synced without news. */
const held = 60

/** The records of each asset that are read again: those of two minutes, and the one before them. */
const lookedBack = 3

/** Syncs a dataset that is current, and has been synced since it was made: the records of the look-back, and no file. */
export const noNews = (root: string): Workload.Reader => {
  const runtime = open(root)
  const { remove, to } = folder()
  let isMade = false
  return {
    // The first read warms up, with other records than are measured: it makes the dataset.
    read: async (workload) => {
      const one = sync(workload, { to, ...inFiles }, held, lookedBack - 1)
      if (isMade) return runtime.runPromise(one)
      isMade = true
      await runtime.runPromise(one)
      return runtime.runPromise(one)
    },
    close: async () => {
      await runtime.dispose()
      remove()
    }
  }
}
