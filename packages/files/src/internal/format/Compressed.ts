/** Compresses a file as a whole, with gzip or Zstandard, and decompresses it. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Data from "effect/Data"
import * as Stream from "effect/Stream"
// As a namespace: Zstandard came with Node.js 22.15, and an older one would reject an import of its name.
import * as Zlib from "node:zlib"
import { Unreadable } from "@sluice/core/internal/columns/FormatError"
import type { Compression } from "./Options.ts"

/** Tells whether this Node.js has Zstandard. */
export const hasZstd = (): boolean => "createZstdCompress" in Zlib

/** Compression can only fail for lack of memory. */
class CompressionFailed extends Data.TaggedError("CompressionFailed")<{ readonly cause: unknown }> {}

const isCompressionFailed = (error: unknown): error is CompressionFailed => error instanceof CompressionFailed

/** Compresses bytes. The same bytes give the same result, whatever their chunks. */
export const compress = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  compression: Compression
): Stream.Stream<Uint8Array, E, R> =>
  equalBlocks(bytes).pipe(
    NodeStream.pipeThroughDuplex({
      evaluate: () => (compression === "gzip" ? Zlib.createGzip(settings) : Zlib.createZstdCompress(settings)),
      onError: (cause) => new CompressionFailed({ cause })
    }),
    Stream.catchIf(isCompressionFailed, ({ cause }) => Stream.die(cause))
  )

/** Gives the bytes that were compressed. */
export const decompress = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  compression: Compression
): Stream.Stream<Uint8Array, E | Unreadable, R> =>
  NodeStream.pipeThroughDuplex(bytes, {
    evaluate: () => (compression === "gzip" ? Zlib.createGunzip() : Zlib.createZstdDecompress()),
    onError: () => new Unreadable({ reason: "it cannot be decompressed" })
  })

const settings = { chunkSize: 65_536 }

const blockSize = 65_536

/** Cuts bytes into blocks of one size, since the output of a compressor depends on the sizes of its input. */
const equalBlocks = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    let block = new Uint8Array(blockSize)
    let filled = 0
    const add = (chunk: Uint8Array) => {
      const full: Array<Uint8Array> = []
      for (let at = 0; at < chunk.length;) {
        const piece = chunk.subarray(at, at + blockSize - filled)
        block.set(piece, filled)
        at += piece.length
        filled += piece.length
        if (filled < blockSize) continue
        full.push(block)
        block = new Uint8Array(blockSize)
        filled = 0
      }
      return full
    }
    return bytes.pipe(
      Stream.mapAccumArray(
        () => undefined,
        (state, chunks) => [state, chunks.flatMap(add)]
      ),
      Stream.concat(Stream.suspend(() => (filled === 0 ? Stream.empty : Stream.succeed(block.subarray(0, filled)))))
    )
  })
