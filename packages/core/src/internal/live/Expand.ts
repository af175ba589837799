/**
 * Maps the arrays of a stream to arrays that may be empty.
 */
import type * as Arr from "effect/Array"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Gives for each array of a stream another one; goes on where that is empty. */
export const expand = <A, B, E, R>(
  self: Stream.Stream<A, E, R>,
  f: (items: Arr.NonEmptyReadonlyArray<A>) => ReadonlyArray<B>
): Stream.Stream<B, E, R> =>
  Stream.transformPull(self, (pull) => {
    const next: typeof pull extends Effect.Effect<infer _, infer E2, infer R2>
      ? Effect.Effect<Arr.NonEmptyReadonlyArray<B>, E2, R2>
      : never = Effect.flatMap(pull, (items) => {
      const made = f(items)
      return Arrays.isReadonlyArrayNonEmpty(made) ? Effect.succeed(made) : next
    })
    return Effect.succeed(next)
  })
