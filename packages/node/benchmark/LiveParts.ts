/**
 * Live streams beside a bare loop over a WebSocket: frames that come at once, and the delay of frames that come one by one.
 */
import { cases, type Name } from "./Cases.ts"
import type * as Measure from "./Measure.ts"
import * as Report from "./Report.ts"

const [bare, stream, sluice, callback] = [
  cases.liveBare.label,
  cases.liveStream.label,
  cases.liveSluice.label,
  cases.liveCallback.label
]

/** With what every reader that is an Effect stream costs, however its records come, and with a function in place of a stream. */
const onePerFrame = ["liveBare", "liveStream", "liveSluice", "liveCallback"] as const

const suite = (title: string, names: ReadonlyArray<Name>, rows: number, pace?: number): Measure.Suite => ({
  title,
  server: { isLive: true },
  entries: names.map((name) => ({
    label: cases[name].label,
    name,
    workload: { assets: ["btc"], start: "2017-01-01T00:00:00Z", rows, ...(pace === undefined ? {} : { pace }) }
  }))
})

/** Frames that the server has prepared, all at once. */
export const burst = (rows: number): Measure.Suite =>
  suite(`${rows.toLocaleString("en-US")} live frames at once, prepared by the server`, ["liveBare", "liveSluice"], rows)

/** Frames one by one. */
export const paced: Measure.Suite = suite(
  "3,000 live frames, one each millisecond: from sending to the callback",
  onePerFrame,
  3_000,
  1
)

const against = (rounds: Report.Rounds, figure: Report.Figure, label = sluice) =>
  Report.ratio(rounds, label, bare, figure)

/** The base of both. */
export const base = () => bare

/** The bounds of {@link burst}. */
export const burstBounds = (rounds: Report.Rounds): ReadonlyArray<Report.Verdict> => [
  { bound: "live frames at once, time ratio", figure: against(rounds, Report.seconds), limit: 1.1 }
]

/** The bounds of {@link paced}. */
export const pacedBounds = (rounds: Report.Rounds): ReadonlyArray<Report.Verdict> => [
  { bound: "live frames, median delay, ratio", figure: against(rounds, Report.delay), limit: 1.1 },
  {
    bound: "live frames, median delay to runForEachArray, ratio",
    figure: against(rounds, Report.delay, callback),
    limit: 1.1
  }
]

const micros = (seconds: number) => `${Math.round(seconds * 1e6)} µs`

/** Writes the table of {@link paced}. */
export const delays = (rounds: Report.Rounds): string =>
  Report.align([
    ["case", "median delay", "ratio"],
    ...[bare, stream, sluice, callback].map((label) => [
      label,
      micros(Report.typical(rounds, label, Report.delay)),
      Report.ratio(rounds, label, bare, Report.delay).toFixed(2)
    ])
  ])
