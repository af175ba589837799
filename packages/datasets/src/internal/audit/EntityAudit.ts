/**
 * The audit of one entity: its records pass by in batches, and what is known of them at the end is told then.
 */
import * as Duration from "effect/Duration"
import * as Moment from "../model/Moment.ts"
import type { Cursor, Series, Time } from "../model/Store.ts"
import * as Days from "./Days.ts"
import type { Condition, Found } from "./Finding.ts"
import * as Grid from "./Grid.ts"
import * as Notes from "./Notes.ts"
import * as Outliers from "./Outliers.ts"
import * as ReadColumns from "./ReadColumns.ts"
import * as RecordChecks from "./RecordChecks.ts"
import type { Checks } from "./Rules.ts"
import * as Sequence from "./Sequence.ts"
import * as StaleRuns from "./StaleRuns.ts"

/** What an audit knows of a series. */
export interface Audited {
  /** As in a series: what tells records of one time apart. */
  readonly identity: Series["identity"]
  readonly checks: Checks
  /** Absent where records come at any time. */
  readonly every: Grid.Every | undefined
  /** In milliseconds since 1970: the first moment, and the first behind the last. */
  readonly from: number
  readonly to: number
  readonly now: number
  /** Milliseconds after which the last record is too old; absent where no age is. */
  readonly maxAge: number | undefined
}

const momentOf = (time: Time | null | undefined) =>
  time === undefined || time === null ? undefined : Moment.millisOf(time)

const offGridReason = () => "is at no time of the frequency"

/** Begins with an entity. */
export const make = (audited: Audited, entity: string, cursor: Cursor | undefined, told: (found: Found) => void) => {
  const { checks, every, from, now, to } = audited
  const days = Days.make(entity)
  const tell = (found: Found) => {
    if (found.kind !== "badTime") days.degrade(Moment.millisOf(found.from), Moment.millisOf(found.to))
    told(found)
  }
  const notes = Notes.make(entity, tell)
  const sequence = Sequence.make(audited.identity, notes)
  const grid = every && Grid.make(every)
  const millisOf = ReadColumns.makeMillis()
  const faultOf = Moment.makeCheck()
  const follows = checks.fields.map(({ name, rule }) => ({
    name,
    stale: rule.isStale && StaleRuns.make(),
    outliers:
      rule.outliers &&
      Outliers.make(rule.outliers, ({ at, usual, value }) => {
        const reason = `${name} is ${value}, and those around it are about ${usual}`
        tell({ kind: "outlier", entity, field: name, from: at, to: at, count: 1, reason })
      })
  }))
  let records = 0
  let last = Number.NaN

  /** Those in the range whose times exist. */
  const sound = (all: ReadonlyArray<unknown>) => {
    const times = ReadColumns.timesOf(all)
    const places: Array<number> = []
    for (const [at, time] of times.entries()) {
      const fault = faultOf(time)
      if (fault !== undefined) {
        const reason = () => `${fault}: ${time}`
        notes.add({ kind: "badTime", time, index: records + at, reason })
      } else {
        const millis = millisOf(time)
        if (millis >= from && millis < to) places.push(at)
      }
    }
    return places.length === all.length
      ? { own: all, times }
      : { own: places.map((at) => all[at]), times: places.map((at) => times[at]!) }
  }

  const followGrid = ({ millis, times }: ReadColumns.ReadColumns, { all, displaced }: Sequence.Left) => {
    for (let at = 0; at < millis.length; at++) {
      const time = millis[at]!
      days.add(time)
      if (!(time <= last)) last = time
      if (grid === undefined || (all.has(at) && !displaced.has(at))) continue
      if (!grid.has(time) || !ReadColumns.isWhole(times[at]!)) {
        notes.add({ kind: "offGrid", time: times[at]!, index: records + at, reason: offGridReason })
      } else if (displaced.has(at)) grid.addStray(time)
      else grid.add(time)
    }
  }

  const see = (batch: ReadonlyArray<unknown>) => {
    const { own, times } = sound(batch)
    const columns = ReadColumns.of(own, times, checks.fields, millisOf)
    const left = sequence.see(own, times, records)
    RecordChecks.check(checks, columns, records, notes)
    followGrid(columns, left)
    for (const [place, { outliers, stale }] of follows.entries()) {
      const column = columns.values[place]!
      for (let at = 0; at < column.length; at++) {
        if (left.all.size > 0 && left.all.has(at)) continue
        outliers?.add(column[at]!, times[at]!)
        stale?.add(column[at]!, times[at]!)
      }
    }
    records += own.length
  }

  const findHoles = (grid: Grid.Grid, { millis }: Grid.Every) => {
    const { first, last: end } = grid.bounds()
    const begin = Math.max(from, momentOf(cursor?.first) ?? first)
    const behind = Math.min(to - millis, momentOf(cursor?.last) ?? end)
    const { count, gaps, isSparse } = grid.end(begin, behind, (time) => {
      const at = Moment.ofMillis(time)
      tell({ kind: "repeat", entity, from: at, to: at, count: 1, reason: "is there more than once" })
    })
    const unread = (cursor?.todo ?? []).map((one) => ({
      from: one.from === null ? -Infinity : Moment.millisOf(one.from),
      to: one.to === null ? Infinity : Moment.millisOf(one.to)
    }))
    // A record beside the grid may be the first or the last: what would be a hole there has no time of the grid.
    const known = gaps.filter(
      (gap) => gap.from + millis <= gap.to && !unread.some((one) => one.from < gap.to && gap.from < one.to)
    )
    for (const one of unread) days.await(Math.max(one.from, begin), Math.min(one.to - 1, behind))
    const [one] = known
    const foundOf = ({ from: start, to: stop }: Grid.Gap, missing: number, reason: string): Found => ({
      kind: "hole",
      entity,
      from: Moment.ofMillis(start),
      to: Moment.ofMillis(stop - millis),
      count: missing,
      reason
    })
    for (const gap of known) days.miss(gap.from, gap.to - 1)
    if (isSparse && one !== undefined) {
      const reason = `${count} records are missing in ${gaps.length} places, more than are there`
      tell(foundOf({ from: one.from, to: known.at(-1)!.to }, count, reason))
      return
    }
    for (const gap of known) {
      const missing = grid.slotsOf(gap)
      tell(foundOf(gap, missing, missing === 1 ? "a record is missing" : `${missing} records are missing`))
    }
  }

  /** What may still come, or is late: behind the last record that is held, up to now. */
  const findLate = () => {
    const behind = Number.isNaN(last) ? undefined : Math.max(last, momentOf(cursor?.last) ?? last)
    if (behind === undefined || cursor?.gone !== undefined || to <= now) return
    const age = now - behind
    const isLate = audited.maxAge !== undefined && age > audited.maxAge
    if (isLate) {
      const at = Moment.ofMillis(behind)
      const reason = `the last record is ${Duration.format(Duration.minutes(Math.floor(age / 60_000)))} old`
      told({ kind: "late", entity, from: at, to: at, count: 1, reason })
      days.miss(behind + Days.day, now)
    } else days.await(Days.dayOf(behind + (every?.millis ?? 0)) * Days.day, now)
  }

  const end = (): { readonly conditions: ReadonlyArray<Condition>; readonly records: number } => {
    notes.end()
    for (const { name, outliers, stale } of follows) {
      outliers?.end()
      for (const run of stale?.end() ?? []) {
        const reason = `${name} stays ${run.value} over ${run.count} records`
        tell({ kind: "stale", entity, field: name, from: run.from, to: run.to, count: run.count, reason })
      }
    }
    if (grid !== undefined && every !== undefined) findHoles(grid, every)
    findLate()
    return { conditions: days.end(), records }
  }

  return {
    see,
    /** Records of these times were in a file that is no longer there. */
    lose: (first: Time, until: Time) => days.miss(Moment.millisOf(first), Moment.millisOf(until)),
    end
  }
}

/** The audit of one entity. */
export type EntityAudit = ReturnType<typeof make>
