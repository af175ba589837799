/**
 * Requests of what is wanted: as few as their pages allow, by which nothing that is final is asked for again, unless they are shared.
 */
import * as Order from "effect/Order"
import * as Calendar from "../model/Calendar.ts"
import * as Moment from "../model/Moment.ts"
import { day, estimate, type Given, large, type Part, type Wanted } from "./Part.ts"
import type { Cursor, Time } from "../model/Store.ts"

/**
 * What may share a request. Of an entity without records everything is asked for, which would be too much of others,
 * and one that is refused would have all others of its request asked for again.
 */
const byKind = (given: Given, wanted: ReadonlyArray<Wanted>): ReadonlyArray<ReadonlyArray<Wanted>> => {
  const kindOf = ({ entity, turn }: Wanted) =>
    `${isEmpty(given.cursors.get(entity))} ${isDoubtful(given, entity)} ${turn ?? 0}`
  return [...Map.groupBy(wanted, kindOf).values()]
}

/**
 * Forms requests of what is wanted. Entities share one where they want the same times; where requests are `shared`, also of other times:
 * then it is from the first of all to the last.
 */
export const group = (given: Given, wanted: ReadonlyArray<Wanted>, isShared = false): ReadonlyArray<Part> => {
  const form = given.cut.byEntity ? groupApart : groupAlike
  const timesOf = ({ from, to }: Wanted) => (isShared ? "" : `${from} ${to}`)
  return byKind(given, wanted).flatMap((alike) => form(given, alike, timesOf))
}

type TimesOf = (one: Wanted) => string

const groupApart = (given: Given, wanted: ReadonlyArray<Wanted>, timesOf: TimesOf): ReadonlyArray<Part> => {
  const { cursors, subject } = given
  // What begins late comes first, so that a request is not made longer by an entity that is far behind.
  const sorted = wanted.toSorted(
    (a, b) => compare(b.from ?? "", a.from ?? "") || compare(timesOf(a), timesOf(b)) || compare(a.entity, b.entity)
  )
  const parts: Array<Part> = []
  let members: Array<Wanted> = []
  const close = () => {
    const part = partOf(given, members)
    if (part !== undefined) parts.push(part)
    members = []
  }
  let latest: Time | undefined
  for (const one of sorted) {
    const [first] = members
    const isSmall = one.reason === "hole" || (one.reason === "new" && cursors.has(one.entity))
    const to = latest === undefined || one.to === undefined || latest > one.to ? latest : one.to
    const count = estimate(given, one.entity, cursors.get(one.entity), one.from, to ?? one.to) * (members.length + 1)
    const isAlike = first?.reason === one.reason && timesOf(first) === timesOf(one)
    const fits = isAlike && count <= (isSmall ? subject.page : large)
    if (!fits) close()
    latest = fits ? to : one.to
    members.push(one)
  }
  close()
  return parts
}

/** Whether the service may refuse an entity: a catalog does not list it, or the service refused it before. */
const isDoubtful = ({ cursors, listed }: Given, entity: string): boolean =>
  !listed.has(entity) || cursors.get(entity)?.gone !== undefined

const isEmpty = (cursor: Cursor | undefined): boolean => cursor?.last === null

const compare: Order.Order<string> = Order.String

const partOf = (given: Given, members: ReadonlyArray<Wanted>): Part | undefined => {
  const [first] = members
  if (first === undefined) return undefined
  const isOpen = members.some(({ from }) => from === undefined)
  const from = isOpen ? undefined : members.map(({ from = "" }) => from).toSorted()[0]
  const to = members.some(({ to }) => to === undefined)
    ? undefined
    : members
        .map(({ to = "" }) => to)
        .toSorted()
        .at(-1)
  const { cursors, subject } = given
  const count = members.reduce((sum, { entity }) => sum + estimate(given, entity, cursors.get(entity), from, to), 0)
  return {
    reason: first.reason,
    entities: members.map(({ entity }) => entity).toSorted(),
    from,
    to,
    own: new Map(members.flatMap(({ entity, from }) => (from === undefined ? [] : [[entity, from] as const]))),
    isLarge: count > subject.page,
    ...(first.turn === undefined ? {} : { turn: first.turn })
  }
}

/**
 * Parts that have to be read one after the other, since changes of files that entities share would write the same ones:
 * those of one period. Each part has one period alone.
 */
export const inTurns = ({ cut: { byEntity, period } }: Given, parts: ReadonlyArray<Part>) => {
  if (byEntity) return parts.map((part) => [part])
  const periodOf = ({ from }: Part) =>
    period === undefined || from === undefined ? "" : Calendar.periodOf(period, from)
  return [...Map.groupBy(parts, periodOf).values()]
}

/** Where entities share files, a request has one period of the calendar. */
const groupAlike = (given: Given, wanted: ReadonlyArray<Wanted>, timesOf: TimesOf): ReadonlyArray<Part> => {
  const { cut, now } = given
  const { period } = cut
  const joined = (wanted: ReadonlyArray<Wanted>): ReadonlyArray<Part> =>
    [...Map.groupBy(wanted, timesOf).values()].flatMap((members) => {
      const part = partOf(given, members)
      return part === undefined ? [] : [{ ...part, own: new Map() }]
    })
  if (period === undefined) return joined(wanted)
  const found = new Map<string, Array<Wanted>>()
  const end = Calendar.periodOf(period, Moment.ofMillis(now))
  for (const one of wanted) {
    const from = one.from ?? given.begins.get(one.entity)
    if (from === undefined) continue
    for (let name = Calendar.periodOf(period, from); name <= end; name = Calendar.next(name)) {
      const begin = Calendar.startOf(name)
      if (one.to !== undefined && one.to <= begin) break
      const to = Calendar.endOf(name)
      const clipped: Wanted = {
        ...one,
        from: from > begin ? from : begin,
        to: one.to !== undefined && one.to < to ? one.to : to
      }
      const others = found.get(name)
      if (others === undefined) found.set(name, [clipped])
      else others.push(clipped)
    }
  }
  return [...found.entries()].toSorted(([a], [b]) => compare(a, b)).flatMap(([, members]) => joined(members))
}

/**
 * Whether an entity is so far behind that asking for the time since would take more than asking for its latest records.
 * Of one without any, all of its time would be asked for.
 */
export const isStale = (given: Given, { entity, from }: Wanted): boolean => {
  const { cursors, definition, subject } = given
  const cursor = cursors.get(entity)
  if (subject.names.limitPer === undefined || cursor === undefined) return false
  const count = estimate(given, entity, cursor, from, undefined)
  const usual = limitOf(given, cursor)
  if (cursor.last === null) return count > 4 * (usual ?? 1)
  const shortest = subject.every === undefined ? endedAfter : 0
  return (
    from !== undefined &&
    usual !== undefined &&
    count > 4 * usual &&
    given.now - Moment.millisOf(cursor.last) > Math.max(shortest, 4 * definition.lookBack)
  )
}

/** Without a record for so long, a series of events may have ended: a market that was closed, for example. */
const endedAfter = 2 * day

/**
 * The records of the look-back, and one more. Of events, which come in bursts, ten times as many as on average, as a power of ten, so
 * that many entities share a request; nothing where it is not known how many there are.
 */
const limitOf = ({ definition: { lookBack }, subject }: Given, { pace }: Cursor): number | undefined => {
  if (subject.every !== undefined) return Math.ceil(lookBack / subject.every) + 1
  if (pace === undefined) return undefined
  const burst = (10 * pace * lookBack) / day
  return Math.min(subject.page, Math.max(100, 10 ** Math.ceil(Math.log10(burst))))
}

/** Forms requests for the latest records of entities. */
export const probesOf = (given: Given, stale: ReadonlyArray<Wanted>): ReadonlyArray<Part> => {
  const { cursors, subject } = given
  // Of an entity without records one tells that it has some. One that is refused would have all others asked for again.
  const limitFor = (cursor: Cursor | undefined) => (cursor?.last == null ? 1 : (limitOf(given, cursor) ?? 1))
  const kinds = byKind(given, stale).flatMap((alike) => [
    ...Map.groupBy(alike, ({ entity }) => limitFor(cursors.get(entity)))
  ])
  return kinds.flatMap(([limit, alike]) => {
    const size = Math.max(1, Math.floor(subject.page / limit))
    const sorted = alike.toSorted((a, b) => compare(a.entity, b.entity))
    return Array.from({ length: Math.ceil(sorted.length / size) }, (_, index): Part => {
      const members = sorted.slice(index * size, (index + 1) * size)
      return {
        reason: "probe",
        entities: members.map(({ entity }) => entity),
        // Of entities that have none yet, only records from their start on are news.
        from: members.every(({ entity, from }) => isEmpty(cursors.get(entity)) && from === members[0]?.from)
          ? members[0]?.from
          : undefined,
        to: undefined,
        own: new Map(members.map(({ entity, from = "" }) => [entity, from])),
        isLarge: false,
        limit
      }
    })
  })
}
