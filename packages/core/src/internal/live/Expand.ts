/**
 * Maps the arrays of a stream to arrays that may be empty.
 */
import type * as Arr from "effect/Array"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

/** Gives for each array of a stream another one; goes on where that is empty. */
export const expand = <A, B, E, R>(
  self: Stream.Stream<A, E, R>,
  f: (items: Arr.NonEmptyReadonlyArray<A>) => ReadonlyArray<B>
): Stream.Stream<B, E, R> => expandUntil<A, B, E, never, R>(self, f, () => undefined)

/** Does the same until there is a failure, which comes behind what was given before it. */
export const expandUntil = <A, B, E, E2, R>(
  self: Stream.Stream<A, E, R>,
  f: (items: Arr.NonEmptyReadonlyArray<A>) => ReadonlyArray<B>,
  failure: () => E2 | undefined
): Stream.Stream<B, E | E2, R> =>
  Stream.transformPull(self, (pull) => {
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<B>, E | E2, void, R> = Effect.suspend(() => {
      const failed = failure()
      if (failed !== undefined) return Effect.fail(failed)
      return Effect.flatMap(pull, (items) => {
        const made = f(items)
        return Arrays.isReadonlyArrayNonEmpty(made) ? Effect.succeed(made) : next
      })
    })
    return Effect.succeed(next)
  })
