/**
 * What a run asks the service for: decided from the definition, from how far each entity is, and from the time.
 */
import * as Bounds from "./Bounds.ts"
import * as Calendar from "./Calendar.ts"
import type { Definition } from "./Definition.ts"
import * as Moment from "./Moment.ts"
import * as Subject from "./Subject.ts"
import type { Cursor, Cut, Hole, Time } from "./Store.ts"

/** Why something is asked for. */
export type Reason = "new" | "earlier" | "hole" | "columns" | "probe"

/** Records that are asked for together: of some entities, from one time to another. */
export interface Part {
  readonly reason: Reason
  /** In ascending order. */
  readonly entities: ReadonlyArray<string>
  readonly from: Time | undefined
  readonly to: Time | undefined
  /** Where each entity is asked for from, if later than the others. What comes before is left out. */
  readonly own?: ReadonlyMap<string, Time>
  /** Whether it has more records than a page. */
  readonly isLarge: boolean
  /** Only the latest so many of each entity. */
  readonly limit?: number
}

/** What a run does, in steps: in each of them an entity is changed at one place only. */
export interface RunPlan {
  readonly entities: ReadonlyArray<string>
  readonly added: ReadonlyArray<string>
  readonly gone: ReadonlyArray<string>
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

/** What a plan follows from. */
export interface Given {
  readonly subject: Subject.Subject
  readonly definition: Definition
  readonly cut: Cut
  readonly cursors: ReadonlyMap<string, Cursor>
  /** The entities that the service has. */
  readonly entities: ReadonlyArray<string>
  /** Where the series of an entity begins, as far as a catalog says. */
  readonly begins: ReadonlyMap<string, Time>
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Records that are read at once at most, as lines of one reply. */
const large = 100_000

const day = 86_400_000

/** Whether to ask for a hole again: a day after it was found, and twice as late after each time in vain, up to 64 days. */
export const isDue = ({ asked, tries }: Hole, now: number): boolean => asked + day * Math.min(64, 2 ** tries) <= now

/** How long the service may take to review a record. What is open for longer is asked for as rarely as a hole. */
export const longestReview = 60 * day

/** The first time that a run reads again of an entity; nothing for the beginning. */
export const tailOf = (
  { definition, subject }: Pick<Given, "definition" | "subject">,
  cursor: Cursor
): Time | undefined => {
  const start = Subject.startOf(subject, definition)
  if (cursor.last === null) return start
  const longest = Moment.earlier(cursor.last, definition.lookBack)
  const back = start === undefined && cursor.first !== undefined && longest < cursor.first ? cursor.first : longest
  const from = cursor.open !== undefined && cursor.open < back ? cursor.open : back
  return start !== undefined && start > from ? start : from
}

/** About how many records an entity has between two times. */
const estimate = (
  { begins, now, subject }: Given,
  entity: string,
  cursor: Cursor | undefined,
  from: Time | undefined,
  to: Time | undefined
): number => {
  const begin = from ?? begins.get(entity) ?? "2009-01-01T00:00:00.000000000Z"
  const length = Math.max(0, (to === undefined ? now : Moment.millisOf(to)) - Moment.millisOf(begin))
  if (subject.every !== undefined) return length / subject.every + 1
  return cursor?.pace === undefined ? Infinity : (length / day) * cursor.pace + 1
}

/** Decides what a run asks for. */
export const make = (given: Given): RunPlan => {
  const { cursors, definition, entities, subject } = given
  const columns = Subject.columnsOf(subject, definition)
  const start = Subject.startOf(subject, definition)
  const begun = new Map<string, Cursor>()
  const loads: Array<Wanted> = []
  const tails: Array<Wanted> = []
  const holes: Array<Wanted> = []
  const lacking = new Set<string>()
  for (const entity of entities) {
    const cursor = cursors.get(entity)
    const missing = cursor === undefined ? [] : columns.filter((name) => !cursor.columns.includes(name))
    for (const name of missing) lacking.add(name)
    if (cursor === undefined || missing.length > 0) {
      const spans = partsOf(given, entity, cursor, { from: start ?? null, to: null })
      const reason = cursor === undefined ? "new" : "columns"
      begun.set(entity, { entity, from: start ?? null, last: cursor?.last ?? null, columns, ...todoOf(spans) })
      loads.push(...spans.map(wantedOf(entity, reason)))
      continue
    }
    const todo = Bounds.apart(given.cut.period, [...(cursor.todo ?? []), ...earlierThan(cursor, start)])
    if (todo.length > 0) {
      const spans = todo.flatMap((span) => partsOf(given, entity, cursor, span))
      begun.set(entity, { ...cursor, from: start ?? null, ...todoOf(spans) })
      loads.push(...spans.map(wantedOf(entity, "earlier")))
      // Its last part is open, so there is nothing behind it to ask for.
      if (todo.some(({ to }) => to === null)) continue
    }
    const tail = tailOf(given, cursor)
    const due = (cursor.holes ?? []).filter((hole) => isDue(hole, given.now))
    // A hole that reaches into what is read again anyway is read with it.
    const from = due.reduce(
      (from, hole) => (from !== undefined && hole.to > from && hole.from < from ? hole.from : from),
      tail
    )
    tails.push({ reason: "new", entity, from, to: undefined })
    const before = due.filter(({ to }) => from !== undefined && to <= from)
    holes.push(...holeOf(entity, before))
  }
  const known = new Set(entities)
  const left = [...cursors.values()].filter(({ entity, gone }) => !known.has(entity) && gone === undefined)
  for (const cursor of definition.gone === "remove" ? left : []) {
    tails.push({ reason: "new", entity: cursor.entity, from: tailOf(given, cursor), to: undefined })
  }
  const stale = tails.filter((wanted) => isStale(given, wanted))
  return {
    entities,
    added: entities.filter((entity) => !cursors.has(entity)),
    gone: left.map(({ entity }) => entity),
    columns: [...lacking],
    loads: group(given, loads),
    probes: probesOf(given, stale),
    tails: group(
      given,
      tails.filter((wanted) => !stale.includes(wanted))
    ),
    holes: group(given, holes),
    begun
  }
}

/** Records of one entity that are wanted. */
interface Wanted {
  readonly reason: Reason
  readonly entity: string
  readonly from: Time | undefined
  readonly to: Time | undefined
}

const wantedOf =
  (entity: string, reason: Reason) =>
  ({ from, to }: Bounds.Bounds): Wanted => ({ reason, entity, from: from ?? undefined, to: to ?? undefined })

const todoOf = (spans: ReadonlyArray<Bounds.Bounds>) =>
  spans.length < 2 && spans[0]?.to === null ? {} : { todo: spans }

/** What is asked for to fill holes of an entity: all from the first to the last. */
const holeOf = (entity: string, holes: ReadonlyArray<Hole>): ReadonlyArray<Wanted> => {
  const from = holes.map(({ from }) => from).toSorted()[0]
  const to = holes
    .map(({ to }) => to)
    .toSorted()
    .at(-1)
  return from === undefined ? [] : [{ reason: "hole", entity, from, to }]
}

const earlierThan = ({ from }: Cursor, start: Time | undefined): ReadonlyArray<Bounds.Bounds> =>
  from === null || (start !== undefined && start >= from) ? [] : [{ from: start ?? null, to: from }]

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
    if (isFull && end < to) {
      parts.push({ from: begin, to: end })
      begin = end
      held = 0
    }
  }
  return [...parts, { from: begin, to: span.to }]
}

/** Forms requests of what is wanted: as few as their pages allow. */
const group = (given: Given, wanted: ReadonlyArray<Wanted>): ReadonlyArray<Part> => {
  const { cursors, cut, subject } = given
  if (!cut.byEntity) return groupShared(given, wanted)
  // What begins late comes first, so that a request is not made longer by an entity that is far behind.
  const sorted = wanted.toSorted((a, b) => compare(b.from ?? "", a.from ?? "") || compare(a.entity, b.entity))
  const parts: Array<Part> = []
  let members: Array<Wanted> = []
  const close = () => {
    const part = partOf(given, members)
    if (part !== undefined) parts.push(part)
    members = []
  }
  const known = new Set(given.entities)
  const isDoubtful = (entity: string) => !known.has(entity) || cursors.get(entity)?.gone !== undefined
  let names = new Set<string>()
  let latest: Time | undefined
  for (const one of sorted) {
    const [first] = members
    const isTail = one.reason === "hole" || (one.reason === "new" && cursors.has(one.entity))
    const to = latest === undefined || one.to === undefined || latest > one.to ? latest : one.to
    const count = estimate(given, one.entity, cursors.get(one.entity), one.from, to ?? one.to) * (members.length + 1)
    // First records of other times are not put together: cursors would be of records that were not asked for.
    const isAlike =
      first?.reason === one.reason &&
      // Of an entity without records everything is asked for, which would be too much of others.
      isEmpty(cursors.get(first.entity)) === isEmpty(cursors.get(one.entity)) &&
      // One that is refused would have all others of its request asked for again.
      isDoubtful(first.entity) === isDoubtful(one.entity) &&
      (isTail || (first.from === one.from && first.to === one.to))
    const fits = isAlike && count <= (isTail ? subject.page : large) && !names.has(one.entity)
    if (!fits) {
      close()
      names = new Set()
    }
    latest = fits ? to : one.to
    names.add(one.entity)
    members.push(one)
  }
  close()
  return parts
}

const isEmpty = (cursor: Cursor | undefined): boolean => cursor?.last === null

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

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
    // Holes are read with what is around them, from the first of all to the last.
    own: new Map(
      (first.reason === "hole" ? [] : members).flatMap(({ entity, from }) =>
        from === undefined ? [] : [[entity, from] as const]
      )
    ),
    isLarge: count > subject.page
  }
}

/** Where entities share files, a request has all of them, and one period of the calendar. */
const groupShared = (given: Given, wanted: ReadonlyArray<Wanted>): ReadonlyArray<Part> => {
  const { cut, now } = given
  const { period } = cut
  if (wanted.length === 0) return []
  if (period === undefined) {
    const part = partOf(
      given,
      wanted.map((one) => ({ ...one, to: undefined }))
    )
    return part === undefined ? [] : [{ ...part, entities: [...new Set(part.entities)], own: new Map() }]
  }
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
  return [...found.entries()]
    .toSorted(([a], [b]) => compare(a, b))
    .flatMap(([, members]) => {
      const to = members
        .map(({ to = "" }) => to)
        .toSorted()
        .at(-1)
      const part = partOf(
        given,
        members.map((one) => ({ ...one, to }))
      )
      return part === undefined ? [] : [{ ...part, entities: [...new Set(part.entities)], own: new Map() }]
    })
}

/** Whether an entity is so far behind that asking for the time since would take more than asking for its latest records. */
const isStale = (given: Given, { entity, from }: Wanted): boolean => {
  const { cursors, definition, subject } = given
  const cursor = cursors.get(entity)
  if (subject.names.limitPer === undefined || cursor?.last == null || from === undefined) return false
  const usual = limitOf(given)
  return (
    usual !== undefined &&
    estimate(given, entity, cursor, from, undefined) > 4 * usual &&
    given.now - Moment.millisOf(cursor.last) > 4 * definition.lookBack
  )
}

/** The records of the look-back, and one more; nothing where their number is not known. */
const limitOf = ({ definition, subject }: Given): number | undefined =>
  subject.every === undefined ? undefined : Math.ceil(definition.lookBack / subject.every) + 1

const probesOf = (given: Given, stale: ReadonlyArray<Wanted>): ReadonlyArray<Part> => {
  const limit = limitOf(given) ?? 1
  const size = Math.max(1, Math.floor(given.subject.page / limit))
  const sorted = stale.toSorted((a, b) => compare(a.entity, b.entity))
  const parts: Array<Part> = []
  for (let at = 0; at < sorted.length; at += size) {
    const members = sorted.slice(at, at + size)
    parts.push({
      reason: "probe",
      entities: members.map(({ entity }) => entity),
      from: undefined,
      to: undefined,
      own: new Map(members.map(({ entity, from = "" }) => [entity, from])),
      isLarge: false,
      limit
    })
  }
  return parts
}

/** Forms requests of entities whose latest records do not reach back to where they were read to. */
export const tailsOf = (given: Given, entities: ReadonlyArray<string>): ReadonlyArray<Part> =>
  group(
    given,
    entities.flatMap((entity) => {
      const cursor = given.cursors.get(entity)
      return cursor === undefined
        ? []
        : [{ reason: "new" as const, entity, from: tailOf(given, cursor), to: undefined }]
    })
  )
