/**
 * Streams that are read side by side and put together: as they arrive, or one after the other.
 *
 * `Stream.flatMap` would do for the first, but ends its streams one by one: what one gives up another takes, and requests
 * leave that nobody waits for any more. Here all end at once.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

type Batches<A, E> = Queue.Queue<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>

/** Arrays that wait for the reader. */
const waiting = 16

/** Arrays a stream may be ahead of its turn. */
const ahead = 2

const into = <A, E, R>(queue: Batches<A, E>, stream: Stream.Stream<A, E, R>) =>
  Stream.runForEachArray(stream, (batch) => Queue.offer(queue, batch))

/** Reads the streams of a list, so many at a time, and gives what they bring as it arrives. */
export const arriving = <I, A, E, R>(
  inputs: ReadonlyArray<I>,
  streamOf: (input: I) => Stream.Stream<A, E, R>,
  concurrency: number
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const queue = yield* Queue.bounded<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>(waiting)
      const all = Effect.forEach(inputs, (input) => into(queue, streamOf(input)), { concurrency, discard: true })
      yield* Effect.forkScoped(Queue.into(all, queue))
      return Stream.fromPull(Effect.succeed(Queue.take(queue)))
    })
  )

/**
 * Reads the streams of a list in their order, while those next in line already run: so many at a time, each at most a few
 * arrays ahead of its turn.
 */
export const inTurn = <I, A, E, R>(
  inputs: ReadonlyArray<I>,
  streamOf: (input: I) => Stream.Stream<A, E, R>,
  concurrency: number
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
      const running: Array<Batches<A, E>> = []
      let begun = 0

      const begin = Effect.fnUntraced(function* (input: I) {
        const queue = yield* Queue.bounded<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>(ahead)
        yield* Effect.forkIn(Queue.into(into(queue, streamOf(input)), queue), scope)
        running.push(queue)
      })

      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E, void, R> = Effect.suspend(() => {
        if (begun < inputs.length && running.length < concurrency) {
          return Effect.andThen(begin(inputs[begun++]!), next)
        }
        const [first] = running
        if (first === undefined) return Cause.done()
        return Pull.catchDone(Queue.take(first), () => {
          running.shift()
          return next
        })
      })
      return Stream.fromPull(Effect.succeed(next))
    })
  )
