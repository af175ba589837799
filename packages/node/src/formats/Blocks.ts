/**
 * Memory for the values of files that are written side by side, in blocks of one size that go from file to file.
 *
 * Buffers of a file's own, doubled as they fill, cost several times what they hold: those outgrown wait for the
 * collector, and what the allocator gave for them is never given back to the system.
 */

/** Gives out blocks, and keeps those that come back. */
export interface Blocks {
  /** A block in which anything may stand. */
  readonly take: () => Buffer
  /** Takes blocks that are not read any more. */
  readonly giveBack: (blocks: ReadonlyArray<Buffer>) => void
}

/** Bytes of a block. Every column of a file that is being written has one or two that are not full. */
export const size = 8_192

/** Blocks that are kept for the next use, at most: 32 MiB. */
const mostKept = 4_096

/** Begins without any. */
export const make = (): Blocks => {
  const free: Array<Buffer> = []
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(size),
    giveBack: (blocks) => {
      for (const block of blocks) if (free.length < mostKept) free.push(block)
    }
  }
}
