/**
 * The rows of one asset's series, written on demand (docs/interface.md 4.6.2 and 3.12).
 */
import type { Dialect } from "../Dialect.ts"
import type { Asset } from "./Assets.ts"
import * as Blocks from "./Blocks.ts"
import { DAY, nanos, TODAY } from "../internal/time/Calendar.ts"
import * as History from "../internal/history/History.ts"
import * as Value from "../internal/history/Value.ts"
import * as Frequency from "./Frequency.ts"
import type { Metric } from "./Metrics.ts"
import { below, mix, seed } from "../internal/random/Noise.ts"
import * as Rows from "./Rows.ts"
import * as Values from "./Values.ts"

/** How far a reviewable value has come. */
export const statuses = ["all", "flash", "reviewed", "revised"] as const

export type Status = (typeof statuses)[number]

/** What to put into the rows. */
export interface Columns {
  readonly metrics: ReadonlyArray<Metric>
  readonly status: Status
  readonly nullAsZero: boolean
  /** How a value that there is not is written (docs/interface.md 3.12). */
  readonly noValue: Dialect["noValue"]
  /** What the past looks like now, where it changes. */
  readonly view?: History.View | undefined
}

/** Tells whether a metric exists for an asset at a frequency. */
export const supports = (metric: Metric, asset: Asset, frequency: string): boolean => {
  if (!metric.has(asset)) return false
  if (frequency === "1b") return metric.frequencies.includes("1b") && Blocks.has(asset)
  if (Frequency.isFromHour(frequency)) return metric.frequencies.includes("1d-ny-close")
  // Only the larger assets are followed by the second and the minute.
  if (/^\d+s$/.test(frequency)) return metric.frequencies.includes(frequency) && asset.rank < 12
  if (/^\d+[mh]$/.test(frequency)) return metric.frequencies.includes(frequency) && asset.rank < 150
  return metric.frequencies.includes(frequency)
}

const statusAt = (asset: Asset, ms: number): Exclude<Status, "all"> =>
  ms > TODAY - 2 * DAY ? "flash" : mix(asset.seed, Math.floor(ms / DAY)) % 50 === 0 ? "revised" : "reviewed"

// One value in about three hundred of the slower estimates is missing, so that a row within a series lacks one too.
const isGap = (metric: Metric, asset: Asset, n: number): boolean =>
  metric.experimental && below(asset.seed + 5, n, 300) === 0

// A day's row stands at the day's start, so the first day counts although the first block came later.
const firstOf = (metric: Metric, asset: Asset, frequency: string): number => {
  const since = metric.since(asset)
  return frequency.startsWith("1d") ? Math.floor(since / DAY) * DAY : since
}

const column = (asset: Asset, metric: Metric, columns: Columns, frequency: string) => {
  const since = firstOf(metric, asset, frequency)
  const salt = seed(metric.metric) ^ asset.seed
  const key = `,"${metric.metric}":`
  const isAbsent = columns.noValue === "absent"
  const missing = columns.nullAsZero ? `${key}"0"` : isAbsent ? "" : `${key}null`
  const isWhole = metric.dataType === "bigint"
  const plain = (ms: number, n: number, left = 0): string => {
    if (ms < since || isGap(metric, asset, n)) return missing
    const value = metric.value(asset, ms)
    const text = isWhole ? String(Math.floor(value)) : Values.decimal(value, salt, n)
    return `${key}"${left === 0 ? text : Value.corrected(text, left, salt)}"`
  }
  const { view } = columns
  const values = view && Value.make(view, asset.asset, metric.metric, frequency, metric.reviewable)
  /** What is known of a value now; nothing where it stays as it is. */
  const knownOf = (ms: number, end: number) => view && values && Value.known(view, values, ms, end)
  if (!metric.reviewable) {
    return (ms: number, n: number, end: number): string => {
      const known = knownOf(ms, end)
      return known?.isMissing === true ? missing : plain(ms, n, known?.left)
    }
  }
  const statusKey = `,"${metric.metric}-status":`
  const timeKey = `,"${metric.metric}-status-time":`
  const unknown = isAbsent ? missing : `${missing}${statusKey}null${timeKey}null`
  return (ms: number, n: number, end: number): string => {
    const known = knownOf(ms, end)
    if (ms < since || (known !== undefined && known.status === undefined)) return unknown
    if (known?.status !== undefined) {
      const isAsked = columns.status === "all" || columns.status === known.status
      const text = isAsked && !known.isMissing ? plain(ms, n, known.left) : missing
      return `${text}${statusKey}"${known.status}"${timeKey}"${nanos(known.since)}"`
    }
    const status = statusAt(asset, ms)
    const text = columns.status === "all" || columns.status === status ? plain(ms, n) : missing
    const reviewed = ms + (status === "flash" ? 1 : 2) * DAY + below(salt, n, 3600) * 1000
    return `${text}${statusKey}"${status}"${timeKey}"${nanos(reviewed)}"`
  }
}

const head = (asset: Asset) => `{"asset":"${asset.asset}","time":"`

/** A row is published with the first of its values. */
const delayOf = ({ metrics, view }: Columns, frequency: string): number | undefined =>
  view && Math.min(...metrics.map(({ metric }) => History.delay(view, metric, frequency)))

/** The rows of an asset on a grid. */
export const grid = (asset: Asset, frequency: Frequency.Frequency, columns: Columns): Rows.Rows => {
  const start = head(asset)
  const cells = columns.metrics.map((metric) => column(asset, metric, columns, frequency.name))
  const isOfDays = frequency.name.startsWith("1d")
  const row = (n: number) => {
    const ms = frequency.at(n)
    let text = `${start}${nanos(ms)}"`
    // The number of the minute, not of the row, so that an instant has the same digits at every frequency.
    const minute = Math.floor(ms / 60_000)
    const end = isOfDays ? frequency.at(n + 1) : ms
    for (const cell of cells) text += cell(ms, minute, end)
    return `${text}}`
  }
  const since = Math.min(...columns.metrics.map((metric) => firstOf(metric, asset, frequency.name)))
  const place = isOfDays ? Rows.perStretch : Rows.onGrid
  return {
    ...place(asset.asset, frequency, { from: since, to: TODAY }, row),
    delay: delayOf(columns, frequency.name)
  }
}

/** The rows of an asset block by block, ordered by height; those with enough confirmations. */
export const blocks = (
  asset: Asset,
  columns: Columns,
  confirmations: number | undefined,
  by: "time" | "height"
): Rows.Rows => {
  const start = head(asset)
  const cells = columns.metrics.map((metric) => column(asset, metric, columns, "1b"))
  // Rows ascend, so the parent of one row is nearly always the block of the row before.
  let parentHeight = Number.NaN
  let parentHash = ""
  const row = (height: number) => {
    const ms = Blocks.timeAt(asset, height)
    const parent = parentHeight === height - 1 ? parentHash : Blocks.hash(asset, height - 1)
    parentHash = Blocks.hash(asset, height)
    parentHeight = height
    let text = `${start}${nanos(ms)}","block_hash":"${parentHash}"`
    text += `,"parent_block_hash":"${parent}","height":"${height}"`
    for (const cell of cells) text += cell(ms, height, ms)
    return `${text}}`
  }
  const from = (ms: number) => Blocks.from(asset, ms)
  const onTop = confirmations ?? Blocks.confirmations(asset)
  return {
    entity: asset.asset,
    isSequential: true,
    timeAt: (height) => ({ ms: Blocks.timeAt(asset, height), nanos: 0 }),
    bounds: {
      first: from(Math.min(...columns.metrics.map((metric) => metric.since(asset)))),
      last: Blocks.last(asset) - onTop
    },
    row,
    published: { until: (ms) => from(ms + 1) - onTop },
    delay: delayOf(columns, "1b"),
    from: Rows.atWholeMs(from),
    key: by === "height" ? undefined : { at: (height) => Blocks.timeAt(asset, height), from }
  }
}
