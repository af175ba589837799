/**
 * Paging over a listing, from either end, by opaque tokens (interface.md 2.1, facts.md 5.7).
 */
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Noise from "./data/Noise.ts"
import type { Query } from "./Query.ts"
import * as Refusal from "./Refusal.ts"

/** The end of the listing at which the first page begins. */
export type From = "start" | "end"

/** Where a page lies: its own range, and the position the next page starts from, if there is one. */
export interface Page {
  readonly from: number
  readonly to: number
  readonly next: Option.Option<number>
}

/** A position between two records, and whether an empty page has been served there already. */
export interface Position {
  readonly at: number
  readonly wasEmpty: boolean
}

// These may change from page to page without changing what is being listed.
const free = new Set(["api_key", "next_page_token", "next_page_url", "page_size", "pretty"])

/** Names what a query lists; tokens of one such name are refused by any other. */
export const binding = (path: string, query: Query): string => {
  const parts = [...query].filter(([name]) => !free.has(name)).sort(([a], [b]) => (a < b ? -1 : 1))
  return Noise.seed(JSON.stringify([path, parts])).toString(36)
}

/** Writes a token. */
export const token = (binding: string, position: Position): string =>
  Base64Url.encode(`${position.at}${position.wasEmpty ? "e" : ""}.${binding}`)

/** Reads a token back; one of another query, or of nobody, is refused. */
export const position = (text: string, binding: string, length: number): Effect.Effect<Position, Refusal.Refusal> => {
  const match = /^(\d{1,15})(e?)\.(.+)$/.exec(Result.getOrElse(Base64Url.decodeString(text), () => ""))
  const at = Number(match?.[1] ?? Number.NaN)
  return match === null || match[3] !== binding || !(at <= length)
    ? Effect.fail(Refusal.unsupported("next_page_token", text))
    : Effect.succeed({ at, wasEmpty: match[2] === "e" })
}

/** The position of the first page. */
export const first = (from: From, length: number): number => (from === "start" ? 0 : length)

/**
 * Finds the page at a position.
 *
 * **Details**
 *
 * Pages walk towards the other end, while the records inside a page ascend either way. With `emptyLast` a page that ends
 * exactly at the end still names a next one, which is empty.
 */
export const page = (from: From, position: number, size: number, length: number, emptyLast: boolean): Page => {
  if (from === "start") {
    const to = Math.min(length, position + size)
    return {
      from: position,
      to,
      next: to < length || (emptyLast && to - position === size) ? Option.some(to) : Option.none()
    }
  }
  const start = Math.max(0, position - size)
  const isMore = start > 0 || (emptyLast && position - start === size)
  return { from: start, to: position, next: isMore ? Option.some(start) : Option.none() }
}
