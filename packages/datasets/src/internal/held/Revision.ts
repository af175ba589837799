/**
 * A change of a record, and by how much.
 */
import * as Predicate from "effect/Predicate"
import type { Revised, Time } from "../model/Store.ts"

/** A change of a record that a dataset keeps versions of. */
export interface Revision<A = unknown> {
  /** The entity of the record; of an item of a list its name. */
  readonly entity: string
  /** The time of the record; empty of an item of a list. */
  readonly time: Time
  /** When the change was knowable. */
  readonly at: Time
  /** Absent where the record came late, or again. */
  readonly before: A | undefined
  /** Absent where the service took the record back. */
  readonly after: A | undefined
  /** Fields whose values differ. Of those that are numbers, by how much. Null and absent are the same. */
  readonly fields: ReadonlyArray<{
    readonly name: string
    readonly before: unknown
    readonly after: unknown
    /**
     * As a part of the value before, without its sign: 0.01 is 1 % more. As far as doubles tell. Absent where one of the two is no number, or
     * the value before is 0.
     */
    readonly change: number | undefined
  }>
}

const entriesOf = (record: unknown): Readonly<Record<string, unknown>> =>
  // Type boundary: an object is read by names, and any of them may be absent.
  Predicate.isObject(record) ? (record as Readonly<Record<string, unknown>>) : {}

const numberOf = (value: unknown): number | undefined => {
  const number = Predicate.isString(value) && value.trim() !== "" ? Number(value) : value
  return Predicate.isNumber(number) && Number.isFinite(number) ? number : undefined
}

const changeOf = (before: unknown, after: unknown): number | undefined => {
  const [a, b] = [numberOf(before), numberOf(after)]
  return a === undefined || b === undefined || a === 0 ? undefined : (b - a) / Math.abs(a)
}

/** Tells which fields differ. */
export const of = (revised: Revised): Revision => {
  const [before, after] = [entriesOf(revised.before), entriesOf(revised.after)]
  const names = revised.before === undefined || revised.after === undefined ? [] : Object.keys({ ...before, ...after })
  const fields = names.flatMap((name) => {
    const [a, b] = [before[name], after[name]]
    const isSame = a === b || (a ?? null) === (b ?? null) || JSON.stringify(a) === JSON.stringify(b)
    return isSame ? [] : [{ name, before: a, after: b, change: changeOf(a, b) }]
  })
  return { ...revised, fields }
}
