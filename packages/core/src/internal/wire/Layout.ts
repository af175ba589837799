/**
 * The layout of a record as the service writes it: its keys in order, and the bytes around its values.
 *
 * A record does not fit a layout when it has a text with escapes or characters outside ASCII, a nested value, or a number
 * that a double may not hold.
 */
import type * as Accepted from "./Accepted.ts"

/** Keys in order, the text around their values, and the kinds of value that each key accepts. */
export interface Layout {
  readonly keys: ReadonlyArray<string>
  /** ASCII: the text before each value, and the text after the last one. */
  readonly literals: ReadonlyArray<string>
  readonly accepted: Uint8Array
}

/** A record with more keys has no layout. */
const mostKeys = 512

const member = /[{,] *"([ !#-[\]-~]*)" *: */y
const value = /"[ !#-[\]-~]*"|-?\d[\d.]*|null|true|false/y
const ending = / *\}/y

const take = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/**
 * Learns the layout of a record that is valid JSON. Returns nothing for keys that an object does not take in this order: a
 * repeated key, `__proto__`, or an integer, which objects put first.
 */
export const learn = (text: string, accepted: Accepted.Accepted): Layout | undefined => {
  const keys: Array<string> = []
  const literals: Array<string> = []
  let at = 0
  for (let found = take(member, text, 0); found !== null; found = take(member, text, at)) {
    const [before, key = ""] = found
    literals.push(before)
    at += before.length
    const [held] = take(value, text, at) ?? []
    if (held === undefined || keys.includes(key) || key === "__proto__" || /^\d+$/.test(key)) return undefined
    if (keys.push(key) > mostKeys) return undefined
    at += held.length
  }
  const [last] = take(ending, text, at) ?? []
  const kinds = keys.length === 0 || last === undefined || at + last.length !== text.length ? undefined : accepted(keys)
  return last === undefined || kinds === undefined
    ? undefined
    : { keys, literals: [...literals, last], accepted: kinds }
}
