/**
 * Keeps large results out of scopes and spans.
 *
 * A scope keeps the exit it was closed with, and a span the exit it ended with, for as long as anything can reach them. The
 * result of a request is a page of records, so it would stay in memory long after its use. A tracer would also see
 * whatever the service wrote into it, including the key in `next_page_url`.
 */
import * as Effect from "effect/Effect"

/** Runs an effect in a scope or span without letting that scope or span retain its result. */
export const withoutRetainingResult = <A, E, R, R2>(
  self: Effect.Effect<A, E, R>,
  wrap: (self: Effect.Effect<void, E, R>) => Effect.Effect<void, E, R2>
): Effect.Effect<A, E, R2> =>
  Effect.suspend(() => {
    let kept: { readonly value: A } | undefined
    const keep = Effect.map(self, (value) => {
      kept = { value }
    })
    return Effect.map(wrap(keep), () => {
      const { value } = kept!
      kept = undefined
      return value
    })
  })
