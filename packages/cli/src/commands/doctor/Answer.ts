/** Answers to assistants: no larger than they can read, and without the key. */
import type { Account } from "@sluice/core/Account"
import { harmless } from "@sluice/core/PlainText"
import * as Predicate from "effect/Predicate"

/** The most characters of the list in an answer, as JSON. The protocol has it twice, as text and as data. */
export const mostCharacters = 50_000

/** As many items as fit into an answer, and whether others were left out because it would be too large. */
export const cut = <A>(items: ReadonlyArray<A>, most: number = mostCharacters) => {
  let length = 0
  const end = items.findIndex((item) => (length += JSON.stringify(item).length + 1) > most)
  return end === -1 ? { items, isCut: false } : { items: items.slice(0, end), isCut: true }
}

/** How deep lists and objects of an item may be nested. What writes and reads an answer calls itself for each level. */
export const mostDepth = 64

export const isTooDeep = (item: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [item]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > mostDepth) return true
    level = level.flatMap((one) => (Array.isArray(one) || Predicate.isObject(one) ? Object.values(one) : []))
  }
  return false
}

/** What a number that is the key becomes. */
const mark = "<redacted>"

/** Removes the key from every text and number of a value, also where it is escaped. Others stay as they are. */
export const withoutKey = (account: Pick<Account["Service"], "scrub">, value: unknown): unknown => {
  if (Predicate.isString(value)) {
    const scrubbed = account.scrub(value)
    // Scrubbing makes a text harmless to print too. Only what it changes beyond that is the key.
    return scrubbed === harmless(value) ? value : scrubbed
  }
  if (Predicate.isNumber(value)) return account.scrub(String(value)) === String(value) ? value : mark
  if (Array.isArray(value)) return value.map((item) => withoutKey(account, item))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [String(withoutKey(account, key)), withoutKey(account, item)])
  )
}
