/**
 * One live stream of the stand-in, as data (docs/interface.md 6.2).
 */
import type * as Effect from "effect/Effect"
import type { Refusal } from "../request/Refusal.ts"
import type { Caller } from "../request/Caller.ts"
import type { Query } from "../request/Query.ts"
import type { Feed } from "./Feed.ts"

export interface StreamEndpoint {
  /** Relative to the root, such as `/timeseries-stream/market-trades`. */
  readonly path: string
  /** Gives what parameters ask for, which were checked and have their defaults. */
  readonly open: (query: Query, caller: Caller) => Effect.Effect<ReadonlyArray<Feed>, Refusal>
}
