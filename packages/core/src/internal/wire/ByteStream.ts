/**
 * The bytes of a body, as a pull.
 *
 * Inside the library a body is a `Pull`, not a `Stream`: each operator of a stream leaves a closure in V8's old generation,
 * with everything that it references, for every request.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"

/** A body that is read once. A pull returns the chunks that have arrived. */
export type ByteStream<E> = Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, E>

/** The number of bytes in chunks. */
export const lengthOf = (chunks: ReadonlyArray<Uint8Array>): number => {
  let length = 0
  for (const chunk of chunks) length += chunk.length
  return length
}

/** Reads a body to its end, or until `f` returns an error for a chunk. */
export const runForEach = <E, E2>(
  self: ByteStream<E>,
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
