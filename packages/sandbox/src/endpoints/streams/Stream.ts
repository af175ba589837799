/**
 * What every live stream has in common: the list of entities, and leniency (docs/interface.md 6.2).
 */
import * as Effect from "effect/Effect"
import type { Feed } from "../../internal/live/Feed.ts"
import type { StreamEndpoint } from "../../internal/live/StreamEndpoint.ts"
import type * as Refusal from "../../internal/request/Refusal.ts"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Entities from "../timeseries/Entities.ts"

/** One live stream, as data. */
export interface Stream<E> {
  /** The last part of its path. */
  readonly name: string
  readonly entities: Entities.Entities<E>
  readonly parameters?: ReadonlyArray<string>
  /** Whether it offers to leave out what is not supported, and what may not be read. */
  readonly isLenient?: boolean
  /** Reads the parameters of its own, and gives what an entity publishes: nothing for one that has no such series. */
  readonly feeds: (
    query: Query.Query,
    caller: Caller
  ) => Effect.Effect<(entity: E) => Feed | Refusal.Refusal | undefined, Refusal.Refusal>
}

const leniency = ["ignore_unsupported_errors", "ignore_forbidden_errors"]

/** Builds the stream at `/timeseries-stream/<name>`. */
export const make = <E>(self: Stream<E>): StreamEndpoint => ({
  path: `/timeseries-stream/${self.name}`,
  parameters: [self.entities.parameter, ...(self.parameters ?? []), ...(self.isLenient === true ? leniency : [])],
  open: Effect.fnUntraced(function* (query, caller) {
    const ignores = (name: string) =>
      self.isLenient === true ? Query.boolean(query, name, false) : Effect.succeed(false)
    const ignoresUnsupported = yield* ignores("ignore_unsupported_errors")
    const ignoresForbidden = yield* ignores("ignore_forbidden_errors")
    const chosen = yield* Entities.choose(self.entities, query, ignoresUnsupported)
    const feedOf = yield* self.feeds(query, caller)
    return yield* Entities.resolve(self.entities, chosen, { ignoresForbidden, ignoresUnsupported }, feedOf)
  })
})
