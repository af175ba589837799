/**
 * The rows of the metrics of exchanges, pairs, institutions and markets, written on demand (docs/interface.md 3.12). Which
 * metrics there are, and from when to when, says `Coverage`, as it does for the catalogs.
 */
import { at, DAY, nanos, TODAY } from "../internal/time/Calendar.ts"
import type { Holder } from "./Coverage.ts"
import type { Frequency } from "./Frequency.ts"
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

/** Writes the cells of a metric: null outside its span, though the series goes on. */
const column = (holder: Holder, record: MetricRecord, span: Span.Span) => {
  const key = `,"${record.metric}":`
  const salt = seed(`${holder.id} ${record.metric}`)
  const size = isShare(record) ? 1 : 10 ** (3 + below(salt, 1, 6))
  const write = (ms: number, n: number): string => {
    const value = size * (0.2 + curve(salt, ms / (3 * DAY)))
    return record.data_type === "bigint" ? Values.integer(value) : Values.decimal(value, salt, n)
  }
  return (ms: number): string => {
    // The number of the minute, so that an instant has the same digits at every frequency.
    const cell = ms < span.from || ms > span.to ? `${key}null` : `${key}"${write(ms, Math.floor(ms / 60_000))}"`
    if (record.reviewable !== true) return cell
    const status = ms > TODAY - 2 * DAY ? "flash" : "reviewed"
    return `${cell},"${record.metric}-status":"${status}","${record.metric}-status-time":"${nanos(ms + DAY)}"`
  }
}

/** The rows of a holder on a grid, with the metrics it has there; `head` is what names it, as JSON without its braces. */
export const rows = (
  holder: Holder,
  head: string,
  grid: Frequency,
  metrics: ReadonlyArray<MetricRecord>
): Rows.Rows => {
  const spans = metrics.flatMap((metric) => {
    const span = spanOf(holder, metric.metric, grid.name)
    return span === undefined ? [] : [{ metric, span }]
  })
  const cells = spans.map(({ metric, span }) => column(holder, metric, span))
  const whole = spans.map(({ span }) => span).reduce((all, span) => Span.union(all, span))
  return Rows.onGrid(holder.id, grid, whole, (place) => {
    const ms = grid.at(place)
    let text = `{${head},"time":"${nanos(ms)}"`
    for (const cell of cells) text += cell(ms)
    return `${text}}`
  })
}
