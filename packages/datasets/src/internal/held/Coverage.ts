/**
 * What a dataset knows of a range: the bookkeeping tells which times of each entity were read, whether there are records in them or not.
 */
import * as Params from "@sluice/core/Params"
import * as Bounds from "../model/Bounds.ts"
import * as LeftColumns from "../model/LeftColumns.ts"
import * as Moment from "../model/Moment.ts"
import * as RunRequests from "../plan/RunRequests.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Cursor, HeldRange, Kept, Time } from "../model/Store.ts"
import type { Asked } from "./Asked.ts"

/** Times of an entity that are not held. */
export interface Missing {
  /** An entity, or a wildcard of which the dataset does not have all. */
  readonly entity: string
  /** Absent from the beginning of the series. */
  readonly from?: Time | undefined
  /** Absent where it has no end. */
  readonly to?: Time | undefined
  /** Whether these times are behind all that is held of the entity: a sync is due. */
  readonly isLatest?: boolean
  /** The metric that is not held, where others may be. */
  readonly metric?: string
  /** Since when it is not asked for. */
  readonly since?: Time | undefined
  /** Whether the service refuses it, and not a job left it out. */
  readonly isRefused?: boolean
  /** As of moments up to this one, when runs still asked for it, there was nothing in these times. */
  readonly known?: Time | undefined
}

/** Where the two overlap; nothing where they do not. An end that is absent is that of the series. */
const both = (range: HeldRange, from: Time | null, to: Time | null) =>
  Bounds.both({ from: range.from ?? null, to: range.to ?? null }, { from, to }).map((one) => ({
    from: one.from ?? undefined,
    to: one.to ?? undefined
  }))

/** How recent what is held has to be: of any age where nothing may be asked. */
export interface Age extends Pick<Bounds.Freshness, "now"> {
  readonly maxAge?: number | undefined
}

/** Where the first record may be that the dataset does not have, behind all of an entity; nothing where none can be there yet. */
const behind = ({ every }: SeriesParams.SeriesParams, { from, last }: Cursor, now: Time): Time | null | undefined => {
  if (last === null) return from
  const next = every === undefined ? Moment.next(last) : Moment.later(last, every)
  // The record of an interval comes when it has ended.
  return (every === undefined ? next : Moment.later(next, every)) <= now ? next : undefined
}

/** What was read when it could still be revised or added to. */
interface Provisional extends Bounds.Bounds {
  /** Absent where it is not known when. */
  readonly looked?: number | undefined
}

/** What is provisional of an entity: what a run found to be empty is but within the look-back, where records may have come late. */
const provisionalOf = (
  { subject }: Asked,
  { begun, definition: { lookBack } }: Kept,
  cursor: Cursor,
  now: number
): ReadonlyArray<Provisional> => {
  const isKnown = begun !== undefined && begun >= 0 && begun <= now
  // Where the clock was ahead, or is behind now, it is only known that the last record was there.
  const looked = isKnown ? Moment.ofMillis(begun) : begun === undefined ? null : cursor.last
  // A run reads again from the last record on, which may be long before it looked.
  const latest = looked !== null && cursor.last !== null && cursor.last < looked ? cursor.last : looked
  const from = latest === null ? behind(subject, cursor, Moment.ofMillis(now)) : Moment.earlier(latest, lookBack)
  const tail = from === undefined ? [] : [{ from, to: null, looked: isKnown ? begun : undefined }]
  return cursor.provisional ?? tail
}

/** What of it a run would bring, because it was revised or is missing at the end; nothing where that is held. */
const unsettled = (
  { range, subject }: Asked,
  cursor: Cursor,
  { from, looked = -Infinity, to }: Provisional,
  { maxAge, now }: Age
): ReadonlyArray<Bounds.Bounds> => {
  if (maxAge !== undefined) return Bounds.isCurrent({ looked, to }, { now, maxAge }) ? [] : [{ from, to }]
  const next = behind(subject, cursor, Moment.ofMillis(now))
  // An end in the future is none.
  const isBounded = range.to !== undefined && range.to <= Moment.ofMillis(now)
  if (to !== null || next === undefined || !isBounded) return []
  const isKnown = looked >= 0 && looked <= now
  const behindAll = isKnown ? Bounds.laterOf(next, Moment.ofMillis(looked)) : next
  return [{ from: Bounds.laterOf(from, behindAll), to }]
}

/** The metrics of a range that an entity does not have, or of which it has what runs read before they left them. */
const apartOf = ({ range, subject }: Asked, { definition }: Kept, cursor: Cursor | undefined) => {
  const columns = SeriesParams.columnsOf(subject, definition)
  return range.metrics.filter((name) => !columns.includes(name) || cursor?.columns.includes(name) === false)
}

/** What of a range an entity does not have of such a metric. */
const ofMetric = (
  { range, subject }: Asked,
  { definition }: Kept,
  cursor: Cursor | undefined,
  { entity, metric }: { readonly entity: string; readonly metric: string }
): ReadonlyArray<Missing> => {
  const { refused, retired = [], retirements = {} } = definition
  const left = cursor && LeftColumns.leave(cursor, retired).left?.find(({ name }) => name === metric)
  const told = retirements[metric]
  const end = left && LeftColumns.endOf(left, subject.every, told)
  const isRetired = retired.includes(metric)
  const of = { entity, metric, ...(isRetired && { since: told?.at, isRefused: refused?.includes(metric) === true }) }
  if (left === undefined || end === undefined) return [{ ...of, from: range.from, to: range.to }]
  const isFromStart = left.from === null || left.from <= Moment.beginning
  const parts = [
    ...(isFromStart ? [] : both(range, null, left.from)),
    ...(left.todo ?? []).flatMap(({ from, to }) => both(range, from, to))
  ]
  return [
    ...parts.map((part) => ({ ...of, ...part })),
    ...both(range, end, null).map((behind) => ({ ...of, ...behind, known: told?.ended }))
  ]
}

const ofEntity = (
  asked: Asked,
  kept: Kept,
  cursor: Cursor | undefined,
  entity: string,
  isWanted: boolean,
  age: Age
): ReadonlyArray<Missing> => {
  const { range, subject } = asked
  const apart = apartOf(asked, kept, cursor)
  const ofMetrics = apart.flatMap((metric) => ofMetric(asked, kept, cursor, { entity, metric }))
  if (apart.length > 0 && apart.length === range.metrics.length) return ofMetrics
  if (cursor === undefined) return [{ entity, from: range.from, to: range.to }, ...ofMetrics]
  const parts: Array<Omit<Missing, "entity">> = (cursor.todo ?? []).flatMap(({ from, to }) => both(range, from, to))
  if (cursor.from !== null && cursor.from > Moment.beginning) parts.push(...both(range, null, cursor.from))
  // Of one that the service no longer has there is nothing more. One that was left out is asked for when it is read.
  // Then what is missing at the end is among what was not read.
  const isOpen = (cursor.todo ?? []).some(({ to }) => to === null)
  const next = isWanted ? undefined : behind(subject, cursor, Moment.ofMillis(age.now))
  if (next !== undefined && !isOpen) parts.push(...both(range, next, null))
  const young = !isWanted || cursor.gone !== undefined ? [] : provisionalOf(asked, kept, cursor, age.now)
  for (const one of young) {
    if (isOpen && one.to === null) continue
    for (const { from, to } of unsettled(asked, cursor, one, age)) {
      parts.push(...both(range, from, to).map((latest) => ({ ...latest, isLatest: true })))
    }
  }
  return [...parts.map((part) => ({ entity, ...part })), ...ofMetrics]
}

/** Wildcards of which the dataset does not have all. */
const unknownOf = ({ subject, wildcards }: Asked, { definition }: Kept) => {
  const listed = new Set(Params.items(definition.params[subject.names.entities]))
  return wildcards.filter((name) => !listed.has(name) && !listed.has("*"))
}

/** What of a range a dataset does not have. Nothing where it has it all, as far as the service had it when it was read. */
export const missing = (asked: Asked, kept: Kept | undefined, age: Age): ReadonlyArray<Missing> => {
  const { range, wildcards } = asked
  // No time is asked for.
  if (range.from !== undefined && range.from === range.to) return []
  const named = [...wildcards, ...range.entities].map((entity) => ({ entity, from: range.from, to: range.to }))
  if (kept === undefined) return named
  const { cursors, definition } = kept
  const unknown = unknownOf(asked, kept)
  const isWanted = SeriesParams.wantedBy(asked.subject, definition)
  return [
    ...named.filter(({ entity }) => unknown.includes(entity)),
    ...range.entities.flatMap((entity) => ofEntity(asked, kept, cursors.get(entity), entity, isWanted(entity), age))
  ]
}

/** Times of an entity, and what is known of them. */
export interface Covered {
  /** An asset, a market or another, as the list of the parameters names it. */
  readonly entity: string
  /** Absent from the beginning of the series. */
  readonly from: Time | undefined
  /** The first time behind them; absent where they have no end. */
  readonly to: Time | undefined
  /**
   * `final` where no later sync reads them again, unless with `recheck`; `provisional` where one does, so that records may change or come;
   * `missing` where they were not read.
   */
  readonly state: "final" | "provisional" | "missing"
  /** Whether the service had no records in them when they were read. Where they have some, there may be times without. */
  readonly isEmpty: boolean
}

/** Before all times, and behind them. */
const [least, most] = ["", "\uffff"]

const spansOf = (
  parts: ReadonlyArray<{ readonly from?: Time | null | undefined; readonly to?: Time | null | undefined }>
) => parts.map(({ from, to }) => ({ from: from ?? least, to: to ?? most }))

const isIn = (all: ReadonlyArray<{ readonly from: Time; readonly to: Time }>, time: Time): boolean =>
  all.some(({ from, to }) => from <= time && time < to)

const coveredOf = (asked: Asked, kept: Kept, entity: string, now: number): ReadonlyArray<Covered> => {
  const { range, subject } = asked
  const cursor = kept.cursors.get(entity)
  const isWanted = SeriesParams.wantedBy(subject, kept.definition)(entity)
  const parts = ofEntity(asked, kept, cursor, entity, isWanted, { now })
  if (cursor === undefined) return [{ entity, from: range.from, to: range.to, state: "missing", isEmpty: false }]
  const { first = most, gone, holes = [], last } = cursor
  const behindLast = last === null ? least : Moment.next(last)
  const young = provisionalOf(asked, kept, cursor, now)
  const looked = Moment.ofMillis(Math.max(0, ...young.map(({ looked = 0 }) => looked)))
  // What no run asks for any more does not change.
  const isLeft =
    gone !== undefined ||
    !isWanted ||
    (range.metrics.length > 0 && apartOf(asked, kept, cursor).length === range.metrics.length)
  const isTail = !isLeft && cursor.provisional === undefined
  const tail = isTail ? (RunRequests.tailOf({ definition: kept.definition, subject }, cursor) ?? least) : most
  const provisional = isLeft ? [] : spansOf(cursor.provisional ?? [])
  const [begin, end] = [range.from ?? least, range.to ?? (looked > behindLast ? looked : behindLast)]
  const missing = spansOf(parts)
  const spans = [...missing, ...holes, ...provisional]
  const cuts = [begin, end, first, behindLast, tail, ...spans.flatMap(({ from, to }) => [from, to])]
  const sorted = [...new Set(cuts)].filter((time) => begin <= time && time <= end).toSorted()
  const found: Array<Covered> = []
  for (const [index, from] of sorted.slice(0, -1).entries()) {
    const to = sorted[index + 1]!
    const isHole = isIn(holes, from)
    const mayChange = from >= tail || isIn(provisional, from) || (isHole && isTail)
    const state = isIn(missing, from) ? "missing" : mayChange ? "provisional" : "final"
    const isEmpty = state !== "missing" && (isHole || last === null || to <= first || from >= behindLast)
    const before = found.at(-1)
    const next: Covered = { entity, from: from === least ? undefined : from, to, state, isEmpty }
    const isSame = before?.state === state && before.isEmpty === isEmpty
    if (isSame) found[found.length - 1] = { ...before, to }
    else found.push(next)
  }
  return found
}

/** What is known of the times of a range, by entity and then by time. Without an end it ends where the last run looked. */
export const covered = (asked: Asked, kept: Kept | undefined, now: number): ReadonlyArray<Covered> => {
  const lacking = (entities: ReadonlyArray<string>) =>
    entities.map((entity): Covered => ({
      entity,
      from: asked.range.from,
      to: asked.range.to,
      state: "missing",
      isEmpty: false
    }))
  if (kept === undefined) return lacking([...asked.wildcards, ...asked.range.entities])
  return [
    ...lacking(unknownOf(asked, kept)),
    ...asked.range.entities.flatMap((entity) => coveredOf(asked, kept, entity, now))
  ]
}
