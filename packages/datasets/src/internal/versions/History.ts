/**
 * What a folder keeps of its past: a history for each partition, `.sluice/versions/*.versions`, lines of JSON compressed with gzip, beside
 * files that stay as they are without versions.
 *
 * A line is a record that was replaced or removed, and when that was seen (`was`, `until`), or a range of new records (`entity`, `first`,
 * `last`) and when they were seen (`at`). `after` is when the run before had looked: the change came in between. A line is written with
 * the change that it tells of, in the same step.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Format from "@sluice/files/Format"
import * as JsonText from "@sluice/core/internal/columns/JsonText"
import * as Keys from "../model/Keys.ts"
import * as Knowable from "../model/Knowable.ts"
import * as Moment from "../model/Moment.ts"
import type { Cursor, Series, Time } from "../model/Store.ts"

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
  at: Schema.String
})
export interface Seen extends Schema.Schema.Type<typeof Seen> {}

/** How records are told apart and compared, those that a file gives back with those that the service sends. */
export interface Comparing {
  readonly idOf: (record: unknown) => string
  /** Where nothing was held in a field that is `added`, a value is no other one. */
  readonly isSame: (old: unknown, fresh: unknown, added: ReadonlySet<string>) => boolean
}

type Fields = Readonly<Record<string, unknown>>

// Type boundary: an object is read by names, and any of them may be absent.
const fieldsOf = (record: unknown): Fields => (Predicate.isObject(record) ? (record as Fields) : {})

/** A number without what does not change it, such as zeros at its end; other text as it is. */
const plainOf = (text: string): string => {
  if (!/^-?\d[\d.]*(?:[eE][-+]?\d+)?$/.test(text)) return text
  if (/[eE]/.test(text)) return String(Number(text))
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text
}

const textOf = (value: unknown): string => {
  if (Predicate.isString(value)) return plainOf(value)
  return Predicate.isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === ""

const isSameValue = (old: unknown, fresh: unknown): boolean => {
  if (old === fresh) return true
  if (isNothing(old) || isNothing(fresh)) return isNothing(old) && isNothing(fresh)
  // A double of a file keeps fewer digits than the text of the service.
  if (Predicate.isNumber(old) || Predicate.isNumber(fresh)) return Number(old) === Number(fresh)
  return textOf(old) === textOf(fresh)
}

/** The metric that a field is of. */
const metricOf = (name: string): string => name.replace(/-status(?:-time)?$/, "")

const isStamp = (name: string): boolean => Knowable.stamps.some((stamp) => stamp === name)

/** Compares records as far as a format keeps them. `columns` are those of its files; empty where they have all fields. */
export const comparing = (
  { entity, identity }: Series,
  { as, numbers }: Format.Options,
  columns: ReadonlyArray<string>
): Comparing => {
  const isDouble = as === "parquet" && (numbers ?? "double") === "double"
  const wordOf = (value: unknown) => {
    if (isNothing(value)) return ""
    const text = textOf(value)
    return isDouble && /^-?[\d.]+$/.test(text) ? String(Number(text)) : text
  }
  const chosen = columns.filter((name) => name !== entity)
  const namesOf = (record: Fields) =>
    columns.length > 0 ? chosen : Object.keys(record).filter((name) => name !== entity)
  return {
    idOf: (record) => {
      if (identity === undefined) return ""
      const fields = fieldsOf(record)
      const names = identity.length === 0 ? namesOf(fields).toSorted() : identity
      return identity.length === 0
        ? JSON.stringify(names.map((name) => [name, wordOf(fields[name])]))
        : names.map((name) => textOf(fields[name] ?? "")).join(" ")
    },
    isSame: (old, fresh, added) => {
      const [before, after] = [fieldsOf(old), fieldsOf(fresh)]
      const own = columns.length > 0 ? chosen : Object.keys(after)
      const differs = own.filter((name) => before[name] !== after[name])
      const lost = columns.length > 0 ? [] : Object.keys(before).filter((name) => !Object.hasOwn(after, name))
      for (const name of [...differs, ...lost]) {
        if (name === entity || isSameValue(before[name], after[name])) continue
        if (added.size > 0 && isNothing(before[name]) && added.has(metricOf(name))) continue
        // The same record has another stamp in a live stream and over HTTP.
        if (!(isStamp(name) && (isNothing(before[name]) || isNothing(after[name])))) return false
      }
      return true
    }
  }
}

/** What a change is to tell of. */
export interface Context {
  readonly fields: Keys.Fields
  readonly comparing: Comparing
  readonly every: number | undefined
  /** Metrics that are asked for. */
  readonly metrics: ReadonlyArray<string>
  /** When the run before had looked. */
  readonly looked: Time | undefined
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
  /** Milliseconds from the end of the newest records until now; of those that were looked for before, and of others. */
  readonly delay: number | undefined
  readonly first: number | undefined
  /** The longest time after its end at which a complete run had not found a record that is there now. */
  readonly late: number | undefined
}

interface Old {
  readonly key: Keys.Key
  readonly record: unknown
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

const jsonOf = (record: unknown): string =>
  Result.getOrElse(
    Result.try(() => JSON.stringify(record)),
    () => JsonText.write(record)
  )

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
  /** Whether there was a record of this time before. */
  hadOthers: boolean
}

const placeOf = ({ entity, time = "" }: Keys.Key, id: string) => `${entity}\n${time}\n${id}`

/** Begins to record a change of a partition. */
export const record = ({
  comparing,
  complete,
  cursorOf,
  every,
  fields,
  freshTo,
  looked,
  metrics
}: Context): Recording => {
  /** What was replaced, and has no other in its place yet. */
  const pending = new Map<string, Old>()
  const gone: Array<string> = []
  const ranges: Array<Range> = []
  const newest = new Map<string, { readonly record: unknown; readonly isLookedFor: boolean }>()
  let overdue: Time | undefined
  const oldest = Moment.earlier(complete ?? "", longestDelay)
  const added = new Map<string, ReadonlySet<string>>()
  const addedTo = (entity: string) => {
    const found = added.get(entity)
    if (found !== undefined) return found
    const { columns = metrics } = cursorOf(entity) ?? {}
    const own = new Set(metrics.filter((name) => !columns.includes(name)))
    added.set(entity, own)
    return own
  }
  let range: Range | undefined
  let group: Group | undefined
  /** What has no other in its place when later records come was removed. */
  const settleBefore = (key: Keys.Key | undefined) => {
    for (const [id, old] of pending) {
      if (key !== undefined && Keys.compare(old.key, key) >= 0) break
      gone.push(jsonOf(old.record))
      pending.delete(id)
      range = undefined
    }
  }
  const settleGroup = () => {
    if (group === undefined) return
    const { fresh, key } = group
    const [first] = pending.values()
    const hadOthers = group.hadOthers || (first !== undefined && Keys.compare(first.key, key) === 0)
    group = undefined
    const last = fresh.at(-1)
    if (hadOthers) range = undefined
    if (last === undefined) return
    const { entity, time = "" } = key
    const cursor = cursorOf(entity)
    const isLookedFor = wasLookedFor(cursor, freshTo(entity), time)
    if (!isLookedFor || time > (cursor?.last ?? "")) newest.set(entity, { record: last.record, isLookedFor })
    const ended = Knowable.endOf(last.record, every)
    if (isLookedFor && ended >= oldest && (overdue === undefined || ended < overdue)) overdue = ended
    const next = { entity, first: time, last: time, isLookedFor }
    if (hadOthers) ranges.push(...fresh.map(({ id }) => ({ ...next, id })))
    else if (range?.entity === entity && range.isLookedFor === isLookedFor) range.last = time
    else ranges.push((range = { ...next, id: undefined }))
  }
  const freshOne = (record: unknown) => {
    const key = Keys.keyOf(fields, record)
    if (group === undefined || Keys.compare(group.key, key) !== 0) {
      settleGroup()
      settleBefore(key)
      group = { key, fresh: [], hadOthers: false }
    }
    const id = comparing.idOf(record)
    const name = placeOf(key, id)
    const old = pending.get(name)
    if (old === undefined) {
      group.fresh.push({ id, record })
      return
    }
    pending.delete(name)
    group.hadOthers = true
    if (!comparing.isSame(old.record, record, addedTo(key.entity))) gone.push(jsonOf(old.record))
  }

  return {
    replaced: (records) => {
      for (const record of records) {
        const key = Keys.keyOf(fields, record)
        pending.set(placeOf(key, comparing.idOf(record)), { key, record })
      }
    },
    fresh: (records) => records.forEach(freshOne),
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
        at: now
      }))
      const delayOf = (ended: Time, until = now) => {
        const by = Moment.millisOf(until) - Moment.millisOf(ended)
        return by >= 0 && by <= longestDelay ? [by] : []
      }
      const delaysOf = (wasLookedFor: boolean) =>
        [...newest.values()].flatMap(({ isLookedFor, record }) =>
          isLookedFor === wasLookedFor ? delayOf(Knowable.endOf(record, every)) : []
        )
      const rest = `,"after":${JSON.stringify(after)},"until":${JSON.stringify(now)}}\n`
      return {
        lines: [...gone.map((was) => `{"was":${was}${rest}`), ...seen.map((one) => `${JSON.stringify(one)}\n`)],
        delay: extreme(Math.max, delaysOf(true)),
        first: extreme(Math.min, delaysOf(false)),
        late: overdue === undefined ? undefined : delayOf(overdue, complete ?? overdue)[0]
      }
    }
  }
}
