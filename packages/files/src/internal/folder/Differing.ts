/** Where two jobs differ, as errors tell it. */
import { harmless, withoutKey } from "@sluice/core/PlainText"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** A setting that differs, with both of its values as a message has them. */
export const Difference = Schema.Struct({ setting: Schema.String, kept: Schema.String, given: Schema.String })
export type Difference = typeof Difference.Type

/** Builds one of two values. Long ones are cut. */
export const differing = (setting: string, kept: unknown, given: unknown): Difference => ({
  setting,
  kept: shown(kept),
  given: shown(given)
})

/** A length of time that is one of its unit. */
const one = /^(1 (?:day|hour|minute|second|milli))s$/

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return "none"
  const text = harmless(withoutKey(Predicate.isString(value) ? value : JSON.stringify(value))).replace(one, "$1")
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Where two values differ, by the path of members; empty where they are the same. */
export const between = (at: string, kept: unknown, given: unknown): ReadonlyArray<Difference> => {
  if (!isPlain(kept) || !isPlain(given)) {
    return JSON.stringify(kept) === JSON.stringify(given) ? [] : [differing(at, kept, given)]
  }
  // Another format has other options.
  const isOther = kept["as"] !== given["as"]
  const keys = isOther ? ["as"] : new Set([...Object.keys(given), ...Object.keys(kept)])
  return [...keys].flatMap((key) => between(`${at}.${key}`, kept[key], given[key]))
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value)

/** Where two objects differ in some of their members. */
export const among = (names: ReadonlyArray<string>, kept: unknown, given: object): ReadonlyArray<Difference> =>
  names.flatMap((name) =>
    between(name, Predicate.hasProperty(kept, name) ? kept[name] : undefined, Reflect.get(given, name))
  )

/** What an error has of differences. */
export const told = (values: ReadonlyArray<Difference>) => ({ differs: values.map(({ setting }) => setting), values })

/** The most differences whose values stand in a message. */
const most = 5

/** The end of a sentence that has named the settings: their values. */
export const sayValues = (values: ReadonlyArray<Difference> = []): string =>
  values
    .slice(0, most)
    .map(({ given, kept, setting }) => `; ${setting} is ${kept} there, and ${given} in the job`)
    .join("")
