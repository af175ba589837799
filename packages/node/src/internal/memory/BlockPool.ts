/**
 * Memory for the files of one download, in blocks of one size that files reuse after each other.
 */

/** Lends blocks, and keeps those that were released for the next borrower. */
export interface BlockPool {
  /** A block with undefined content. */
  readonly acquire: () => Buffer
  /** Takes back blocks that nobody reads any more. */
  readonly release: (blocks: ReadonlyArray<Buffer>) => void
}

/** Bytes of a block. Every column of an open file has one or two blocks that are partly filled. */
export const size = 8_192

/** Blocks are cut from larger allocations of this many. */
const blocksPerAllocation = 64

/** Builds an empty pool. It grows to the number of blocks that were in use at once, and does not shrink. */
export const make = (): BlockPool => {
  const free: Array<Buffer> = []
  const allocate = () => {
    const memory = Buffer.allocUnsafeSlow(blocksPerAllocation * size)
    for (let at = size; at < memory.length; at += size) free.push(memory.subarray(at, at + size))
    return memory.subarray(0, size)
  }
  return {
    acquire: () => free.pop() ?? allocate(),
    release: (blocks) => {
      for (const block of blocks) free.push(block)
    }
  }
}
