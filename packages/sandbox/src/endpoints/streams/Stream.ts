/** What every live stream has in common: the list of entities, and leniency (docs/interface.md 6.2). */
import * as Effect from "effect/Effect"
import type { Feed } from "../../internal/live/Feed.ts"
import type * as Refusal from "../../internal/request/Refusal.ts"
import type { Caller } from "../../internal/request/Caller.ts"
import type * as Query from "../../internal/request/Query.ts"
import * as Entities from "../timeseries/Entities.ts"

/** One live stream, as data (docs/interface.md 6.2). */
export interface Endpoint {
  /** Relative to the root, such as `/timeseries-stream/market-trades`. */
  readonly path: string
  /** Gives what parameters ask for, which were checked and have their defaults. */
  readonly open: (query: Query.Query, caller: Caller) => Effect.Effect<ReadonlyArray<Feed>, Refusal.Refusal>
}

export interface Stream<E> {
  readonly name: string
  readonly entities: Entities.Entities<E>
  /** Reads the parameters of its own, and gives what an entity publishes: nothing for one that has no such series. */
  readonly feeds: (
    query: Query.Query,
    caller: Caller
  ) => Effect.Effect<(entity: E) => Feed | Refusal.Refusal | undefined, Refusal.Refusal>
}

export const make = <E>(self: Stream<E>): Endpoint => {
  const path = `/timeseries-stream/${self.name}`
  const entities = Entities.of(path, self.entities)
  return {
    path,
    open: Effect.fnUntraced(function* (query, caller) {
      const leniency = Entities.leniency(query)
      const chosen = yield* Entities.choose(entities, query, leniency)
      const feedOf = yield* self.feeds(query, caller)
      return yield* Entities.resolve(entities, chosen, leniency, feedOf)
    })
  }
}
