/** The rows of the metrics of an entity, written on demand (docs/interface.md 4.6.2, 4.6.3 and 3.12). */
import type { Dialect } from "../Dialect.ts"
import * as History from "../internal/history/History.ts"
import * as Value from "../internal/history/Value.ts"
import { below, mix, seed } from "../internal/random/Noise.ts"
import { DAY, nanos, TODAY } from "../internal/time/Calendar.ts"
import type { Asset } from "./Assets.ts"
import * as Blocks from "./Blocks.ts"
import * as Forks from "./chain/Forks.ts"
import type { Frequency } from "./Frequency.ts"
import * as Rows from "./Rows.ts"
import * as Span from "./Span.ts"

export const statuses = ["all", "flash", "reviewed", "revised"] as const

export interface Column {
  readonly metric: string
  readonly isReviewed: boolean
  /** Outside it the metric has no value, though the series goes on. */
  readonly span: Span.Span
  /** Writes the value of an instant, and of a number that stands for it; nothing where there is none. */
  readonly write: (ms: number, n: number) => string | undefined
}

export interface Entity {
  readonly id: string
  readonly seed: number
  /** The fields that name it, as JSON without its braces. */
  readonly head: string
  readonly columns: ReadonlyArray<Column>
}

export interface Shown {
  readonly status: (typeof statuses)[number]
  readonly nullAsZero: boolean
  /** How a value that there is not is written (docs/interface.md 3.12). */
  readonly noValue: Dialect["noValue"]
  /** What the past looks like now, where it changes. */
  readonly view?: History.View | undefined
}

export const plain = (noValue: Dialect["noValue"], view?: History.View): Shown => ({
  status: "all",
  nullAsZero: false,
  noValue,
  view
})

/** How far a value has come, where the past does not change, and since when. */
const reviewed = (entity: number, salt: number, ms: number, n: number) => {
  const isRevised = mix(entity, Math.floor(ms / DAY)) % 50 === 0
  const status = ms > TODAY - 2 * DAY ? "flash" : isRevised ? "revised" : "reviewed"
  return { status, since: ms + (status === "flash" ? 1 : 2) * DAY + below(salt, n, 3600) * 1000 }
}

const cellOf = ({ id, seed: entity }: Entity, column: Column, shown: Shown, frequency: string) => {
  const { isReviewed, metric, span, write } = column
  const { noValue, nullAsZero, status: asked, view } = shown
  const salt = seed(metric) ^ entity
  const key = `,"${metric}":`
  const isAbsent = noValue === "absent"
  const missing = nullAsZero ? `${key}"0"` : isAbsent ? "" : `${key}null`
  const knownAt = view && Value.knower(view, id, metric, frequency, isReviewed)
  const statusKey = `,"${metric}-status":`
  const timeKey = `,"${metric}-status-time":`
  const unknown = isAbsent ? missing : `${missing}${statusKey}null${timeKey}null`
  return (ms: number, n: number, end: number): string => {
    const isOutside = ms < span.from || ms > span.to
    const known = knownAt?.(ms, end)
    const text = isOutside || known?.isMissing === true ? undefined : write(ms, n)
    const value = text === undefined ? missing : `${key}"${Value.corrected(text, known?.left ?? 0, salt)}"`
    if (!isReviewed) return value
    if (isOutside || (known !== undefined && known.status === undefined)) return unknown
    const { since, status } = known ?? reviewed(entity, salt, ms, n)
    return `${asked === "all" || asked === status ? value : missing}${statusKey}"${status}"${timeKey}"${nanos(since)}"`
  }
}

/** A row is published with the first of its values. */
const delayOf = (columns: ReadonlyArray<Column>, { view }: Shown, frequency: string): number | undefined =>
  view && Math.min(...columns.map(({ metric }) => History.delay(view, metric, frequency)))

/** The rows of an entity on a grid; with `isOfStretches` they tell of the time until the next, and are published then. */
export const grid = (entity: Entity, frequency: Frequency, shown: Shown, isOfStretches: boolean): Rows.Rows => {
  const { columns, head, id } = entity
  const cells = columns.map((column) => cellOf(entity, column, shown, frequency.name))
  const row = (n: number) => {
    const ms = frequency.at(n)
    let text = `{${head},"time":"${nanos(ms)}"`
    // The number of the minute, not of the row, so that an instant has the same digits at every frequency.
    const minute = Math.floor(ms / 60_000)
    const end = isOfStretches ? frequency.at(n + 1) : ms
    for (const cell of cells) text += cell(ms, minute, end)
    return `${text}}`
  }
  const whole = columns.map(({ span }) => span).reduce((all, span) => Span.union(all, span))
  const rows = (isOfStretches ? Rows.perStretch : Rows.onGrid)(id, frequency, whole, row)
  return { ...rows, delay: delayOf(columns, shown, frequency.name) }
}

/** The rows of an asset block by block, ordered by height; those with enough confirmations. */
export const blocks = (
  asset: Asset,
  entity: Entity,
  shown: Shown,
  confirmations: number | undefined,
  by: "time" | "height",
  forks = 1
): Rows.Rows => {
  const { columns, head, id } = entity
  const cells = columns.map((column) => cellOf(entity, column, shown, "1b"))
  const rowWith = (hashOf: (height: number) => string) => {
    // Rows ascend, so the parent of one row is nearly always the block of the row before.
    let parentHeight = Number.NaN
    let parentHash = ""
    return (height: number) => {
      const ms = Blocks.timeAt(asset, height)
      const parent = parentHeight === height - 1 ? parentHash : hashOf(height - 1)
      parentHash = hashOf(height)
      parentHeight = height
      let text = `{${head},"time":"${nanos(ms)}","block_hash":"${parentHash}"`
      text += `,"parent_block_hash":"${parent}","height":"${height}"`
      for (const cell of cells) text += cell(ms, height, ms)
      return `${text}}`
    }
  }
  const hashBy = (now: number) => (height: number) => {
    const left = Forks.leftAt(asset, height, forks)
    return left !== undefined && Blocks.timeAt(asset, left.until) > now ? left.hash : Blocks.hash(asset, height)
  }
  const from = (ms: number) => Blocks.from(asset, ms)
  const onTop = confirmations ?? Blocks.confirmations(asset)
  return {
    entity: id,
    isSequential: true,
    timeAt: (height) => ({ ms: Blocks.timeAt(asset, height), nanos: 0 }),
    bounds: { first: from(Math.min(...columns.map(({ span }) => span.from))), last: Blocks.last(asset) - onTop },
    row: rowWith((height) => Blocks.hash(asset, height)),
    rowBy: forks === 1 ? undefined : (ms) => rowWith(hashBy(ms)),
    published: { until: (ms) => from(ms + 1) - onTop },
    delay: delayOf(columns, shown, "1b"),
    from: Rows.atWholeMs(from),
    key: by === "height" ? undefined : { at: (height) => Blocks.timeAt(asset, height), from }
  }
}
