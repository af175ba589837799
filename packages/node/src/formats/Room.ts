/**
 * A place for bytes that are needed for a moment, of which one is enough for all who write in turn.
 */

/** Gives a place for so many bytes, in which anything may stand; valid until the next one is asked for. */
export type Room = (size: number) => Uint8Array<ArrayBuffer>

/** What is larger is needed rarely, and not kept. */
const mostKept = 16 * 1_024 * 1_024

/** Begins without any. */
export const make = (): Room => {
  let kept = new Uint8Array()
  return (size) => {
    if (size > mostKept) return new Uint8Array(size)
    if (size > kept.length) kept = new Uint8Array(Math.max(65_536, 2 ** Math.ceil(Math.log2(size))))
    return kept.subarray(0, size)
  }
}
