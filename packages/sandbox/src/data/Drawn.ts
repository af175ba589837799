/**
 * Records drawn from the table of operations: a value for each field by its kind. Families that have no reality of their own
 * consist of these.
 */
import type { Fields, Type } from "#interface/Field"
import * as Table from "#interface/Table"
import { below, curve, pick, seed } from "../internal/random/Noise.ts"
import { date, DAY, MINUTE, nanos } from "../internal/time/Calendar.ts"
import * as Values from "./Values.ts"

/** Draws what there is at an instant; `key` stands for the entity. */
export type Draw<A> = (key: number, ms: number) => A

export type Json = Readonly<Record<string, unknown>>

const most = 3

/** Forms that a time and a text have beside the usual one (docs/interface.md 10.1). */
const unusual = "N/A"

const valueOf = (name: string, type: Type, isVaried = false): Draw<unknown> => {
  const salt = seed(name)
  switch (type._tag) {
    case "decimal":
      return (key, ms) => Values.decimal(0.1 + 100 * curve(key ^ salt, ms / DAY), key ^ salt, Math.floor(ms / MINUTE))
    case "int64":
      return (key, ms) => Values.integer(1 + 1000 * curve(key ^ salt, ms / DAY))
    case "number":
      return (key) => 1 + below(key ^ salt, 1, 100_000)
    case "time":
      return (key, ms) => (isVaried ? pick(key ^ salt, 2, [nanos(ms), date(ms), unusual]) : nanos(ms))
    case "bool":
      return (key) => below(key ^ salt, 1, 2) === 0
    case "word":
      return (key) => type.words[below(key ^ salt, 1, type.words.length)]
    case "text":
      return (key) => `${name} ${1 + below(key ^ salt, 1, 1000)}`
    case "object":
      return fieldsOf(type.fields, isVaried)
    case "either":
      return several(fieldsOf(type.fields))
    case "list":
      return several(valueOf(name, type.of, isVaried))
  }
}

const several =
  (item: Draw<unknown>): Draw<ReadonlyArray<unknown>> =>
  (key, ms) =>
    Array.from({ length: 1 + below(key, Math.floor(ms / MINUTE), most) }, (_, n) => item(key + n, ms))

/** Draws every field of a record; those of its own are given to it afterwards. */
export const fieldsOf = (fields: Fields, isVaried = false): Draw<Json> => {
  const draws = Object.entries(fields).map(([name, { type }]) => [name, valueOf(name, type, isVaried)] as const)
  return (key, ms) => Object.fromEntries(draws.map(([name, draw]) => [name, draw(key, ms)]))
}

export const recordsOf = (path: string): Draw<Json> => fieldsOf(Table.find(path).record)

/** What becomes of a field in twelve records. */
const absent = 4
const empty = 5

const emptied = ({ _tag }: Type) => (_tag === "list" ? [] : _tag === "text" || _tag === "int64" ? unusual : null)

/**
 * Draws records of which each has some of the fields: of those that are no key, a third is absent, and one in twelve each is null and
 * holds nothing. Times are written in all their forms.
 */
export const partialsOf = (path: string): Draw<Json> => partial(Table.find(path).record)

/** Draws what a provider says of a record, where it is included. */
export const providedOf = (path: string): Draw<Json> => partial(Table.find(path).more.included?.["talos"] ?? {})

const partial = (record: Fields): Draw<Json> => {
  const whole = fieldsOf(record, true)
  return (key, ms) =>
    Object.fromEntries(
      Object.entries(whole(key, ms)).flatMap(([name, value]) => {
        const field = record[name]
        const chance = below(key ^ seed(name), 3, 12)
        if (field === undefined || field.isKey || chance > empty) return [[name, value]]
        return chance < absent ? [] : [[name, chance === absent ? null : emptied(field.type)]]
      })
    )
}
