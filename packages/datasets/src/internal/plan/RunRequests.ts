/**
 * What a run asks the service for: decided from the definition, from how far each entity is, and from the time.
 */
import * as Struct from "effect/Struct"
import * as Bounds from "../model/Bounds.ts"
import * as Calendar from "../model/Calendar.ts"
import { group, isStale, probesOf } from "./Grouping.ts"
import { day, estimate, type Given, large, type Part, type Reason, type Wanted } from "./Part.ts"
import * as LeftColumns from "../model/LeftColumns.ts"
import * as Moment from "../model/Moment.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Cursor, Hole, Time } from "../model/Store.ts"

export type { Given, Part, Reason } from "./Part.ts"

/** What a run does, in steps: in each of them an entity is changed at one place only. */
export interface RunRequests {
  readonly entities: ReadonlyArray<string>
  readonly added: ReadonlyArray<string>
  /** Entities that the service no longer has. */
  readonly gone: ReadonlyArray<string>
  /** Entities that the definition no longer has. */
  readonly dropped: ReadonlyArray<string>
  /** Metrics that some entity does not have yet. */
  readonly columns: ReadonlyArray<string>
  /** First records, metrics that were added, and earlier starts. */
  readonly loads: ReadonlyArray<Part>
  /** Latest records of entities that are far behind, mostly because the service has none. */
  readonly probes: ReadonlyArray<Part>
  /** Records since the last run. */
  readonly tails: ReadonlyArray<Part>
  readonly holes: ReadonlyArray<Part>
  /** The cursors of entities that are loaded, before anything of it is done. */
  readonly begun: ReadonlyMap<string, Cursor>
}

/** Whether to ask for a hole again: a day after it was found, and twice as late after each time in vain, up to 64 days. */
export const isDue = ({ asked, tries }: Hole, now: number): boolean => asked + day * Math.min(64, 2 ** tries) <= now

/** The first time that a run reads again of an entity; nothing for the beginning. */
export const tailOf = (
  { definition, subject }: Pick<Given, "definition" | "subject">,
  cursor: Cursor
): Time | undefined => {
  const start = SeriesParams.startOf(subject, definition)
  if (cursor.last === null) return start
  const longest = Moment.earlier(cursor.last, definition.lookBack)
  const back = start === undefined && cursor.first !== undefined && longest < cursor.first ? cursor.first : longest
  const from = Moment.floor(cursor.open !== undefined && cursor.open < back ? cursor.open : back)
  return start !== undefined && start > from ? start : from
}

type Provisional = NonNullable<Cursor["provisional"]>[number]

/** What of an entity may have been revised since it was read. Of one that was read by runs without a window, that is its tail. */
const provisionalOf = (given: Pick<Given, "definition" | "subject">, cursor: Cursor): ReadonlyArray<Provisional> =>
  cursor.provisional ?? [{ from: tailOf(given, cursor) ?? null, to: null, looked: 0 }]

/** Intervals that are kept apart. Of more, the first become one, of which a later call reads again what it asks for. */
const mostProvisional = 100

const fewerOf = (all: ReadonlyArray<Provisional>): ReadonlyArray<Provisional> => {
  const sorted = all.toSorted((a, b) => ((a.from ?? "") < (b.from ?? "") ? -1 : 1))
  const [first, ...others] = sorted.splice(0, Math.max(1, sorted.length - mostProvisional + 1))
  if (first === undefined) return []
  const one = others.reduce((before, next) => {
    const isLater = before.to !== null && (next.to === null || next.to > before.to)
    return { from: before.from, to: isLater ? next.to : before.to, looked: Math.min(before.looked, next.looked) }
  }, first)
  return [one, ...sorted]
}

/** Decides what a run asks for. */
export const make = (given: Given): RunRequests => {
  const { cursors, definition, entities, now, subject, window } = given
  const { period } = given.cut
  const columns = SeriesParams.columnsOf(subject, definition)
  const start = SeriesParams.startOf(subject, definition)
  const begun = new Map<string, Cursor>()
  const loads: Array<Wanted> = []
  const tails: Array<Wanted> = []
  const holes: Array<Wanted> = []
  const lacking = new Set<string>()
  for (const entity of entities) {
    const cursor = cursors.get(entity)
    const missing = cursor === undefined ? [] : columns.filter((name) => !cursor.columns.includes(name))
    for (const name of missing) lacking.add(name)
    const held = missing.length === 0 ? cursor : undefined
    const reason = cursor === undefined ? "new" : held === undefined ? "columns" : "earlier"
    const load = (
      parts: ReadonlyArray<Bounds.InTurn>,
      more: (spans: ReadonlyArray<Bounds.Bounds>) => Pick<Cursor, "todo" | "provisional"> = todoOf
    ) => {
      const spans = parts.map(({ from, to }) => partsOf(given, entity, cursor, { from, to }))
      const first = cursor?.first === undefined ? {} : { first: cursor.first }
      const before: Omit<Cursor, "from"> =
        held === undefined
          ? { entity, ...first, last: cursor?.last ?? null, columns, ...LeftColumns.without(cursor ?? {}, columns) }
          : Struct.omit(held, ["provisional"])
      begun.set(entity, { ...before, from: start ?? null, ...more(spans.flat()) })
      loads.push(...spans.flatMap((some, at) => some.map(wantedOf(entity, reason, parts[at]?.turn))))
    }
    const lacks =
      held === undefined ? [{ from: start ?? null, to: null }] : [...(held.todo ?? []), ...earlierThan(held, start)]
    if (window !== undefined) {
      const provisional = held === undefined ? [] : provisionalOf(given, held)
      const isOld = (one: Provisional) => !Bounds.isCurrent(one, window.age)
      const [unread, again] = [Bounds.split(window, lacks), Bounds.split(window, provisional.filter(isOld))]
      const parts = Bounds.apart(period, [...unread.inside, ...again.inside])
      const kept = [...again.outside, ...provisional.filter((one) => !isOld(one))]
      if (parts.length > 0) {
        // Which of them are settled shows when they were read.
        load(parts, (spans) => ({
          todo: [...spans, ...unread.outside],
          provisional: fewerOf([...kept, ...spans.map(({ from, to }) => ({ from, to, looked: now }))])
        }))
      }
      continue
    }
    if (held === undefined) {
      load(Bounds.apart(period, lacks))
      continue
    }
    const usual = tailOf(given, held)
    const unread = [...lacks, ...(held.provisional ?? []), ...recheckOf(given, held)]
    // What is open is read to the end: there is no tail behind it, so the look-back is part of it. Where nothing is held that is before what
    // is open: what was read there and found empty may have come since.
    const open = unread.find(({ to }) => to === null)
    const last = held.last ?? open?.from ?? null
    const back = { from: tailOf(given, { ...held, last }) ?? null, to: null }
    const todo = Bounds.apart(period, open === undefined ? unread : [...unread, back])
    if (todo.length > 0) load(todo)
    if (open !== undefined) continue
    // What is loaded anyway is not read twice.
    const isIn = (from: Time | null, to: Time | null) =>
      to !== null && (from === null || (usual !== undefined && from <= usual)) && (usual === undefined || usual < to)
    const tail = todo.find(({ from, to }) => isIn(from, to))?.to ?? usual
    const due = (held.holes ?? []).filter((hole) => isDue(hole, now))
    // A hole that reaches to what is read again anyway is read with it.
    const from = due.reduce(
      (from, hole) => (from !== undefined && hole.to >= from && hole.from < from ? hole.from : from),
      tail
    )
    tails.push({ reason: "new", entity, from, to: undefined })
    const before = due.filter(({ to }) => from !== undefined && to <= from)
    for (const hole of Bounds.apart(period, before)) holes.push(wantedOf(entity, "hole", hole.turn)(hole))
  }
  const left = [...cursors.values()].filter(({ entity, gone }) => !given.listed.has(entity) && gone === undefined)
  const isWanted = SeriesParams.wantedBy(subject, definition)
  const gone = left.filter(({ entity }) => isWanted(entity))
  for (const cursor of definition.onRemoved === "remove" ? gone : []) {
    tails.push({ reason: "new", entity: cursor.entity, from: tailOf(given, cursor), to: undefined })
  }
  const stale = tails.filter((wanted) => isStale(given, wanted))
  const isShared = areShared(given, [...tails, ...holes])
  return {
    entities,
    added: entities.filter((entity) => !cursors.has(entity)),
    gone: gone.map(({ entity }) => entity),
    dropped: left.filter((cursor) => !gone.includes(cursor)).map(({ entity }) => entity),
    columns: [...lacking],
    loads: group(given, loads, !given.cut.byEntity),
    probes: probesOf(given, stale),
    tails: group(
      given,
      tails.filter((wanted) => !stale.includes(wanted)),
      isShared
    ),
    holes: group(given, isShared ? together(holes) : holes, isShared),
    begun
  }
}

const wantedOf =
  (entity: string, reason: Reason, turn?: number) =>
  ({ from, to }: Bounds.Bounds): Wanted => ({ reason, entity, from: from ?? undefined, to: to ?? undefined, turn })

const todoOf = (spans: ReadonlyArray<Bounds.Bounds>) =>
  spans.length < 2 && spans[0]?.to === null ? {} : { todo: spans }

/** A read that would need more requests than this shares them. */
export const mostApart = 100

/** Whether entities share requests of other times. Last records of markets are rarely of one time: exact requests would be one for each. */
const areShared = ({ cut, isRead }: Given, wanted: ReadonlyArray<Wanted>): boolean =>
  isRead !== true || !cut.byEntity || new Set(wanted.map(({ from, to }) => `${from} ${to}`)).size > mostApart

/** All holes of an entity as one. */
const together = (holes: ReadonlyArray<Wanted>): ReadonlyArray<Wanted> =>
  [...Map.groupBy(holes, ({ entity }) => entity).values()].map((own) => ({ ...own[0]!, to: own.at(-1)?.to }))

const earlierThan = ({ from }: Cursor, start: Time | undefined): ReadonlyArray<Bounds.Bounds> =>
  from === null || (start !== undefined && start >= from) ? [] : [{ from: start ?? null, to: from }]

/** What this run reads again although it is before the look-back. */
const recheckOf = ({ definition, recheck, subject }: Given, cursor: Cursor): ReadonlyArray<Bounds.Bounds> => {
  if (recheck === undefined || cursor.last === null) return []
  const from =
    recheck === Infinity
      ? SeriesParams.startOf(subject, definition)
      : tailOf({ subject, definition: { ...definition, lookBack: recheck } }, cursor)
  return [{ from: from ?? null, to: null }]
}

/** Cuts the records of an entity along the calendar where there are many, so that several requests read them at a time. */
const partsOf = (
  given: Given,
  entity: string,
  cursor: Cursor | undefined,
  span: Bounds.Bounds
): ReadonlyArray<Bounds.Bounds> => {
  const { begins, cut, now } = given
  const from = span.from ?? begins.get(entity)
  const to = span.to ?? Moment.ofMillis(now)
  const total = estimate(given, entity, cursor, span.from ?? undefined, span.to ?? undefined)
  if (cut.period === undefined || from === undefined || from >= to || (total <= large && cut.byEntity)) return [span]
  const first = Calendar.periodOf(cut.period, from)
  const last = Calendar.periodOf(cut.period, to)
  const parts: Array<Bounds.Bounds> = []
  let begin = cut.byEntity ? span.from : from
  let held = 0
  for (let name = first; name <= last; name = Calendar.next(name)) {
    const end = Calendar.endOf(name)
    held += estimate(given, entity, cursor, Calendar.startOf(name), end)
    const isFull = !cut.byEntity || held >= large || held === Infinity
    // A run at the end of a period also asks for the one that begins.
    if (isFull && (end < to || (end === to && span.to === null))) {
      parts.push({ from: begin, to: end })
      begin = end
      held = 0
    }
  }
  return [...parts, { from: begin, to: span.to }]
}

/** Forms requests of entities whose latest records do not reach back to where they were read to. */
export const tailsOf = (given: Given, entities: ReadonlyArray<string>): ReadonlyArray<Part> => {
  const wanted = entities.flatMap((entity): ReadonlyArray<Wanted> => {
    const cursor = given.cursors.get(entity)
    return cursor === undefined ? [] : [{ reason: "new", entity, from: tailOf(given, cursor), to: undefined }]
  })
  return group(given, wanted, areShared(given, wanted))
}
