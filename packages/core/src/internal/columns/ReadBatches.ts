/** Batches of columns of what is pulled, as a stream. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Collector from "./Collector.ts"
import type { Unwritable } from "./FormatError.ts"

type Pulled<B, E> = Pull.Pull<Arr.NonEmptyReadonlyArray<B>, E | Unwritable>

/** Adds what was pulled. */
type Add<A> = (collector: Collector.Collector, pulled: Arr.NonEmptyReadonlyArray<A>) => Result.Result<void, Unwritable>

/** Makes batches of what is read, whose type the caller knows. What was read before a failure is emitted first. */
export const of = <B, A, E, R>(
  read: Stream.Stream<A, E, R>,
  making: Collector.Making,
  add: Add<A>
): Stream.Stream<B, E | Unwritable, R> =>
  Stream.transformPull(read, (pull) => Effect.sync(() => batches<B, A, E>(pull, making, add)))

const batches = <B, A, E>(
  pull: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E>,
  making: Collector.Making,
  add: Add<A>
): Pulled<B, E> => {
  const made: Array<B> = []
  // Type boundary: the columns follow from the schema that the type of the endpoint promises.
  const collector = Collector.make(making, (batch) => made.push(batch as object as B))
  let ending: Pulled<B, E> | undefined
  const waiting: Pulled<B, E> = Effect.suspend(() => {
    const batch = made.shift()
    return batch === undefined ? (ending ?? more) : Effect.succeed(Arr.of(batch))
  })
  const endWith = (how: Pulled<B, E>, isWhole = false): Pulled<B, E> => {
    collector.end(isWhole)
    ending = how
    return waiting
  }
  const more: Pulled<B, E> = Pull.matchEffect(pull, {
    onDone: () => endWith(Cause.done(), true),
    onFailure: (cause) => endWith(Effect.failCause(cause)),
    onSuccess: (pulled) => {
      const added = add(collector, pulled)
      return Result.isSuccess(added) ? waiting : endWith(Effect.fail(added.failure))
    }
  })
  return waiting
}
