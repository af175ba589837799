/**
 * What a folder keeps of its past: a history for each partition, `.sluice/versions/*.versions`, lines of JSON compressed with gzip, beside
 * files that stay as they are without versions.
 *
 * A line is a record that was replaced or removed, and when that was seen (`was`, `until`), or a range of new records (`entity`, `first`,
 * `last`) and when they were seen (`at`). `after` is when the run before had looked: the change came in between. A line is written with
 * the change that it tells of, in the same step.
 */
import * as Schema from "effect/Schema"
import * as JsonText from "@sluice/core/internal/columns/JsonText"
import * as LazyRows from "@sluice/files/internal/format/LazyRows"
import * as Keys from "../model/Keys.ts"
import * as Knowable from "../model/Knowable.ts"
import * as Moment from "../model/Moment.ts"
import type { Cursor, Time } from "../model/Store.ts"
import type { Arrived } from "./Arrived.ts"
import type { Comparing } from "./Comparing.ts"

/** A record that was replaced or removed. */
export const Was = Schema.Struct({
  was: Schema.Unknown,
  after: Schema.NullOr(Schema.String),
  until: Schema.String
})
export interface Was extends Schema.Schema.Type<typeof Was> {}

/** Records that were new. Of a time at which there were others, each with its own line and `id`. */
export const Seen = Schema.Struct({
  entity: Schema.String,
  first: Schema.String,
  last: Schema.String,
  id: Schema.optionalKey(Schema.String),
  /** Null where nobody had looked for them before, so when they came is not known. */
  after: Schema.NullOr(Schema.String),
  /** When the run before began, where `after` is when it ended. */
  began: Schema.optionalKey(Schema.String),
  at: Schema.String
})
export interface Seen extends Schema.Schema.Type<typeof Seen> {}

/** What a change is to tell of. */
export interface Context {
  readonly fields: Keys.Fields
  readonly comparing: Comparing
  readonly every: number | undefined
  /** Metrics that are asked for. */
  readonly metrics: ReadonlyArray<string>
  /** When the run before had looked. */
  readonly looked: Time | undefined
  /** When it began, where that is when it ended. */
  readonly looking: Time | undefined
  /** When the last complete one had. */
  readonly complete: Time | undefined
  readonly cursorOf: (entity: string) => Cursor | undefined
  /** Until when what an entity has was not there for the run before; null where all was not. */
  readonly freshTo: (entity: string) => Time | null | undefined
}

/** Sees what a change does to the records of a partition, in their order. */
export interface Recording {
  /** Sees records that are replaced, before those that take their place. */
  readonly replaced: (records: ReadonlyArray<unknown>) => void
  readonly fresh: (records: ReadonlyArray<unknown>) => void
  /** Notes that others follow, which stay. */
  readonly skip: () => void
  /** Gives the lines for what was seen, and how late the newest records were. */
  readonly end: (now: Time) => Recorded
}

/** What was seen of a partition. */
export interface Recorded {
  readonly lines: ReadonlyArray<string>
  /** How many records came with other values. */
  readonly revised: number
  /** Milliseconds from the end of the newest records until now; of those that were looked for before, and of others. */
  readonly delay: number | undefined
  readonly first: number | undefined
  /** The longest time after its end at which a complete run had not found a record that is there now. */
  readonly late: number | undefined
}

/** Records that are replaced, in order, of which the first have others in their place. */
interface Replaced {
  readonly records: ReadonlyArray<unknown>
  readonly count: number
  at: number
}

interface Range {
  readonly entity: string
  readonly first: Time
  last: Time
  readonly id: string | undefined
  readonly isLookedFor: boolean
}

/** The largest or the smallest of numbers; nothing where there is none. */
export const extreme = (
  choose: (...values: ReadonlyArray<number>) => number,
  values: ReadonlyArray<number | undefined>
): number | undefined => {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : known.reduce((a, b) => choose(a, b))
}

/** Later than this no delay of the service is taken for usual. */
const longestDelay = 604_800_000

/**
 * Whether a time was looked for by runs before, so that a record that is new there was not there then. What is marked as unread may have
 * been read before, of all that is not fresh.
 */
const wasLookedFor = (cursor: Cursor | undefined, freshTo: Time | null | undefined, time: Time): boolean => {
  if (cursor === undefined || (cursor.from !== null && cursor.from > time)) return false
  if (freshTo === undefined || (freshTo !== null && freshTo <= time)) return true
  return !(cursor.todo ?? []).some(({ from, to }) => (from === null || from <= time) && (to === null || time < to))
}

/** Records of one entity and time. */
interface Group {
  readonly key: Keys.Key
  readonly fresh: Array<{ readonly id: string; readonly record: unknown }>
  /** Those that were there before; nothing in the place of one that has another by now. */
  readonly old: Array<{ readonly id: string; readonly record: unknown } | undefined>
  /** Behind the last of them that got another: the next is likely to be there. */
  next: number
  /** Whether there was one. */
  readonly hadOthers: boolean
}

/** Begins to record a change of a partition. */
export const record = ({
  comparing,
  complete,
  cursorOf,
  every,
  fields,
  freshTo,
  looked,
  looking,
  metrics
}: Context): Recording => {
  const waiting: Array<Replaced> = []
  const gone: Array<string> = []
  const ranges: Array<Range> = []
  const newest = new Map<string, { readonly record: unknown; readonly isLookedFor: boolean }>()
  let overdue: Time | undefined
  const oldest = Moment.earlier(complete ?? "", longestDelay)
  const added = new Map<string, ReadonlySet<string>>()
  const addedTo = (entity: string) => {
    const found = added.get(entity)
    if (found !== undefined) return found
    // What a run has found to be nothing stays so for that moment, also of a metric that was left out since.
    const { columns = metrics, left = [] } = cursorOf(entity) ?? {}
    const had = new Set([...columns, ...left.map(({ name }) => name)])
    const own = new Set(metrics.filter((name) => !had.has(name)))
    added.set(entity, own)
    return own
  }
  let revised = 0
  let range: Range | undefined
  let group: Group | undefined
  /** The last record that came as it was held. */
  let same: { readonly records: ReadonlyArray<unknown>; readonly at: number } | undefined
  /** The next of those that are replaced. */
  const head = (): Replaced | undefined => {
    while (waiting.length > 0) {
      const first = waiting[0]!
      if (first.at < first.count) return first
      waiting.shift()
    }
    return undefined
  }
  const keyOf = (record: unknown) => Keys.keyOf(fields, record)
  const keyOfSame = () => (comparing.mayTie ? same && keyOf(same.records[same.at]) : undefined)
  const isOf = (record: unknown, key: Keys.Key) => Keys.compare(keyOf(record), key) === 0
  const noteGone = (record: unknown) => {
    gone.push(JsonText.write(record))
    range = undefined
  }
  /** What has no other in its place when later records come was removed. */
  const settleBefore = (key: Keys.Key | undefined) => {
    for (let next = head(); next !== undefined; next = head()) {
      const record = next.records[next.at]
      if (key !== undefined && Keys.compare(keyOf(record), key) >= 0) return
      noteGone(record)
      next.at += 1
    }
  }
  /** Notes records that nobody had, from one to another, the last of which is given. */
  const noteRange = (next: Range, record: unknown, id?: string) => {
    const { entity, isLookedFor, last } = next
    if (!isLookedFor || last > (cursorOf(entity)?.last ?? "")) newest.set(entity, { record, isLookedFor })
    if (id !== undefined) ranges.push({ ...next, id })
    else if (range?.entity === entity && range.isLookedFor === isLookedFor) range.last = last
    else ranges.push((range = next))
  }
  const noteEnd = (record: unknown, isLookedFor: boolean) => {
    if (!isLookedFor || !Knowable.hasValue(record)) return
    const ended = Knowable.endOf(record, every)
    if (ended >= oldest && (overdue === undefined || ended < overdue)) overdue = ended
  }
  const isLookedFor = (entity: string, time: Time) => wasLookedFor(cursorOf(entity), freshTo(entity), time)
  const settleGroup = () => {
    if (group === undefined) return
    const { fresh, hadOthers, key, old } = group
    group = undefined
    for (const one of old) if (one !== undefined) noteGone(one.record)
    if (hadOthers) range = undefined
    const last = fresh.at(-1)
    if (last === undefined) return
    const { entity, time = "" } = key
    const next = { entity, first: time, last: time, id: undefined, isLookedFor: isLookedFor(entity, time) }
    noteEnd(last.record, next.isLookedFor)
    if (hadOthers) for (const { id, record } of fresh) noteRange({ ...next }, record, id)
    else noteRange(next, last.record)
  }
  const begin = (key: Keys.Key): Group => {
    settleGroup()
    settleBefore(key)
    const old: Group["old"] = []
    for (let next = head(); next !== undefined; next = head()) {
      const record = next.records[next.at]
      if (!isOf(record, key)) break
      old.push({ id: comparing.idOf(record), record })
      next.at += 1
      if (!comparing.mayTie) break
    }
    const held = keyOfSame()
    const hadOthers = old.length > 0 || (held !== undefined && Keys.compare(held, key) === 0)
    return (group = { key, fresh: [], old, next: 0, hadOthers })
  }
  /** Takes the one that was there before, if any. */
  const takeOld = (own: Group, id: string) => {
    const { length } = own.old
    for (let step = 0; step < length; step++) {
      const at = (own.next + step) % length
      const old = own.old[at]
      if (old?.id !== id) continue
      own.old[at] = undefined
      own.next = at + 1
      return old
    }
    return undefined
  }
  const freshOne = (record: unknown) => {
    const key = keyOf(record)
    const own = group !== undefined && Keys.compare(group.key, key) === 0 ? group : begin(key)
    const id = comparing.idOf(record)
    const old = takeOld(own, id)
    if (old === undefined) own.fresh.push({ id, record })
    else if (!comparing.isSame(old.record, record, addedTo(key.entity))) {
      gone.push(JsonText.write(old.record))
      revised += 1
    }
  }
  /** Passes records from one on, without building any, that are held or where one has another value; gives how many. */
  const pass = (arrived: Arrived, index: number): number => {
    const next = head()
    if (next === undefined) return 0
    const alike = arrived.countSame(index, next.records, next.at)
    if (alike === 0 && (comparing.mayTie || !arrived.isRevised(index, next.records, next.at))) return 0
    settleGroup()
    if (alike === 0) {
      gone.push(LazyRows.jsonOf(next.records, next.at))
      revised += 1
    }
    range = undefined
    next.at += alike || 1
    same = { records: next.records, at: next.at - 1 }
    return alike || 1
  }
  /** Notes records of which none was held, where few of them tell all. */
  const areNew = (records: ReadonlyArray<unknown>): boolean => {
    if (head() !== undefined || records.length === 0) return false
    const [one, other] = [records[0], records[records.length - 1]]
    const [first, last] = [keyOf(one), keyOf(other)]
    const { entity, time = "" } = first
    const { todo = [] } = cursorOf(entity) ?? {}
    const isBehind = [group?.key, keyOfSame()].every((key) => key === undefined || Keys.compare(key, first) < 0)
    const looked = isLookedFor(entity, time)
    const isUniform = todo.length === 0 && looked === isLookedFor(entity, last.time ?? "")
    if (!isBehind || !isUniform || last.entity !== entity) return false
    settleGroup()
    noteEnd(one, looked)
    noteRange({ entity, first: time, last: last.time ?? "", id: undefined, isLookedFor: looked }, other)
    return true
  }

  return {
    replaced: (records) => {
      waiting.push({ records, count: records.length, at: 0 })
    },
    fresh: (records) => {
      if (areNew(records)) return
      const { length } = records
      const arrived = comparing.arrived(records)
      for (let index = 0; index < length;) {
        const passed = arrived === undefined ? 0 : pass(arrived, index)
        if (passed === 0) freshOne(records[index])
        index += passed || 1
      }
    },
    skip: () => {
      settleGroup()
      range = undefined
    },
    end: (now) => {
      settleGroup()
      settleBefore(undefined)
      const after = looked ?? null
      const seen = ranges.map(({ entity, first, id, isLookedFor, last }): Seen => ({
        entity,
        first,
        last,
        ...(id === undefined ? {} : { id }),
        // Without a complete run before it is not known since when it was not there.
        after: isLookedFor ? (after ?? now) : null,
        ...(isLookedFor && looking !== undefined && { began: looking }),
        at: now
      }))
      const delayOf = (ended: Time, until = now) => {
        const by = Moment.millisOf(until) - Moment.millisOf(ended)
        return by >= 0 && by <= longestDelay ? [by] : []
      }
      const delaysOf = (wasLookedFor: boolean) =>
        [...newest.values()].flatMap(({ isLookedFor, record }) =>
          isLookedFor === wasLookedFor && Knowable.hasValue(record) ? delayOf(Knowable.endOf(record, every)) : []
        )
      const rest = `,"after":${JSON.stringify(after)},"until":${JSON.stringify(now)}}\n`
      return {
        lines: [...gone.map((was) => `{"was":${was}${rest}`), ...seen.map((one) => `${JSON.stringify(one)}\n`)],
        revised,
        delay: extreme(Math.max, delaysOf(true)),
        first: extreme(Math.min, delaysOf(false)),
        late: overdue === undefined ? undefined : delayOf(overdue, complete ?? overdue)[0]
      }
    }
  }
}
