/**
 * The time and the processor time of downloads, with checksum, fsync and manifest, against a page loop that checks and writes nothing.
 */
import { cases } from "./Cases.ts"
import type * as Measure from "./Measure.ts"
import * as Report from "./Report.ts"
import * as Server from "./Server.ts"
import type { Workload } from "./Workload.ts"

const limits = { ndjson: 0.6, csv: 0.9, parquet: 1.2 } as const
const formats = ["ndjson", "csv", "parquet"] as const
const base = cases.pageLoop.label

/** The page loop and a download in each format, over replies that were prepared. */
export const suite = (workload: Workload, records: string): Measure.Suite => ({
  title: `Downloads of ${records} records of ten assets, half of the values short, with checksum, fsync and manifest: by hand one request and no file`,
  server: Server.replies(),
  entries: [
    { label: base, name: "pageLoop", workload },
    { label: cases.files.label, name: "files", workload },
    ...formats.map((name) => ({ label: cases[name].label, name, workload }))
  ]
})

/** The case that a ratio is taken against. */
export const baseline = () => base

/** What has become of the bounds, which hold for the time that passes and for the processor time of all threads. */
export const verdicts = (rounds: Report.Rounds): ReadonlyArray<Report.Verdict> =>
  formats.flatMap((name) => {
    const ratio = (figure: Report.Figure) => Report.ratio(rounds, cases[name].label, base, figure)
    const limit = limits[name]
    return [
      { bound: `${cases[name].label}, time, ratio`, figure: ratio(Report.seconds), limit },
      { bound: `${cases[name].label}, processor time, ratio`, figure: ratio(Report.cpu), limit }
    ]
  })
