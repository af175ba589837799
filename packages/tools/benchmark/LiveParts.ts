/**
 * Live streams beside a bare loop over a WebSocket: frames that come at once, and the delay of frames that come one by one.
 */
import { cases, type Name } from "./Cases.ts"
import type * as Measure from "./Measure.ts"
import * as Report from "./Report.ts"
import * as Server from "./Server.ts"
import type { Workload } from "./Workload.ts"

const [bare, stream, sluice, callback] = [
  cases.liveBare.label,
  cases.liveStream.label,
  cases.liveSluice.label,
  cases.liveCallback.label
]

/** With what every reader that is an Effect stream costs, however its records come, and with a function in place of a stream. */
const onePerFrame = ["liveBare", "liveStream", "liveSluice", "liveCallback"] as const

const suite = (
  title: string,
  names: ReadonlyArray<Name>,
  rows: number,
  how: Pick<Workload, "pace" | "warmUp" | "held"> = {}
): Measure.Suite => ({
  title,
  server: Server.frames,
  entries: names.map((name) => ({
    label: cases[name].label,
    name,
    workload: { assets: ["btc"], start: "2017-01-01T00:00:00Z", rows, ...how }
  }))
})

/** Frames that the server has prepared, all at once. */
export const burst = (rows: number): Measure.Suite =>
  suite(`${rows.toLocaleString("en-US")} live frames at once, prepared by the server`, ["liveBare", "liveSluice"], rows)

/** The same as the first thing that a process reads. */
export const coldBurst: Measure.Suite = suite(
  "200,000 live frames at once, in a process of 10 MB that has read nothing",
  ["liveBare", "liveSluice", "liveCallback"],
  200_000,
  { warmUp: 0, held: 10 }
)

/** Frames one by one. */
export const paced = {
  paced: suite("3,000 live frames, one each millisecond: from sending to the callback", onePerFrame, 3_000, {
    pace: 1
  }),
  warm: suite("300 live frames, 50 a second, after 100,000 at once", onePerFrame, 300, { pace: 20, warmUp: 100_000 }),
  cold: suite("300 live frames, 50 a second, in a process that has read nothing", onePerFrame, 300, {
    pace: 20,
    warmUp: 0
  })
} satisfies Readonly<Record<string, Measure.Suite>>

const against = (rounds: Report.Rounds, figure: Report.Figure, label = sluice) =>
  Report.ratio(rounds, label, bare, figure)

/** The base of both. */
export const base = () => bare

/** The bounds of {@link burst}. */
export const burstBounds = (rounds: Report.Rounds): ReadonlyArray<Report.Verdict> => [
  { bound: "live frames at once, time ratio", figure: against(rounds, Report.seconds), limit: 1.1 }
]

/** The bounds of {@link coldBurst}. */
export const coldBurstBounds = (rounds: Report.Rounds): ReadonlyArray<Report.Verdict> =>
  [sluice, callback].map((label) => ({
    bound: `live frames at once, peak memory ratio: ${label}`,
    figure: against(rounds, Report.peak, label),
    limit: 1.37
  }))

/** The bounds of frames that come each millisecond. */
export const pacedBounds = (rounds: Report.Rounds): ReadonlyArray<Report.Verdict> => [
  { bound: "live frames, median delay, ratio", figure: against(rounds, Report.delay), limit: 1.1 },
  {
    bound: "live frames, median delay to runForEachArray, ratio",
    figure: against(rounds, Report.delay, callback),
    limit: 1.1
  }
]

const micros = (seconds: number) => `${Math.round(seconds * 1e6)} µs`

/** Writes a table of {@link paced}. */
export const delays = (rounds: Report.Rounds): string =>
  Report.align([
    ["case", "median delay", "ratio"],
    ...[bare, stream, sluice, callback].map((label) => [
      label,
      micros(Report.typical(rounds, label, Report.delay)),
      Report.ratio(rounds, label, bare, Report.delay).toFixed(2)
    ])
  ])
