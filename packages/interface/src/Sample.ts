/**
 * Records as the service may send them, made from their fields alone: every form that docs/interface.md allows a kind of field
 * (3.1, 10.1, 14).
 */
import type { Field, Fields, Type } from "./Field.ts"
import { names } from "./Least.ts"

/** A record as JSON has it. */
export type Json = Readonly<Record<string, unknown>>

const simple = {
  text: ["Coinbase", "", 'naïve 名\u2028 "quoted" \\ \u0000'],
  decimal: ["0.00023190441", "-1204", "120394823094820394823094.123456789012345678", "0"],
  int64: ["634817", "-9223372036854775808", "9223372036854775807", "N/A"],
  time: [
    "2020-06-08T20:45:00.000000000Z",
    "2026-07-31T12:00:11.123456789Z",
    "2026-07-31T00:00:00Z",
    "2015-07-30",
    "N/A"
  ],
  bool: [true, false],
  number: [1003, "1003", -2.5, "9007199254740993"]
} as const

/** Values of a field that is no key: the usual one first. A list has one item of each form, or none. */
const formsOf = (type: Type): ReadonlyArray<unknown> => {
  switch (type._tag) {
    case "word":
      return [...type.words, "a_word_of_2031"]
    case "list":
      return [formsOf(type.of), []]
    case "object":
      return rows(type.fields)
    case "either": {
      const all = rows(type.fields)
      return [all, all[0]]
    }
    default:
      return simple[type._tag]
  }
}

/** Fields with another value in each record: frames are numbered by their connection, and a hash and a height are of one block. */
const differing: Readonly<Record<string, (nth: number) => string>> = {
  cm_sequence_id: (nth) => `${nth}`,
  height: (nth) => String(23_041_877 + nth),
  hash: (nth) => `00000000000000000002a7c4c1e48d76c5a37902165a270156b7a8d72728a0${two(nth)}`
}

const two = (nth: number) => String(nth).padStart(2, "0")

/** The value of a key: another one in each record, in ascending order. */
const keyOf = (name: string, type: Type, nth: number): unknown => {
  switch (type._tag) {
    case "time":
      return `2026-07-31T12:00:${two(nth)}.000000000Z`
    case "int64":
    case "decimal":
      return String(23_041_877 + nth)
    case "word":
      return type.words[nth % type.words.length]
    default:
      return `${nameOf(name) ?? name}${nth === 0 ? "" : `_${two(nth)}`}`
  }
}

/** What a call with the least parameters names. */
const nameOf = (field: string) => names[field] ?? names[`${field}s`] ?? names[`${field}es`]

/** The keys of a record: those of a series are of one entity, at one time after another. */
const keysOf = (fields: Fields, nth: number): Json => {
  const keys = Object.entries(fields).filter(([, field]) => isKey(field))
  const isSeries = keys.some(([, { type }]) => type._tag === "time")
  return Object.fromEntries(
    keys.map(([name, { type }]) => [name, keyOf(name, type, isSeries && nameOf(name) !== undefined ? 0 : nth)])
  )
}

const isKey = (field: Field) => field.isKey

/** Records with every field, which together have every form of each. */
export const rows = (fields: Fields): ReadonlyArray<Json> => {
  const forms = Object.entries(fields).flatMap(([name, field]) =>
    isKey(field) ? [] : [[name, formsOf(field.type)] as const]
  )
  const count = Math.max(2, ...forms.map(([, all]) => all.length))
  return Array.from({ length: count }, (_, nth) => ({
    ...keysOf(fields, nth),
    ...Object.fromEntries(forms.map(([name, all]) => [name, differing[name]?.(nth) ?? all[nth % all.length]]))
  }))
}

/** Records that have nothing but their keys. */
export const least = (fields: Fields): ReadonlyArray<Json> => [keysOf(fields, 0), keysOf(fields, 1)]

/** Lists and objects in which every field is null, and null in place of anything else. */
const hollowOf = (type: Type): unknown => {
  switch (type._tag) {
    case "list":
      return type.of._tag === "object" || type.of._tag === "list" ? [hollowOf(type.of)] : []
    case "object":
    case "either":
      return mapped(type.fields, ({ type }) => hollowOf(type))
    default:
      return null
  }
}

const mapped = (fields: Fields, value: (field: Field) => unknown): Json =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, value(field)]))

/** Records with null in every field that is no key: at the top, and as deep as they go. */
export const nulls = (fields: Fields): ReadonlyArray<Json> => [
  { ...mapped(fields, () => null), ...keysOf(fields, 0) },
  { ...mapped(fields, ({ type }) => hollowOf(type)), ...keysOf(fields, 1) }
]

/** Two records of one time, which only the named fields tell apart; or, without names, anything else. */
export const together = (fields: Fields, apart: ReadonlyArray<string>): ReadonlyArray<Json> =>
  rows(fields)
    .slice(0, 2)
    .map((row) => ({
      ...row,
      ...Object.fromEntries(Object.entries(keysOf(fields, 0)).filter(([name]) => !apart.includes(name)))
    }))
