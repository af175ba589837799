/**
 * Holds what a reader was given against what the service has.
 */
import { Effect } from "effect"

/** A promise that was broken. */
const broken = (what: string) => Effect.die(new Error(what))

/** A record as text, by which it is compared. */
export const textOf = (record: unknown): string => JSON.stringify(record)

/** The truth has to be there, each record once and no other; in whatever order. */
export const same = Effect.fnUntraced(function* (told: ReadonlyArray<unknown>, truth: ReadonlyArray<string>) {
  const left = new Set(truth)
  for (const text of told.map(textOf)) {
    if (!left.delete(text)) {
      return yield* broken(`${truth.includes(text) ? "comes twice" : "is none of the service's"}: ${text}`)
    }
  }
  if (left.size > 0) return yield* broken(`${left.size} of ${truth.length} are missing, such as ${[...left][0]}`)
})

/** What came before an end that was asked for, or a typed error: each record once and no other. */
export const part = Effect.fnUntraced(function* (told: ReadonlyArray<unknown>, truth: ReadonlyArray<string>) {
  const texts = new Set(told.map(textOf))
  return yield* same(
    told,
    truth.filter((text) => texts.has(text))
  )
})

/** What came is how the truth begins. */
export const inOrder = Effect.fnUntraced(function* (told: ReadonlyArray<unknown>, truth: ReadonlyArray<string>) {
  const texts = told.map(textOf)
  const at = texts.findIndex((text, index) => text !== truth[index])
  if (at !== -1) return yield* broken(`record ${at} is ${texts[at]} instead of ${truth[at] ?? "none"}`)
})

/** All that was there before and is still has to be, and of what came or went since any part. */
export const between = Effect.fnUntraced(function* (
  told: ReadonlyArray<unknown>,
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>
) {
  const still = new Set(after)
  const due = new Set(before.filter((text) => still.has(text)))
  yield* part(told, [...new Set([...before, ...after])])
  yield* same(
    told.filter((record) => due.has(textOf(record))),
    [...due]
  )
})

/** Nothing is held any more. */
export const released = (counts: Readonly<Record<string, number>>) => {
  const held = Object.entries(counts).find(([, count]) => count !== 0)
  return held === undefined ? Effect.void : broken(`${held[0]} is ${held[1]} afterwards`)
}

/** Nothing is wrong. */
export const none = (found: ReadonlyArray<string>) =>
  found[0] === undefined ? Effect.void : broken(`${found[0]}, and ${found.length - 1} others`)
