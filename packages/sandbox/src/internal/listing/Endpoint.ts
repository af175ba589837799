/**
 * One endpoint of the stand-in, as data.
 */
import type * as Effect from "effect/Effect"
import type { Dialect } from "../../Dialect.ts"
import type { Caller } from "../request/Caller.ts"
import type * as Listing from "./Listing.ts"
import type * as Paging from "./Paging.ts"
import type { Query } from "../request/Query.ts"
import type { Refusal } from "../request/Refusal.ts"

/** The forms of a reply. */
export type Format = "json" | "json_stream"

/** How many records a page may have, and how many it has when the caller does not say. */
export interface PageSize {
  readonly maximum: number
  readonly otherwise: number
}

/** The parts of a path that stand in braces, by name. */
export type Parts = ReadonlyMap<string, string>

/** One endpoint. */
export interface Endpoint {
  /** Relative to the root, such as `/reference-data/assets`; parts of it that vary stand in braces. */
  readonly path: string
  /** Served at the community root too. */
  readonly community: boolean
  /** The parameters it knows beside those that its paging and its formats bring. */
  readonly parameters: ReadonlyArray<string>
  /** Those that the community root has disabled. */
  readonly disabled?: ReadonlyArray<string>
  /** The end at which paging begins when the caller does not say; `none`: the whole list in one `{data}`. */
  readonly pagingFrom: Paging.From | "none"
  /** The forms it offers, by default both; where there is but one, `format` is an unknown parameter. */
  readonly formats?: ReadonlyArray<Format> | undefined
  /** The records of a page, where they are not at most 10,000 and by default 100; they may follow from the query. */
  readonly pageSize?: ((query: Query, dialect: Dialect) => PageSize) | undefined
  /** Whether it pages from the start alone, and knows no `paging_from`. */
  readonly isOnward?: true
  /** Whether the reply is the one record of the list, without an envelope. */
  readonly isSingle?: true
  /** Reads the parameters and lists the records they ask for. */
  readonly list: (query: Query, caller: Caller, parts: Parts) => Effect.Effect<Listing.Listing, Refusal>
}

const every: ReadonlyArray<Format> = ["json", "json_stream"]

/** The size of the pages that a query asks an endpoint for. */
export const pageSize = (self: Endpoint, query: Query, dialect: Dialect): PageSize =>
  self.pageSize?.(query, dialect) ?? { maximum: 10_000, otherwise: 100 }

/** The forms an endpoint offers. */
export const formats = (self: Endpoint): ReadonlyArray<Format> => self.formats ?? every

/** Every parameter an endpoint knows. */
export const known = (self: Endpoint): ReadonlyArray<string> => [
  "api_key",
  "pretty",
  ...(formats(self).length > 1 ? ["format"] : []),
  ...(self.pagingFrom === "none" ? [] : ["page_size", "next_page_token"]),
  ...(self.pagingFrom === "none" || self.isOnward === true ? [] : ["paging_from"]),
  ...self.parameters
]
