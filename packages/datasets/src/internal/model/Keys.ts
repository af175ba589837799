/**
 * Where a record stands in a dataset: by entity, then by time. Both are compared as text, by code units.
 */
import * as Timestamp from "@sluice/core/Timestamp"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Time } from "./Store.ts"

/** The fields by which records are found. */
export interface Fields {
  /** The field that names the entity. */
  readonly entity: string
  /** The entity of records that lack this field, because the folder of their file names it. */
  readonly fixed?: string | undefined
}

/** A place between records: before all records of the entity from `time` on, or behind its last where there is no time. */
export interface Key {
  readonly entity: string
  readonly time: Time | undefined
}

/** The text of a field of a record; empty where it has none. */
export const textAt = (record: unknown, name: string): string => {
  const value: unknown = Predicate.hasProperty(record, name) ? record[name] : undefined
  return Predicate.isString(value) ? value : ""
}

/** The entity of a record. */
export const entityOf = ({ entity, fixed }: Fields, record: unknown): string => fixed ?? textAt(record, entity)

/** Characters of a time with nine fractional digits. */
const whole = 30

/** A moment with nine fractional digits, so that it compares as text; unchanged where it is no moment. */
export const normal = (text: string): Time =>
  text === "" || (text.length === whole && text.endsWith("Z"))
    ? text
    : Result.match(Timestamp.toEpochNanos(text), { onFailure: () => text, onSuccess: Timestamp.fromEpochNanos })

/** The time of a record. */
export const timeOf = (record: unknown): Time => normal(textAt(record, "time"))

/** Whether a record stands before a place. */
export const isBefore = (fields: Fields, record: unknown, { entity, time }: Key): boolean => {
  const own = entityOf(fields, record)
  if (own !== entity) return own < entity
  return time === undefined || timeOf(record) < time
}

/** Compares two places: negative where the first comes first. */
export const compare = (a: Key, b: Key): number => {
  if (a.entity !== b.entity) return a.entity < b.entity ? -1 : 1
  if (a.time === b.time) return 0
  if (a.time === undefined) return 1
  return b.time === undefined || a.time < b.time ? -1 : 1
}

/** The place before a record. */
export const keyOf = (fields: Fields, record: unknown): Key => ({
  entity: entityOf(fields, record),
  time: timeOf(record)
})

/** The place behind the records of an entity at one moment: of trades there may be many. */
export const behind = ({ entity, time }: Key): Key => ({
  entity,
  // Times compare as text, so this comes after the time itself and before any later one.
  time: time === undefined ? undefined : `${time}\u0000`
})

/**
 * How many of these records, which are in order, stand before a place. Looks at few of them, since each may have to be built: at fewest where
 * it is as many as it is `likely` to be.
 */
export const countBefore = (
  fields: Fields,
  records: ReadonlyArray<unknown>,
  key: Key,
  likely = records.length
): number => {
  const isLikely =
    likely > 0 &&
    likely < records.length &&
    !isBefore(fields, records[likely], key) &&
    isBefore(fields, records[likely - 1], key)
  if (isLikely) return likely
  if (isBefore(fields, records[records.length - 1], key)) return records.length
  let [low, high] = [0, records.length - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(fields, records[middle], key)) low = middle + 1
    else high = middle
  }
  return low
}

/** The first and the last record of each entity, of records in order. Looks at few of them, since each may have to be built. */
export const ends = (fields: Fields, records: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const { length } = records
  const found: Array<unknown> = []
  for (let at = 0; at < length;) {
    const entity = entityOf(fields, records[at])
    const isOf = (index: number) => entityOf(fields, records[index]) === entity
    let step = 1
    while (at + step < length && isOf(at + step)) step *= 2
    let [last, end] = [at + (step >>> 1), Math.min(at + step, length)]
    while (end - last > 1) {
      const middle = (last + end) >>> 1
      if (isOf(middle)) last = middle
      else end = middle
    }
    found.push(records[at], records[last])
    at = end
  }
  return found
}
