/** Wildcards in lists: `*` stands for any characters (docs/interface.md 11.3). */
import * as Predicate from "effect/Predicate"

export const is = (item: string): boolean => item.includes("*")

/** Whether a list can hold a name: the service would split it, expand it, or read a provider's name in it. */
export const isListable = (name: string): boolean => name.trim() === name && !/[,*:]/.test(name)

/** Builds the test of names by a pattern. It searches each part once, where a regular expression tries all ways to match them. */
export const matcher = (pattern: string): ((name: string) => boolean) => {
  const parts = pattern.split("*")
  return parts.length === 1 ? (name) => name === pattern : (name) => fits(parts, name)
}

/** Whether a name has these parts in their order, the first at its start and the last at its end. */
const fits = (parts: ReadonlyArray<string>, name: string): boolean => {
  const [first = "", last = ""] = [parts[0], parts.at(-1)]
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  const end = name.length - last.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
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
