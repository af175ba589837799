/**
 * How records are told apart and compared, as far as the format of their files keeps them.
 */
import * as BigDecimal from "effect/BigDecimal"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Decimal from "@sluice/core/Decimal"
import type { Column } from "@sluice/core/internal/columns/Column"
import * as UnscaledDecimal from "@sluice/core/internal/columns/UnscaledDecimal"
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

/** A number without what does not change it, such as zeros at its ends or a sign of zero; other text as it is. */
const plainOf = (text: string): string => {
  if (!/^-?\d[\d.]*(?:[eE][-+]?\d+)?$/.test(text)) return text
  if (/[eE]/.test(text)) {
    const exact = Decimal.toBigDecimal(text)
    if (Result.isFailure(exact)) return text
    const { scale } = BigDecimal.normalize(exact.success)
    const places = Math.max(0, scale)
    return UnscaledDecimal.textOf(BigDecimal.scale(exact.success, places).value, places)
  }
  const whole = text.replace(/^(-?)0+(?=\d)/, "$1")
  const plain = whole.includes(".") ? whole.replace(/\.?0+$/, "") : whole
  return plain === "-0" ? "0" : plain
}

const textOf = (value: unknown): string => {
  if (Predicate.isString(value)) return plainOf(value)
  return Predicate.isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === ""

const isSameValue = (old: unknown, fresh: unknown): boolean => {
  if (old === fresh) return true
  if (isNothing(old) || isNothing(fresh)) return isNothing(old) && isNothing(fresh)
  // Most texts that differ are other numbers, or none.
  if (Predicate.isString(old) && Predicate.isString(fresh) && Number(old) !== Number(fresh)) return false
  // A double of a file keeps fewer digits than the text of the service.
  if (Predicate.isNumber(old) || Predicate.isNumber(fresh)) return Number(old) === Number(fresh)
  return textOf(old) === textOf(fresh)
}

const areOther = (old: unknown, fresh: unknown): boolean =>
  !isNothing(old) && !isNothing(fresh) && !isSameValue(old, fresh)

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
  all: ReadonlyArray<Column>
): Comparing => {
  const columns = all.map(({ name }) => name)
  const isDouble = as === "parquet" && (numbers ?? "double") === "double"
  const wordOf = (value: unknown) => {
    if (isNothing(value)) return ""
    const text = textOf(value)
    return isDouble && /^-?[\d.]+$/.test(text) ? String(Number(text)) : text
  }
  const chosen = columns.filter((name) => name !== entity)
  const namesOf = (record: Fields) =>
    columns.length > 0 ? chosen : Object.keys(record).filter((name) => name !== entity)
  // A time is that of few records, so it tells first where records are others.
  const inOrder = [...columns.filter((name) => name === "time"), ...columns.filter((name) => name !== "time")]
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
      const isAlike = (name: string): boolean => {
        const [was, is] = [before[name], after[name]]
        // Both have one key, however a time is written.
        if (was === is || name === entity || name === "time" || isSameValue(was, is)) return true
        if (added.size > 0 && isNothing(was) && added.has(metricOf(name))) return true
        // The same record has another stamp in a live stream and over HTTP.
        return isStamp(name) && (isNothing(was) || isNothing(is))
      }
      if (columns.length > 0) return chosen.every(isAlike)
      return Object.keys(after).every(isAlike) && Object.keys(before).every(isAlike)
    },
    arrived: (fresh) => Arrived.of(fresh, { key: ["time", entity], areOther, columns: inOrder })
  }
}
