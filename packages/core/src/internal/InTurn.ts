/**
 * Streams that are read side by side and put one after the other.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

/** Arrays a stream may be ahead of its turn. */
const ahead = 2

/**
 * Reads the streams of a list in their order, while those next in line already run: `concurrency` of them at a time, each
 * at most a few arrays ahead of its turn.
 */
export const concat = <I, A, E, R>(
  inputs: ReadonlyArray<I>,
  streamOf: (input: I) => Stream.Stream<A, E, R>,
  concurrency: number
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const running: Array<Queue.Queue<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>> = []
      let begun = 0

      const begin = Effect.fnUntraced(function* (input: I) {
        const queue = yield* Queue.bounded<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done>(ahead)
        const stream = Stream.runForEachArray(streamOf(input), (batch) => Queue.offer(queue, batch))
        yield* Effect.forkIn(Queue.into(stream, queue), scope)
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
