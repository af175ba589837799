/**
 * Maps the arrays of a stream to arrays that may be empty.
 */
import type * as Arr from "effect/Array"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

/** Gives for each array of a stream another one; goes on where that is empty. */
export const expand = <A, B, E, R>(
  self: Stream.Stream<A, E, R>,
  f: (items: Arr.NonEmptyReadonlyArray<A>) => ReadonlyArray<B>
): Stream.Stream<B, E, R> => expandResult(self, (items) => Result.succeed(f(items)))

/** Does the same with a function that may fail, which ends the stream. */
export const expandResult = <A, B, E, E3, R>(
  self: Stream.Stream<A, E, R>,
  f: (items: Arr.NonEmptyReadonlyArray<A>) => Result.Result<ReadonlyArray<B>, E3>
): Stream.Stream<B, E | E3, R> =>
  Stream.transformPull(self, (pull) => {
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<B>, E | E3, void, R> = Effect.flatMap(pull, (items) => {
      const made = f(items)
      if (Result.isFailure(made)) return Effect.fail(made.failure)
      return Arrays.isReadonlyArrayNonEmpty(made.success) ? Effect.succeed(made.success) : next
    })
    return Effect.succeed(next)
  })
