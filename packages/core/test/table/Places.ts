/**
 * The fields of a record with what they hold, and what they may not hold: by the kind of each alone.
 */
import type { Fields, Type } from "@sluice/interface/Field"
import type { Json } from "@sluice/interface/Sample"
import * as Predicate from "effect/Predicate"

type Step = string | number

/** Where a field stands inside a record, what it holds, and of which kind that is. */
export interface Place {
  readonly steps: ReadonlyArray<Step>
  readonly type: Type
  readonly value: unknown
}

/** Every field of a record, those of the objects inside it as well; of the items of a list, the first that has a field. */
export const of = (fields: Fields, record: Json): ReadonlyArray<Place> => {
  const places = below({ _tag: "object", fields }, record, [])
  return [...new Map(places.toReversed().map((place) => [shape(place), place])).values()].toReversed()
}

const shape = ({ steps }: Place) => steps.filter(Predicate.isString).join("\n")

const below = (type: Type, value: unknown, above: ReadonlyArray<Step>): ReadonlyArray<Place> => {
  switch (type._tag) {
    case "list":
      return items(type.of, value, above)
    case "either":
      return items({ _tag: "object", fields: type.fields }, value, above)
    case "object":
      return Object.entries(type.fields).flatMap(([name, { type }]) => {
        // Type boundary: the value is a sample of this type.
        const held = (value as Json)[name]
        const steps = [...above, name]
        return held === undefined ? [] : [{ steps, type, value: held }, ...below(type, held, steps)]
      })
    default:
      return []
  }
}

const items = (of: Type, value: unknown, above: ReadonlyArray<Step>) =>
  Array.isArray(value) ? value.flatMap((item, index) => below(of, item, [...above, index])) : below(of, value, above)

/** Whether a place is a key of the record. */
export const isKey =
  (fields: Fields) =>
  ({ steps: [name = "", ...below] }: Place) =>
    below.length === 0 && fields[name]?.isKey === true

/** The record with something else at a place, or with nothing there. */
export const put = (value: unknown, [step, ...rest]: ReadonlyArray<Step>, next: unknown): unknown => {
  if (step === undefined) return next
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? put(item, rest, next) : item))
  const changed = Object.entries(value as Json).map(([key, item]) => [key, key === step ? put(item, rest, next) : item])
  return Object.fromEntries(changed.filter(([, item]) => item !== undefined))
}

/** A path as errors write it. */
export const written = (steps: ReadonlyArray<Step>) =>
  steps
    .map((step) => {
      if (Predicate.isNumber(step)) return `[${step}]`
      return /^\w+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
    })
    .join("")

/** Values that no field of a kind may have, the likeliest first. */
export const wrong = (type: Type): readonly [unknown, ...ReadonlyArray<unknown>] => {
  switch (type._tag) {
    case "bool":
      return ["true", 1, {}]
    case "number":
      return [true, {}, ["7"]]
    case "list":
      return ["one,two", {}, 7]
    case "object":
      return ["text", 7, true]
    case "either":
      return ["text", 7, true]
    default:
      return [7, {}, true, ["text"]]
  }
}
