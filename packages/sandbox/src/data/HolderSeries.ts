/**
 * The rows of the metrics of exchanges, pairs, institutions and markets, written on demand (docs/interface.md 3.12). Which
 * metrics there are, and from when to when, says `Coverage`, as it does for the catalogs.
 */
import { at, DAY, nanos, TODAY } from "../internal/time/Calendar.ts"
import type { Caller } from "../internal/request/Caller.ts"
import type { Holder } from "./Coverage.ts"
import type { Frequency } from "./Frequency.ts"
import * as History from "../internal/history/History.ts"
import * as Value from "../internal/history/Value.ts"
import { below, curve, seed } from "../internal/random/Noise.ts"
import type { MetricRecord } from "./OtherMetrics.ts"
import * as Rows from "./Rows.ts"
import * as Span from "./Span.ts"
import * as Values from "./Values.ts"

/** From when to when a holder has a metric at a frequency; undefined when it lacks it. */
export const spanOf = (holder: Holder, metric: string, frequency: string): Span.Span | undefined => {
  const entry = holder.entries(metric).find((entry) => entry.frequency === frequency)
  return entry === undefined ? undefined : { from: at(entry.min_time), to: at(entry.max_time) }
}

const isShare = ({ type }: MetricRecord): boolean => type === "Percentage" || type === "Ratio"

/** To whom a series is shown: by which words, and as it is seen now, where the past changes. */
type Shown = Pick<Caller, "dialect" | "view">

/** Writes the cells of a metric: without a value outside its span, though the series goes on. */
const column = (
  holder: Holder,
  record: MetricRecord,
  span: Span.Span,
  grid: Frequency,
  { dialect: { noValue }, view }: Shown
) => {
  const key = `,"${record.metric}":`
  const salt = seed(`${holder.id} ${record.metric}`)
  const size = isShare(record) ? 1 : 10 ** (3 + below(salt, 1, 6))
  const write = (ms: number, n: number): string => {
    const value = size * (0.2 + curve(salt, ms / (3 * DAY)))
    return record.data_type === "bigint" ? Values.integer(value) : Values.decimal(value, salt, n)
  }
  const isReviewed = record.reviewable === true
  const values = view && Value.make(view, holder.id, record.metric, grid.name, isReviewed)
  const isAbsent = noValue === "absent"
  const final: Value.Known = { left: 0, isMissing: false, status: undefined, since: 0 }
  return (ms: number, end: number): string => {
    const known = (view && values && Value.known(view, values, ms, end)) ?? final
    const isMissing = ms < span.from || ms > span.to || known.isMissing
    // The number of the minute, so that an instant has the same digits at every frequency.
    const text = isMissing ? "" : Value.corrected(write(ms, Math.floor(ms / 60_000)), known.left, salt)
    const cell = isMissing ? (isAbsent ? "" : `${key}null`) : `${key}"${text}"`
    if (!isReviewed) return cell
    const statusKey = `,"${record.metric}-status":`
    const timeKey = `,"${record.metric}-status-time":`
    if (known.status !== undefined) return `${cell}${statusKey}"${known.status}"${timeKey}"${nanos(known.since)}"`
    if (known !== final) return isAbsent ? cell : `${cell}${statusKey}null${timeKey}null`
    const status = ms > TODAY - 2 * DAY ? "flash" : "reviewed"
    return `${cell}${statusKey}"${status}"${timeKey}"${nanos(ms + DAY)}"`
  }
}

/** The rows of a holder on a grid, with the metrics it has there; `head` is what names it, as JSON without its braces. */
export const rows = (
  holder: Holder,
  head: string,
  grid: Frequency,
  metrics: ReadonlyArray<MetricRecord>,
  shown: Shown
): Rows.Rows => {
  const { view } = shown
  const spans = metrics.flatMap((metric) => {
    const span = spanOf(holder, metric.metric, grid.name)
    return span === undefined ? [] : [{ metric, span }]
  })
  const cells = spans.map(({ metric, span }) => column(holder, metric, span, grid, shown))
  const whole = spans.map(({ span }) => span).reduce((all, span) => Span.union(all, span))
  const row = (place: number): string => {
    const ms = grid.at(place)
    const end = grid.at(place + 1)
    let text = `{${head},"time":"${nanos(ms)}"`
    for (const cell of cells) text += cell(ms, end)
    return `${text}}`
  }
  if (view === undefined) return Rows.onGrid(holder.id, grid, whole, row)
  const delay = Math.min(...spans.map(({ metric }) => History.delay(view, metric.metric, grid.name)))
  return { ...Rows.perStretch(holder.id, grid, whole, row), delay }
}
