/**
 * A body for a reader that keeps no chunk: the memory of its chunks is freed as it is read.
 *
 * A chunk is 64 KiB outside of V8's heap, which V8 frees with the young generation. Between two collections ten megabytes of them
 * wait for that, each in memory that was never touched before.
 *
 * A download of a million records to NDJSON, not compressed, takes 0.62 of the processor time of a page loop by hand and 222 MB;
 * without this, 0.80 and 257 MB (`bench --only downloads`). A compressed body gains nothing.
 *
 * Memory is freed when a chunk of other memory follows, so no later chunk may be a part of it. That holds for an
 * uncompressed body of undici over HTTP/1.1 that flows (`BodyStream.ts`), and not for other streams:
 *
 * - Node.js reads from a socket, TLS or not, into new memory each time.
 * - undici parses what `read()` of the socket returns: the memory of one read, or several joined in new memory. The
 *   chunks of a body are slices of it in the order of the wire, however many the reply has in one read. What undici
 *   puts back into the socket when the reader is slow is the rest of that memory, in one piece, and comes first in the
 *   next `read()`.
 * - A stream that flows never joins its chunks. `read()` of a stream that is paused does: it could return a part of X, then two
 *   further parts of X as one in Y, then again a part of X.
 * - The first memory may have the head, and the end of the reply before it. The last may have trailers, and the start of the next
 *   reply. Neither is freed.
 *
 * What zlib decompresses is never freed: it writes several chunks into the same memory, and into that memory from other threads.
 * Over HTTP/2 several replies would share memory.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { markAsUntransferable } from "node:worker_threads"

/** Frees memory unless it is marked, and tells whether it did. */
const isFreed = (memory: ArrayBuffer): boolean => Result.isSuccess(Result.try(() => memory.transfer(0)))

/**
 * Whether this runtime refuses to free memory that is marked, as that of the pool of `Buffer` is, of which a small chunk may be a
 * part. Node.js 22 frees it, and another runtime than Node.js may have no marks.
 */
const isMarkHonoured = (() => {
  const memory = new ArrayBuffer(8)
  const marked = Result.try(() => markAsUntransferable(memory))
  return Result.isSuccess(marked) && !isFreed(memory)
})()

/** Smaller chunks are left to V8. */
const smallest = 4_096

/** Builds a function that is told of the chunks before each pull, and frees what the last pull made free. */
const makeFree = () => {
  /** The memory read last, of which the next chunk may be a part. */
  let last: ArrayBufferLike | undefined
  let isFirst = true
  return (chunks: ReadonlyArray<Uint8Array>) => {
    for (const { buffer } of chunks) {
      if (buffer === last) continue
      // The memory of the first chunk has the head of the reply, which others may still read.
      if (last instanceof ArrayBuffer && !isFirst && last.byteLength >= smallest) isFreed(last)
      isFirst = last === undefined
      last = buffer
    }
  }
}

// A registered symbol, because core looks for it, and no stream of a program has a property of that name by chance.
const key = Symbol.for("@sluice/core/Transient")

/**
 * Gives a stream of `BodyStream` another one of the same body for core. It belongs to the stream, not to the reply: where a
 * program wraps a reply to change its body, core reads the body that was changed.
 */
export const attach = <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Object.assign(body, { [key]: make(body) })

/**
 * Gives a stream of `BodyStream` whose chunks are valid until it is pulled again; the stream itself where the runtime
 * cannot do so safely.
 */
export const make = <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Stream.transformPull(body, (pull) =>
    Effect.sync(() => {
      if (!isMarkHonoured) return pull
      const free = makeFree()
      let read: ReadonlyArray<Uint8Array> = []
      const next = Effect.map(pull, (chunks) => (read = chunks))
      return Effect.suspend(() => {
        free(read)
        read = []
        return next
      })
    })
  )
