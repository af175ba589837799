/**
 * The bytes of a body, as a pull: each asks for what has arrived since the last.
 *
 * Bodies are pulled rather than streamed inside the library. A stream leaves a closure in V8's old generation for each of
 * its operators, and with it everything they reach; one for each request adds up.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"

/** A body that is read once, chunk by chunk; those that arrived together come together. */
export type Bytes<E> = Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, E>

/** Puts the error of a body into other words; its end stays its end. */
export const mapError = <E, E2>(self: Bytes<E>, f: (error: E) => E2): Bytes<E2> =>
  Effect.mapError(self, (error) => (Cause.isDone(error) ? error : f(error)))

/** Reads a body to its end, or to the error that a chunk brings. */
export const runForEach = <E, E2>(
  self: Bytes<E>,
  f: (chunk: Uint8Array) => E2 | undefined
): Effect.Effect<void, E | E2> => {
  const read = Effect.flatMap(self, (chunks) => {
    for (const chunk of chunks) {
      const error = f(chunk)
      if (error !== undefined) return Effect.fail(error)
    }
    return Effect.void
  })
  return read.pipe(
    Effect.forever({ disableYield: true }),
    Pull.catchDone(() => Effect.void)
  )
}
