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
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"

/** Arrays buffered for the reader. */
const bufferSize = 16

/** Arrays buffered of a stream whose turn has not come. */
const aheadSize = 2

/** Arrays between streams and their reader. */
interface Batches<A, E> {
  readonly queue: Queue.Queue<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>
  /** A permit for each array that may still be added. */
  readonly room: Semaphore.Semaphore
}

/**
 * Builds a buffer of this many arrays.
 *
 * A bounded queue keeps arrays that wait for room in a `Set`. V8 leaves a copy of them behind whenever it makes the table of a
 * set anew, and each table refers to the next: once one is in the old generation, a third of all records survives. Here
 * streams wait, and not their arrays.
 */
const makeBatches = <A, E>(size: number): Effect.Effect<Batches<A, E>> =>
  Effect.all({
    queue: Queue.unbounded<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>(),
    room: Semaphore.make(size)
  })

const offerAll = <A, E, R>({ queue, room }: Batches<A, E>, stream: Stream.Stream<A, E, R>) =>
  Stream.runForEachArray(stream, (batch) => Effect.andThen(Semaphore.take(room, 1), Queue.offer(queue, batch)))

const take = <A, E>({ queue, room }: Batches<A, E>): Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E> =>
  Effect.tap(Queue.take(queue), Semaphore.release(room, 1))

/** Reads up to `concurrency` streams at a time and emits their values in the order of arrival. */
export const byArrival = <I, A, E, R>(
  inputs: ReadonlyArray<I>,
  streamOf: (input: I) => Stream.Stream<A, E, R>,
  concurrency: number
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const batches = yield* makeBatches<A, E>(bufferSize)
      const all = Effect.forEach(inputs, (input) => offerAll(batches, streamOf(input)), { concurrency, discard: true })
      yield* Effect.forkScoped(Queue.into(all, batches.queue))
      return Stream.fromPull(Effect.succeed(take(batches)))
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
        const batches = yield* makeBatches<A, E>(aheadSize)
        yield* Effect.forkIn(Queue.into(offerAll(batches, streamOf(input)), batches.queue), scope)
        running.push(batches)
      })

      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E, void, R> = Effect.suspend(() => {
        if (started < inputs.length && running.length < concurrency) {
          return Effect.andThen(start(inputs[started++]!), next)
        }
        const [first] = running
        if (first === undefined) return Cause.done()
        return Pull.catchDone(take(first), () => {
          running.shift()
          return next
        })
      })
      return Stream.fromPull(Effect.succeed(next))
    })
  )
