/**
 * A scratch buffer, shared by writers that never run at the same time.
 */

/** Gives this many bytes with undefined content, valid until the next call. */
export type ScratchBuffer = (size: number) => Uint8Array<ArrayBuffer>

/** Larger buffers are rarely needed, so they are not kept. */
const mostKept = 16 * 1_024 * 1_024

/** Builds a scratch buffer, which allocates on first use. */
export const make = (): ScratchBuffer => {
  let kept = new Uint8Array()
  return (size) => {
    if (size > mostKept) return new Uint8Array(size)
    if (size > kept.length) kept = new Uint8Array(Math.max(65_536, 2 ** Math.ceil(Math.log2(size))))
    return kept.subarray(0, size)
  }
}
