/**
 * Paging over a listing, from either end, by opaque tokens (docs/interface.md 2.1, 2.3, 2.4).
 *
 * A token names the last record of the page it came with, not a number of records (docs/interface.md 2.4). What the
 * service adds or removes between two requests is therefore neither repeated nor a reason to skip.
 */
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Noise from "../random/Noise.ts"
import type { Listing } from "./Listing.ts"
import type { Caller } from "../request/Caller.ts"
import * as Query from "../request/Query.ts"
import * as Refusal from "../request/Refusal.ts"

/** The end of the listing at which the first page begins. */
export type From = "start" | "end"

export interface Limit {
  readonly count: number
  readonly from: From
}

/**
 * Reads `limit_per_<entity>`: how many records of each entity, and from which end (docs/interface.md 4.6.1); undefined where the query has
 * none.
 *
 * Replies that were captured have the first records of the range with `paging_from=start`, and the last with `end`, the
 * default. A json_stream knows no `paging_from` and begins at the start, so it is taken to have the first.
 */
export const limit = (query: Query.Query, { dialect }: Caller, name: string): Limit | undefined => {
  const isFromStart = query.get("format") === "json_stream" || query.get("paging_from") === "start"
  const from = isFromStart && dialect.limit === "paging_from" ? "start" : "end"
  const count = Query.integer(query, name)
  return count === undefined ? undefined : { count, from }
}

/** Where a page lies: its own range, and the position the next page starts from, if there is one. */
export interface Page {
  readonly from: number
  readonly to: number
  readonly next: number | undefined
}

/** A position between two records, and how many empty pages have been served there already. */
export interface Position {
  readonly at: number
  readonly empty: number
}

// Parameters that may change between pages without changing the list.
const free = new Set(["api_key", "next_page_token", "next_page_url", "page_size", "pretty"])

/** Identifies the list of a query. A token is only valid for its own list. */
export const binding = (path: string, query: Query.Query): string => {
  const parts = [...query].filter(([name]) => !free.has(name)).sort(([a], [b]) => (a < b ? -1 : 1))
  return Noise.seed(JSON.stringify([path, parts])).toString(36)
}

export const first = (from: From, length: number): number => (from === "start" ? 0 : length)

// The record that a page at this position comes after, in the direction of paging; none for the first page.
const recordBefore = (from: From, { at }: Position, { length, nameAt }: Listing): string =>
  at === first(from, length) ? "" : nameAt(from === "start" ? at - 1 : at)

export const token = (binding: string, from: From, position: Position, listing: Listing): string =>
  Base64Url.encode(`${position.empty}.${binding}.${recordBefore(from, position, listing)}`)

export const longer = (token: string, more: number): string => token + ".".repeat(more)

/** Parses a token. Refuses a token of another query and an invalid one. */
export const position = (
  text: string,
  binding: string,
  from: From,
  listing: Listing
): Effect.Effect<Position, Refusal.Refusal> => {
  const match = /^(\d{1,9})\.([^.]+)\.(.*)$/.exec(
    Result.getOrElse(Base64Url.decodeString(text.replace(/\.+$/, "")), () => "")
  )
  const [, empty, bound, name = ""] = match ?? []
  const place = name === "" ? undefined : listing.positionOf(name)
  return bound !== binding || (name !== "" && place === undefined)
    ? Effect.fail(Refusal.unsupported("next_page_token", text))
    : Effect.succeed({
        at: place === undefined ? first(from, listing.length) : from === "start" ? place.after : place.before,
        empty: Number(empty)
      })
}

/**
 * Finds the page at a position.
 *
 * Pages walk towards the other end, while the records inside a page ascend either way. With `emptyLast` a page that ends
 * exactly at the end still names a next one, which is empty.
 */
export const page = (from: From, position: number, size: number, length: number, emptyLast: boolean): Page => {
  if (from === "start") {
    const to = Math.min(length, position + size)
    return { from: position, to, next: to < length || (emptyLast && to - position === size) ? to : undefined }
  }
  const start = Math.max(0, position - size)
  return { from: start, to: position, next: start > 0 || (emptyLast && position === size) ? start : undefined }
}
