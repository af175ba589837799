/**
 * Since when a record could be known. Its `time` says what it is about, and not when the service had it: whoever reads history by that
 * looks ahead. What tells more follows from the fields of the record, as docs/datasets.md has them by product.
 */
import * as Predicate from "effect/Predicate"
import * as Keys from "./Keys.ts"
import * as Moment from "./Moment.ts"
import type { Time } from "./Store.ts"

type Fields = Readonly<Record<string, unknown>>

/**
 * Fields that say when the service had the whole record: the first that it has counts. Over HTTP a record was there when it was stored,
 * and in a live stream when it was collected.
 */
export const stamps = ["database_time", "collect_time"] as const

/** Ends of fields that say it of one metric. */
const statusTime = "-status-time"

/** A field that only the records of an interval have; all others with a time of an interval are metrics. */
const ofInterval = ["price_close", "candle_trades_count"]

/**
 * Metrics whose time is the beginning of an interval: those in upper camel case but reference rates, and those in snake case that end in an
 * interval. All others are of that instant.
 */
const isOfInterval = (name: string): boolean =>
  /^[A-Z]/.test(name) ? !name.startsWith("ReferenceRate") : /_\d+(?:s|m|h|d|w|mo|q|y)$/.test(name)

const isPlain = (name: string) => !name.endsWith("-status") && !name.endsWith(statusTime)

const fieldsOf = (record: unknown): Fields =>
  // Type boundary: an object is read by names, and any of them may be absent.
  Predicate.isObject(record) ? (record as Fields) : {}

const timeAt = (fields: Fields, name: string): Time | undefined => {
  const value = fields[name]
  return Predicate.isString(value) && value !== "" ? Keys.normal(value) : undefined
}

/** What a record itself says of when it was knowable; nothing where it, or one of its metrics, says nothing. */
export const stampOf = (record: unknown): Time | undefined => {
  const { isWhole, latest } = told(fieldsOf(record))
  return isWhole ? latest : undefined
}

/** The latest moment that a record names, and whether it names one for all that it has. */
const told = (fields: Fields): { readonly latest: Time | undefined; readonly isWhole: boolean } => {
  for (const name of stamps) {
    const latest = timeAt(fields, name)
    if (latest !== undefined) return { latest, isWhole: true }
  }
  let latest: Time | undefined
  let hasOthers = false
  for (const name of Object.keys(fields)) {
    if (name.endsWith(statusTime)) {
      const own = timeAt(fields, name)
      if (own !== undefined && (latest === undefined || own > latest)) latest = own
    } else if (isOfMetric(name) && isPlain(name) && Predicate.isNotNullish(fields[name])) {
      hasOthers ||= timeAt(fields, `${name}${statusTime}`) === undefined
    }
  }
  return { latest, isWhole: latest !== undefined && !hasOthers }
}

/** Names of metrics have a capital letter or an underscore; `asset` and `time` have none. */
const isOfMetric = (name: string) => /[A-Z_]/.test(name)

/** Whether a record has a value beside its entity and time, without which it does not tell how late values come. */
export const hasValue = (record: unknown): boolean =>
  Object.values(fieldsOf(record)).filter(Predicate.isNotNullish).length > 2

/** The end of what a record is about: of its interval, where its time is the beginning of one. */
export const endOf = (record: unknown, every: number | undefined): Time => {
  const fields = fieldsOf(record)
  const time = Keys.timeOf(record)
  if (every === undefined) return time
  const names = Object.keys(fields)
  // Of a record that has only its entity and time, since files leave nulls out, nobody knows: the later moment is safe.
  const isBare = names.length < 3
  const has = isBare || ofInterval.some((name) => Object.hasOwn(fields, name)) || names.some(isOfInterval)
  return has ? Moment.later(time, every) : time
}

/** When a record was knowable, with the delay in milliseconds that syncs have seen, for what it does not say itself. */
export const of = (record: unknown, every: number | undefined, delay: number): Time => {
  const { isWhole, latest } = told(fieldsOf(record))
  if (isWhole && latest !== undefined) return latest
  const end = Moment.later(endOf(record, every), delay)
  return latest !== undefined && latest > end ? latest : end
}

/** Which fields, of those with these names, say when a record was knowable: for what reads them without making records. */
export const fieldsAmong = (names: ReadonlyArray<string>) => ({
  stamps: stamps.filter((name) => names.includes(name)),
  statusTimes: names.filter((name) => name.endsWith(statusTime)),
  metrics: names
    .filter((name) => isOfMetric(name) && isPlain(name))
    .map((name) => ({ name, statusTime: names.find((other) => other === `${name}${statusTime}`) })),
  ofInterval: names.filter((name) => ofInterval.includes(name) || isOfInterval(name))
})
