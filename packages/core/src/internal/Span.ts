/**
 * Spans that end with their outcome but without its value: a reply holds a page of records, and whatever the service
 * wrote into it, the key in `next_page_url` included.
 */
import * as Effect from "effect/Effect"
import type * as Tracer from "effect/Tracer"

/** Runs an effect in a span of its own. */
export const within =
  (name: string, options: Tracer.SpanOptionsNoTrace) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      let value: A
      const keep = Effect.map(self, (found) => {
        value = found
      })
      return Effect.map(Effect.withSpan(keep, name, options), () => value)
    })
