/**
 * One endpoint of the stand-in, as data.
 */
import type * as Effect from "effect/Effect"
import type * as Listing from "./Listing.ts"
import type * as Paging from "./Paging.ts"
import type { Licence } from "./Plan.ts"
import type { Query } from "./Query.ts"
import type { Refusal } from "./Refusal.ts"

/** Who asks: what the key may read, and whether the community root was used. */
export interface Caller {
  readonly isCommunity: boolean
  readonly licence: Licence
}

/** One endpoint. */
export interface Endpoint {
  /** Relative to the root, such as `/reference-data/assets`. */
  readonly path: string
  /** Served at the community root too. */
  readonly community: boolean
  /** The parameters it knows beside those of paging. */
  readonly parameters: ReadonlyArray<string>
  /** The end at which paging begins when the caller does not say. */
  readonly pagingFrom: Paging.From
  /** Reads the parameters and lists the records they ask for. */
  readonly list: (query: Query, caller: Caller) => Effect.Effect<Listing.Listing, Refusal>
}
