/** One endpoint of the stand-in: what the table of operations says of its path, and where its records come from. */
import * as Effect from "effect/Effect"
import type { Operation } from "#interface/Operation"
import type { Dialect } from "../../Dialect.ts"
import type { Caller } from "../request/Caller.ts"
import type * as Listing from "./Listing.ts"
import * as Offered from "../request/Offered.ts"
import type * as Paging from "./Paging.ts"
import type { Query } from "../request/Query.ts"
import type { Refusal } from "../request/Refusal.ts"

/** How many records a page may have, and how many it has when the caller does not say. */
export interface PageSize {
  readonly maximum: number
  readonly otherwise: number
}

/** The parts of a path that stand in braces, by name. */
export type Parts = ReadonlyMap<string, string>

export interface Source {
  /** Relative to the root, such as `/reference-data/assets`; parts of it that vary stand in braces. */
  readonly path: string
  /** The records of a page, where they follow from the query or the dialect. */
  readonly pageSize?: ((query: Query, dialect: Dialect) => PageSize) | undefined
  /** Lists the records that parameters ask for, which were checked and have their defaults. */
  readonly list: (query: Query, caller: Caller, parts: Parts) => Effect.Effect<Listing.Listing, Refusal>
}

/** Lists records, as {@link Source} does, by a generator. */
export type List = (query: Query, caller: Caller, parts: Parts) => Effect.fn.Return<Listing.Listing, Refusal>

export const source = (path: string, list: List): Source => ({ path, list: Effect.fnUntraced(list) })

export interface Endpoint extends Source {
  readonly operation: Operation
}

export const make = (source: Source): Endpoint => ({ ...source, operation: Offered.find(source.path) })

export const pageSize = ({ operation, pageSize }: Endpoint, query: Query, dialect: Dialect): PageSize => {
  const { default: usual, maximum = 0 } = operation.parameters["page_size"] ?? {}
  return pageSize?.(query, dialect) ?? { maximum, otherwise: Number(usual) }
}

/** The end at which paging begins when the caller does not say; `none`: the whole list in one `{data}`. */
export const pagingFrom = ({ operation: { parameters } }: Endpoint): Paging.From | "none" => {
  if (parameters["page_size"] === undefined) return "none"
  return parameters["paging_from"]?.default === "end" ? "end" : "start"
}

export const isCommunity = ({ operation }: Endpoint): boolean => operation.roots.includes("community")

/** Whether the reply is the one record of the list, without an envelope. */
export const isSingle = ({ operation }: Endpoint): boolean => operation.reply === "record"
