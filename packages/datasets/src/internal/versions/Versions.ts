/**
 * The versions of records, from their history and what is held now.
 */
import * as Keys from "../model/Keys.ts"
import * as Knowable from "../model/Knowable.ts"
import type { Time } from "../model/Store.ts"
import type { Seen, Was } from "./History.ts"

/** What the service said of a record, and when that was knowable. */
export interface Version {
  readonly record: unknown
  readonly since: Time
  /** Absent of the newest. */
  readonly until: Time | undefined
  /** Whether the record came late: after a run had looked for it. */
  readonly isLate: boolean
}

/** A line of a history, and its place. */
type Placed<A> = A & { readonly line: number }

/** What a history tells of an entity. */
export interface EntityHistory {
  readonly was: Map<string, { readonly time: Time; readonly id: string; readonly lines: Array<Placed<Was>> }>
  readonly seen: Array<Placed<Seen>>
  /** The latest end of the ranges up to each. */
  ends: ReadonlyArray<Time>
}

/** A history, by entity. */
export type Histories = ReadonlyMap<string, EntityHistory>

const none: EntityHistory = { was: new Map(), seen: [], ends: [] }

/** The name of a record among those of its entity. */
export const nameOf = (time: Time, id: string): string => `${time}\n${id}`

/** Sorts the lines of a history. */
export const ofLines = (
  lines: ReadonlyArray<Was | Seen>,
  fields: Keys.Fields,
  idOf: (record: unknown) => string
): Histories => {
  const all = new Map<string, EntityHistory>()
  const of = (entity: string) => {
    const found = all.get(entity)
    if (found !== undefined) return found
    const begun: EntityHistory = { was: new Map(), seen: [], ends: [] }
    all.set(entity, begun)
    return begun
  }
  for (const [line, one] of lines.entries()) {
    if ("was" in one) {
      const { entity, time = "" } = Keys.keyOf(fields, one.was)
      const { was } = of(entity)
      const id = idOf(one.was)
      const name = nameOf(time, id)
      const found = was.get(name) ?? { time, id, lines: [] }
      found.lines.push({ ...one, line })
      was.set(name, found)
    } else of(one.entity).seen.push({ ...one, line })
  }
  for (const one of all.values()) {
    one.seen.sort((a, b) => (a.first < b.first ? -1 : a.first === b.first ? a.line - b.line : 1))
    let latest = ""
    one.ends = one.seen.map(({ last }) => (latest = last > latest ? last : latest))
  }
  return all
}

/** When a record was seen as a new one, in the order of these moments. */
const seenOf = ({ ends, seen }: EntityHistory, time: Time, id: string): ReadonlyArray<Placed<Seen>> => {
  let [low, high] = [0, seen.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (seen[middle]!.first <= time) low = middle + 1
    else high = middle
  }
  const found: Array<Placed<Seen>> = []
  for (let at = low - 1; at >= 0 && ends[at]! >= time; at--) {
    const one = seen[at]!
    if (one.last >= time && (one.id === undefined || one.id === id)) found.push(one)
  }
  return found.length < 2 ? found : found.toSorted((a, b) => a.line - b.line)
}

/** What tells when a record was knowable. */
export interface Knowing {
  readonly every: number | undefined
  /** Milliseconds after the end of its interval at which a record is taken to have come that nobody had looked for before. */
  readonly delay: number
  /** The same of one that came between two looks, with a margin; nothing where too few looks have told it yet. */
  readonly late: number | undefined
}

/** When a new record was knowable: between two looks, or where nobody had looked before, up to the first. */
const appearedAt = (record: unknown, { after, at }: Seen, { delay, every, late }: Knowing): Time => {
  // Nothing tells since when the first items of a list were there.
  if (Keys.timeOf(record) === "") return at
  const stamp = Knowable.stampOf(record)
  // What was not there after its end came later than others do.
  const isUsual = after === null || stamp !== undefined || Knowable.endOf(record, every) > after
  const by = after === null ? delay : late
  if (!isUsual || (stamp === undefined && by === undefined)) return at
  const known = stamp ?? Knowable.of(record, every, by ?? 0)
  return known <= at && (after === null || known > after) ? known : at
}

/** The versions of a record, the last of which is held; of one that was removed, none is. */
export const versionsOf = (
  history: EntityHistory,
  time: Time,
  id: string,
  held: unknown,
  knowing: Knowing
): ReadonlyArray<Version> => {
  const past = history.was.get(nameOf(time, id))?.lines ?? []
  const seen = seenOf(history, time, id)
  const records = [...past.map(({ was }) => was), ...(held === undefined ? [] : [held])]
  const versions: Array<Version> = []
  let end: Time | undefined
  for (const [index, record] of records.entries()) {
    const before = past[index - 1]
    const own = past[index]
    // Of several, the last is the safe one, but for what was read again since a file was lost.
    const among = seen.filter(({ line }) => line > (before?.line ?? -1) && (own === undefined || line < own.line))
    const appeared = among.findLast(({ after }) => after !== null) ?? among[0]
    let since: Time
    if (appeared !== undefined) since = appearedAt(record, appeared, knowing)
    // Another value counts from the run that found it.
    else if (before !== undefined) since = before.until
    else {
      // Held before versions were kept.
      const known = Knowable.of(record, knowing.every, knowing.delay)
      since = own !== undefined && known > own.until ? own.until : known
    }
    if (before !== undefined && since < before.until) since = before.until
    if (before !== undefined) {
      const last = versions.pop()!
      end = appeared === undefined ? since : before.until
      versions.push({ ...last, until: end })
    }
    const isLate =
      appeared !== undefined &&
      appeared.after !== null &&
      Knowable.of(record, knowing.every, knowing.delay) <= (appeared.began ?? appeared.after)
    versions.push({ record, since, until: own?.until, isLate })
  }
  return versions
}

/** What an entity of a partition has at each time: the records that are held, in order, with those of the history between them. */
export const merge = <A>(
  histories: () => Histories,
  entity: string,
  fields: Keys.Fields,
  idOf: (record: unknown) => string,
  choose: (versions: ReadonlyArray<Version>, time: Time) => ReadonlyArray<A>,
  knowing: Knowing
) => {
  let known = histories()
  let history = known.get(entity) ?? none
  let rest: ReadonlyArray<{ readonly time: Time; readonly id: string }> = []
  let from: Time = ""
  let group: Array<{ readonly id: string; readonly record: unknown }> = []
  let time: Time = ""

  /** Takes the history as it is now: more of it may have been written since. */
  const refresh = (isFirst: boolean) => {
    const now = histories()
    if (now === known && !isFirst) return
    known = now
    history = now.get(entity) ?? none
    rest = [...history.was.values()]
      .filter(({ time }) => time >= from)
      .toSorted((a, b) => (a.time === b.time ? inNumbers(a.id, b.id) : a.time < b.time ? -1 : 1))
  }
  const chosen = (at: Time, id: string, held: unknown) => choose(versionsOf(history, at, id, held, knowing), at)
  /** Those of the history alone that are before a time. */
  const goneBefore = (to: Time | undefined): Array<A> => {
    const count = to === undefined ? rest.length : rest.findIndex((one) => one.time >= to)
    const own = count < 0 ? rest : rest.slice(0, count)
    rest = count < 0 ? [] : rest.slice(count)
    return own.flatMap((one) => chosen(one.time, one.id, undefined))
  }
  const settle = (): ReadonlyArray<A> => {
    if (group.length === 0) return []
    const [at, own] = [time, group]
    group = []
    const before = goneBefore(at)
    const behind = rest.findIndex((one) => one.time > at)
    const tied = behind < 0 ? rest : rest.slice(0, behind)
    rest = behind < 0 ? [] : rest.slice(behind)
    from = `${at}\u0000`
    const ids = new Set(own.map(({ id }) => id))
    const gone = tied.flatMap(({ id }) => (ids.has(id) ? [] : [{ id, record: undefined }]))
    const all = gone.length === 0 ? own : [...own, ...gone].toSorted((a, b) => inNumbers(a.id, b.id))
    return [...before, ...all.flatMap(({ id, record }) => chosen(at, id, record))]
  }
  refresh(true)
  return {
    refresh: () => refresh(false),
    see: (records: ReadonlyArray<unknown>): ReadonlyArray<A> => {
      const found: Array<A> = []
      for (const record of records) {
        const own = Keys.keyOf(fields, record)
        if (own.entity !== entity) continue
        if (own.time !== time) {
          found.push(...settle())
          time = own.time ?? ""
        }
        group.push({ id: idOf(record), record })
      }
      return found
    },
    end: (): ReadonlyArray<A> => [...settle(), ...goneBefore(undefined)]
  }
}

/** Ids of the service count up, with more digits the later. */
const inNumbers = (a: string, b: string): number =>
  /^\d+$/.test(a) && /^\d+$/.test(b) && a.length !== b.length ? a.length - b.length : a < b ? -1 : a > b ? 1 : 0

/** What was knowable at a moment, if anything. */
export const asOf = (versions: ReadonlyArray<Version>, moment: Time): unknown =>
  versions.findLast(({ since, until }) => since <= moment && (until === undefined || moment < until))?.record
