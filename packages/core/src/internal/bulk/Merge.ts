/**
 * Reads several streams concurrently and merges them: in the order of arrival, or one stream after the other.
 *
 * `Stream.flatMap` merges by arrival too, but it interrupts its streams one by one. A permit released by one stream is then
 * taken by the next, which sends a request whose reply nobody reads. Here all streams are interrupted at once.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

type Batches<A, E> = Queue.Queue<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>

/** Arrays buffered for the reader. */
const bufferSize = 16

/** Arrays buffered of a stream whose turn has not come. */
const aheadSize = 2

const offerAll = <A, E, R>(queue: Batches<A, E>, stream: Stream.Stream<A, E, R>) =>
  Stream.runForEachArray(stream, (batch) => Queue.offer(queue, batch))

/** Reads up to `concurrency` streams at a time and emits their values in the order of arrival. */
export const byArrival = <I, A, E, R>(
  inputs: ReadonlyArray<I>,
  streamOf: (input: I) => Stream.Stream<A, E, R>,
  concurrency: number
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const queue = yield* Queue.bounded<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>(bufferSize)
      const all = Effect.forEach(inputs, (input) => offerAll(queue, streamOf(input)), { concurrency, discard: true })
      yield* Effect.forkScoped(Queue.into(all, queue))
      return Stream.fromPull(Effect.succeed(Queue.take(queue)))
    })
  )

/**
 * Emits the values of one stream after those of the other. Up to `concurrency` streams run at a time, each at most a few
 * arrays ahead of its turn.
 */
export const inOrder = <I, A, E, R>(
  inputs: ReadonlyArray<I>,
  streamOf: (input: I) => Stream.Stream<A, E, R>,
  concurrency: number
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
      const running: Array<Batches<A, E>> = []
      let started = 0

      const start = Effect.fnUntraced(function* (input: I) {
        const queue = yield* Queue.bounded<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>(aheadSize)
        yield* Effect.forkIn(Queue.into(offerAll(queue, streamOf(input)), queue), scope)
        running.push(queue)
      })

      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E, void, R> = Effect.suspend(() => {
        if (started < inputs.length && running.length < concurrency) {
          return Effect.andThen(start(inputs[started++]!), next)
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
