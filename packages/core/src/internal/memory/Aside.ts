/**
 * Values that leave an effect beside what is wrapped around it.
 *
 * A scope keeps the exit it was closed with, and a span the one it ended with, for as long as anything reaches them. The
 * value of a request is a page of records: kept there it outlives its use many times over, and a tracer would see
 * whatever the service wrote into it, the key in `next_page_url` included.
 */
import * as Effect from "effect/Effect"

/** Runs an effect inside `wrap`, which learns that it ended and how, but not with what value. */
export const aside = <A, E, R, R2>(
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
