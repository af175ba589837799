/** One file of a download: written under another name, and renamed when it is complete and on the disk. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Checksum from "./Checksum.ts"
import type { Files, Writer } from "./Files.ts"

/** Path of the file while it is written, and when it is complete. */
export interface FilePaths {
  readonly partial: string
  readonly whole: string
}

/** Bytes that are written at once: each write wakes a thread, which costs more than copying this many bytes. */
const blockSize = 524_288

/** The most blocks kept for later files: as many as the service runs requests at once. */
const maxFree = 10

/** Blocks that no file uses at the moment. New ones for each of many small files would make V8 collect garbage. */
export type FreeBlocks = Array<Buffer>

/** Writes all bytes, runs a check, and gives the file its name. If anything fails, no file has this name. */
export const write = Effect.fnUntraced(function* <E, R, E2>(
  files: Files,
  paths: FilePaths,
  check: Effect.Effect<void, E2>,
  bytes: Stream.Stream<Uint8Array, E, R>,
  seen: (bytes: number) => void,
  free: FreeBlocks
) {
  const written = yield* writePartial(files, paths.partial, bytes, seen, free)
  yield* Effect.uninterruptible(Effect.andThen(check, files.rename(paths.partial, paths.whole)))
  return written
})

/**
 * Writes all bytes to a file, and returns when they are on the disk, unless `isLater` says that this is seen to later.
 * If anything fails, there is no file.
 */
export const writePartial = Effect.fnUntraced(function* <E, R>(
  files: Files,
  partial: string,
  bytes: Stream.Stream<Uint8Array, E, R>,
  seen: (bytes: number) => void,
  free: FreeBlocks,
  isLater = false
) {
  const checksum = Checksum.make()
  let size = 0
  const writing = Effect.gen(function* () {
    // Its writes are not interrupted, so none of them uses the block when the scope closes.
    const block = yield* Effect.acquireRelease(
      Effect.sync(() => free.pop() ?? Buffer.allocUnsafeSlow(blockSize)),
      (block) =>
        Effect.sync(() => {
          if (free.length < maxFree) free.push(block)
        })
    )
    const writer = yield* files.open(partial, "start")
    const blocks = makeBlocks(writer, block, (block) => {
      checksum.add(block)
      size += block.length
      seen(block.length)
    })
    yield* Stream.runForEach(bytes, blocks.add)
    yield* blocks.flush
    yield* isLater ? writer.close : writer.sync
  })
  // An incomplete file is of no use, since a part is read from its beginning.
  yield* Effect.onError(Effect.scoped(writing), () => Effect.ignore(files.remove(partial)))
  return { bytes: size, sha256: checksum.end() }
})

/** Collects bytes into blocks, in memory that is used again for the next block. */
const makeBlocks = ({ write }: Writer, block: Buffer, see: (block: Uint8Array) => void) => {
  let filled = 0
  const put = (bytes: Uint8Array) => {
    see(bytes)
    return write(bytes)
  }
  const flush = Effect.suspend(() => {
    const bytes = block.subarray(0, filled)
    filled = 0
    return bytes.length === 0 ? Effect.void : put(bytes)
  })
  const hold = (bytes: Uint8Array) => {
    block.set(bytes, filled)
    filled += bytes.length
    return Effect.void
  }
  return {
    flush,
    add: (bytes: Uint8Array) => {
      if (filled + bytes.length <= blockSize) return hold(bytes)
      return Effect.andThen(
        flush,
        Effect.suspend(() => (bytes.length > blockSize ? put(bytes) : hold(bytes)))
      )
    }
  }
}
