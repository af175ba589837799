/**
 * Wildcards in lists: `*` stands for any characters (docs/interface.md 11.3).
 */
import * as Predicate from "effect/Predicate"

/** Whether an item is a pattern. */
export const is = (item: string): boolean => item.includes("*")

/** Tells whether a name matches a pattern. */
export const matcher = (pattern: string): ((name: string) => boolean) => {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
  const form = new RegExp(`^${parts.join(".*")}$`)
  return (name) => form.test(name)
}

/** The exchange and the type in a pattern of markets, where it names them: a catalog has tens of thousands of others. */
export const marketFilter = (pattern: string): Readonly<Record<string, string>> => {
  const exchange = /^([^*-]+)-/.exec(pattern)?.[1]
  const type = /-(spot|future|option)$/.exec(pattern)?.[1]
  return { ...(exchange === undefined ? {} : { exchange }), ...(type === undefined ? {} : { type }) }
}

/**
 * Whether a record of a catalog has data at a frequency; true where it says nothing of frequencies. Days that begin at
 * another hour are made of those that are listed.
 */
export const hasFrequency = (record: unknown, frequency: string | undefined): boolean => {
  if (frequency === undefined) return true
  const wanted = /^1d-\d\d:00$/.test(frequency) ? "1d" : frequency
  const metrics = listOf(record, "metrics")
  const ranges = metrics?.flatMap((metric) => listOf(metric, "frequencies") ?? []) ?? listOf(record, "frequencies")
  return ranges?.some((range) => Predicate.hasProperty(range, "frequency") && range.frequency === wanted) ?? true
}

/** A field that holds a list; nothing where it holds none. */
export const listOf = (value: unknown, name: string): ReadonlyArray<unknown> | undefined => {
  const list = Predicate.hasProperty(value, name) ? value[name] : undefined
  return Array.isArray(list) ? list : undefined
}
