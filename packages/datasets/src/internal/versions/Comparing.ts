/**
 * How records are told apart and compared, as far as the format of their files keeps them.
 */
import * as Predicate from "effect/Predicate"
import type * as Format from "@sluice/files/Format"
import * as Knowable from "../model/Knowable.ts"
import type { Series } from "../model/Store.ts"
import * as Arrived from "./Arrived.ts"

/** Compares records that a file gives back with those that the service sends. */
export interface Comparing {
  /** Whether several records may have one time. */
  readonly mayTie: boolean
  readonly idOf: (record: unknown) => string
  /** Where nothing was held in a field that is `added`, a value is no other one. */
  readonly isSame: (old: unknown, fresh: unknown, added: ReadonlySet<string>) => boolean
  /** What compares an array that the service sent, where that needs no records built of it. */
  readonly arrived: (fresh: ReadonlyArray<unknown>) => Arrived.Arrived | undefined
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

/** What identifies a record among those of its entity and time, as text. */
export const idOf = (identity: ReadonlyArray<string>, record: unknown): string => {
  const fields = fieldsOf(record)
  return identity.map((name) => textOf(fields[name] ?? "")).join(" ")
}

/** Compares records as far as a format keeps them. `columns` are those of its files; empty where they have all fields. */
export const make = (
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
    mayTie: identity !== undefined,
    idOf: (record) => {
      if (identity === undefined) return ""
      if (identity.length > 0) return idOf(identity, record)
      const fields = fieldsOf(record)
      return JSON.stringify(
        namesOf(fields)
          .toSorted()
          .map((name) => [name, wordOf(fields[name])])
      )
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
    },
    arrived: (fresh) => Arrived.of(fresh, columns)
  }
}
