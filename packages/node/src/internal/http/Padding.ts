/**
 * Tells the zeros that may stand behind a gzip body from bytes that were lost.
 *
 * zlib ends without an error at a zero behind a member, whatever comes after it. Files padded with zeros are common, and a
 * member may itself end with zeros, so zeros are kept back until it is known what comes after them.
 */
import * as Stream from "effect/Stream"

/** The most zeros kept back. Padding is shorter. */
const mostZeros = 1_048_576

export const make = () => {
  let held = 0
  let length = 0
  /** Where the last byte ends that is no zero. */
  let end = 0
  let isOver = false

  const push = (chunk: Uint8Array) => {
    const last = chunk.findLastIndex((byte) => byte !== 0) + 1
    if (last > 0) end = length + last
    length += chunk.length
    if (last === 0 && held + chunk.length <= mostZeros) {
      held += chunk.length
      return []
    }
    const bytes = last === 0 ? chunk : chunk.subarray(0, last)
    const zeros = held
    held = chunk.length - bytes.length
    if (zeros === 0) return [bytes]
    const joined = new Uint8Array(zeros + bytes.length)
    joined.set(bytes, zeros)
    return [joined]
  }

  const rest = Stream.suspend(() => {
    isOver = true
    return held === 0 ? Stream.empty : Stream.succeed(new Uint8Array(held))
  })

  return {
    /** The same bytes, in other chunks. */
    watch: <E>(packed: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
      Stream.concat(Stream.flattenIterable(Stream.map(packed, push)), rest),
    /** Whether the body has nothing but zeros behind so many bytes, which zlib read. */
    isRest: (read: number): boolean => isOver && read >= end
  }
}

/** Looks at the bytes of a body on their way to zlib. */
export type Padding = ReturnType<typeof make>
