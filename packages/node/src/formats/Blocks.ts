/**
 * Memory for files that are written side by side, in blocks of one size that go from file to file.
 *
 * Buffers of a file's own, doubled as they fill, cost several times what they hold: those outgrown wait for the
 * collector, and the allocator does not give their place back to the system.
 */

/** Gives out blocks, and keeps those that come back: as many as were in use at once. */
export interface Blocks {
  /** A block in which anything may stand. */
  readonly take: () => Buffer
  /** Takes blocks that are not read any more. */
  readonly giveBack: (blocks: ReadonlyArray<Buffer>) => void
}

/** Bytes of a block. Every column of a file that is being written has one or two that are not full. */
export const size = 8_192

/** Blocks are cut from larger memory: so many allocations would lie scattered among those that come and go. */
const atOnce = 64

/** Begins without any. */
export const make = (): Blocks => {
  const free: Array<Buffer> = []
  const add = () => {
    const memory = Buffer.allocUnsafeSlow(atOnce * size)
    for (let at = size; at < memory.length; at += size) free.push(memory.subarray(at, at + size))
    return memory.subarray(0, size)
  }
  return {
    take: () => free.pop() ?? add(),
    giveBack: (blocks) => {
      for (const block of blocks) free.push(block)
    }
  }
}
