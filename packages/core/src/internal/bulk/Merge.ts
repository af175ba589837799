/**
 * Reads several streams concurrently and merges them: in the order of arrival, or one stream after the other.
 *
 * `Stream.flatMap` merges by arrival too, but it interrupts its streams one by one. A permit released by one stream is then
 * taken by the next, which sends a request whose reply nobody reads. Here all streams are interrupted at once.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"

/** Arrays buffered for the reader. */
const bufferSize = 16

/** Arrays buffered of a stream whose turn has not come. */
const aheadSize = 2

/** Arrays between streams and their one reader. */
interface Batches<A, E> {
  /** Adds the arrays of a stream, and waits where there is no room. */
  readonly addAll: <R>(stream: Stream.Stream<A, E, R>) => Effect.Effect<void, E, R>
  /** Runs what adds arrays. Its end is that of the arrays. */
  readonly during: <R>(adding: Effect.Effect<void, E, R>) => Effect.Effect<void, never, R>
  readonly take: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E>
}

/**
 * Builds a buffer of this many arrays.
 *
 * **Details**
 *
 * A reader that waits goes on as soon as an array is added, before the stream that added it. A `Queue` tells it in a
 * later turn of the event loop, when the arrays of all streams have been read: their records are no longer in the
 * caches of the processor then, which took a quarter of the time of everything.
 *
 * A bounded queue also keeps arrays that wait for room in a `Set`. V8 leaves a copy of them behind whenever it makes
 * the table of a set anew, and each table refers to the next: once one is in the old generation, a third of all records
 * survives. Here streams wait, and not their arrays.
 */
const makeBatches = <A, E>(size: number): Batches<A, E> => {
  const room = Semaphore.makeUnsafe(size)
  const news = Latch.makeUnsafe(false)
  const waiting: Array<Arr.NonEmptyReadonlyArray<A>> = []
  let end: Exit.Exit<never, E | Cause.Done> | undefined

  const add = (batch: Arr.NonEmptyReadonlyArray<A>) =>
    Effect.andThen(
      Semaphore.take(room, 1),
      Effect.sync(() => {
        waiting.push(batch)
        news.openUnsafe()
      })
    )

  const take: Batches<A, E>["take"] = Effect.suspend(() => {
    const batch = waiting.shift()
    if (batch !== undefined) return Effect.as(Semaphore.release(room, 1), batch)
    if (end !== undefined) return end
    news.closeUnsafe()
    return Effect.andThen(news.await, take)
  })

  return {
    take,
    addAll: (stream) => Stream.runForEachArray(stream, add),
    during: (adding) =>
      adding.pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            end = Exit.isSuccess(exit) ? Exit.fail(Cause.Done()) : Exit.failCause(exit.cause)
            news.openUnsafe()
          })
        ),
        // The reader has it.
        Effect.exit,
        Effect.asVoid
      )
  }
}

/** Reads up to `concurrency` streams at a time and emits their values in the order of arrival. */
export const byArrival = <I, A, E, R>(
  inputs: ReadonlyArray<I>,
  streamOf: (input: I) => Stream.Stream<A, E, R>,
  concurrency: number
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const batches = makeBatches<A, E>(bufferSize)
      const all = Effect.forEach(inputs, (input) => batches.addAll(streamOf(input)), { concurrency, discard: true })
      yield* Effect.forkScoped(batches.during(all))
      return Stream.fromPull(Effect.succeed(batches.take))
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
        const batches = makeBatches<A, E>(aheadSize)
        yield* Effect.forkIn(batches.during(batches.addAll(streamOf(input))), scope)
        running.push(batches)
      })

      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E, void, R> = Effect.suspend(() => {
        if (started < inputs.length && running.length < concurrency) {
          return Effect.andThen(start(inputs[started++]!), next)
        }
        const [first] = running
        if (first === undefined) return Cause.done()
        return Pull.catchDone(first.take, () => {
          running.shift()
          return next
        })
      })
      return Stream.fromPull(Effect.succeed(next))
    })
  )
