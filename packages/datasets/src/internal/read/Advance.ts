/**
 * How far an entity is after some of its records were read.
 */
import * as Struct from "effect/Struct"
import * as Bounds from "../model/Bounds.ts"
import type { Definition } from "../model/Definition.ts"
import * as Moment from "../model/Moment.ts"
import * as RunRequests from "../plan/RunRequests.ts"
import type { SeriesParams } from "../model/SeriesParams.ts"
import type { Cursor, Hole, Span, Time } from "../model/Store.ts"
import { mostHoles, type Seen } from "./Tracker.ts"

/** What was read. */
export interface Read {
  readonly subject: SeriesParams
  readonly definition: Definition
  readonly span: Span
  readonly reason: RunRequests.Reason
  /** What its records were; nothing where there were none. */
  readonly seen: Seen | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * What of a span that a cache has read now may be other by the next call: the look-back, and what is behind the last record, as a service
 * may be further behind than that.
 */
const settled = ({ last, provisional }: Cursor, span: Span, { definition, now }: Reading) => {
  const young = Moment.earlier(Moment.ofMillis(now), definition.lookBack)
  const behind = last === null ? null : Moment.next(last)
  const from = behind === null || behind < young ? behind : young
  return provisional?.flatMap((one) =>
    one.looked === now && isCovered(one, span)
      ? Bounds.both(one, { from, to: null }).map((part) => ({ ...part, looked: now }))
      : [one]
  )
}

/** What of a read a cursor follows from where it has the same records as before. */
type Reading = Pick<Read, "definition" | "now">

/** Gives the cursor after a span was read that has the same records as before. */
export const withRead = (cursor: Cursor, span: Span, reading: Reading): Cursor => {
  const left = (cursor.todo ?? []).filter((part) => !isCovered(part, span))
  const provisional = settled(cursor, span, reading)
  return {
    ...Struct.omit(cursor, ["todo"]),
    ...(left.length === 0 ? {} : { todo: left }),
    ...(provisional === undefined ? {} : { provisional })
  }
}

/** Gives the cursor after a span was read. */
export const advance = (cursor: Cursor, read: Read): Cursor => {
  const { now, seen, span } = read
  const last = lastOf(cursor, read)
  const rest = Struct.omit(withRead({ ...cursor, last }, span, read), ["gone", "holes", "open", "seen"])
  const first = firstOf(cursor, seen)
  const next: Cursor = {
    ...rest,
    ...(first === undefined ? {} : { first }),
    last,
    ...paceOf(cursor, seen)
  }
  const tail = RunRequests.tailOf(read, next)
  const open = openOf(cursor, read)
  const isOld = open !== undefined && now - Moment.millisOf(open[0]) > Bounds.longestReview
  const waiting: ReadonlyArray<readonly [Time, Time]> = isOld
    ? [[Moment.floor(open[0]), Moment.nextMilli(open[1])]]
    : []
  const holes = holesOf(cursor, next, read, waiting)
  const isBeforeTail = open !== undefined && !isOld && (tail === undefined || open[0] < tail)
  return {
    ...next,
    ...(isBeforeTail ? { open: open[0] } : {}),
    ...(holes.length === 0 ? {} : { holes })
  }
}

const isCovered = ({ from, to }: { readonly from: Time | null; readonly to: Time | null }, span: Span): boolean =>
  (span.from === undefined || (from !== null && span.from <= from)) &&
  (span.to === undefined || (to !== null && to <= span.to))

const firstOf = ({ first }: Cursor, seen: Seen | undefined): Time | undefined =>
  seen === undefined || (first !== undefined && first < seen.first) ? first : seen.first

const lastOf = (cursor: Cursor, { seen, span }: Read): Time | null => {
  const { last } = cursor
  if (seen !== undefined) return last === null || seen.last > last || isBehind(span, last) ? seen.last : last
  // What was there is there no more: the next run looks back from here.
  return last !== null && isBehind(span, last) ? (span.from ?? null) : last
}

/** Whether a span has all from a time on. */
const isBehind = ({ from, to }: Span, time: Time): boolean => to === undefined && (from === undefined || from <= time)

const day = 86_400_000n * 1_000_000n

const paceOf = ({ pace }: Cursor, seen: Seen | undefined) => {
  const [first, last] = [Moment.nanosOf(seen?.first ?? ""), Moment.nanosOf(seen?.last ?? "")]
  if (seen === undefined || first === undefined || last === undefined || last - first < day / 24n) {
    return pace === undefined ? {} : { pace }
  }
  return { pace: Math.ceil((seen.count * Number(day)) / Number(last - first)) }
}

const openOf = ({ open }: Cursor, { seen, span }: Read): readonly [Time, Time] | undefined => {
  const isRead =
    open === undefined || ((span.from === undefined || span.from <= open) && (span.to === undefined || open < span.to))
  if (isRead) return seen?.open
  return seen?.open === undefined || open < seen.open[0] ? [open, seen?.open?.[1] ?? open] : seen.open
}

const holesOf = (
  cursor: Cursor,
  { first, last }: Cursor,
  read: Read,
  waiting: ReadonlyArray<readonly [Time, Time]>
): ReadonlyArray<Hole> => {
  const { now, seen, span } = read
  const old = cursor.holes ?? []
  const kept = old.flatMap((hole) => outside(hole, span))
  if (seen?.isSparse === true) return kept.slice(0, mostHoles)
  const found = [...gapsOf(old, read), ...waiting].map(([from, to]): Hole => {
    const before = old.find((hole) => hole.from < to && from < hole.to)
    const isAsked = before !== undefined && RunRequests.isDue(before, now)
    return {
      from,
      to,
      tries: (before?.tries ?? 0) + (isAsked ? 1 : 0),
      asked: isAsked ? now : (before?.asked ?? now)
    }
  })
  // What is missing before the first record is no hole, and what is missing behind the last is asked for by every run.
  const isBetween = ({ from, to }: Hole) => first !== undefined && last !== null && to > first && from < last
  const all = joined([...kept, ...found].filter(isBetween).toSorted((a, b) => (a.from < b.from ? -1 : 1)))
  return all.length > mostHoles ? [] : all
}

/** What of a hole was not asked for. */
const outside = (hole: Hole, { from, to }: Span): ReadonlyArray<Hole> => {
  if ((from !== undefined && hole.to <= from) || (to !== undefined && hole.from >= to)) return [hole]
  return [
    ...(from !== undefined && hole.from < from ? [{ ...hole, to: from }] : []),
    ...(to !== undefined && hole.to > to ? [{ ...hole, from: to }] : [])
  ]
}

/** Holes as they are, of which those that meet, and were asked for together, are one. */
const joined = (holes: ReadonlyArray<Hole>): ReadonlyArray<Hole> => {
  const all: Array<Hole> = []
  for (const hole of holes) {
    const before = all.at(-1)
    const isAlike = before?.asked === hole.asked && before.tries === hole.tries
    if (before === undefined || before.to < hole.from || (before.to === hole.from && !isAlike)) all.push(hole)
    else all[all.length - 1] = { ...before, to: hole.to > before.to ? hole.to : before.to }
  }
  return all
}

/** Missing times between the records that were read, and before the first and behind the last of them. */
const gapsOf = (old: ReadonlyArray<Hole>, read: Read): ReadonlyArray<readonly [Time, Time]> => {
  const { reason, seen, span, subject } = read
  const { every } = subject
  const { from, to } = span
  if (every === undefined) return []
  // A request for holes may be for those of many entities, and only some of its times are missing here. Another may begin and end
  // at any time, so it takes a whole step to tell that a record is missing.
  const wasMissing = (begin: Time, end: Time) => old.some((hole) => hole.from < end && begin < hole.to)
  const isMissing = (begin: Time, end: Time) =>
    reason === "hole" ? begin < end && wasMissing(begin, end) : Moment.later(begin, every) <= end
  if (seen === undefined) {
    if (from === undefined || to === undefined) return []
    if (reason !== "hole") return isMissing(from, to) ? [[from, to]] : []
    // A hole may reach into other periods, of which other requests are.
    return old.flatMap((hole) => {
      const [begin, end] = [hole.from > from ? hole.from : from, hole.to < to ? hole.to : to]
      return begin < end ? [[begin, end] as const] : []
    })
  }
  const next = Moment.later(seen.last, every)
  return [
    ...(from !== undefined && isMissing(from, seen.first) ? [[from, seen.first] as const] : []),
    ...seen.gaps,
    ...(to !== undefined && next < to && (reason !== "hole" || wasMissing(next, to)) ? [[next, to] as const] : [])
  ]
}
