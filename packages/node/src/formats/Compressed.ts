/**
 * A file compressed as a whole, with gzip or Zstandard.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Data from "effect/Data"
import * as Stream from "effect/Stream"
// As a namespace: Zstandard came with Node.js 22.15, and older ones would refuse the module for the missing name.
import * as Zlib from "node:zlib"

/** Tells whether this Node.js has Zstandard. */
export const hasZstd = (): boolean => "createZstdCompress" in Zlib

/** zlib has no error for bytes it compresses but that memory ran out. */
class Broken extends Data.TaggedError("Broken")<{ readonly cause: unknown }> {}

const isBroken = (error: unknown): error is Broken => error instanceof Broken

/** Compresses bytes; the same ones give the same, however they come in chunks. */
export const compress = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  compression: "gzip" | "zstd"
): Stream.Stream<Uint8Array, E, R> =>
  blocks(bytes).pipe(
    NodeStream.pipeThroughDuplex({
      evaluate: () => (compression === "gzip" ? Zlib.createGzip(settings) : Zlib.createZstdCompress(settings)),
      onError: (cause) => new Broken({ cause })
    }),
    Stream.catchIf(isBroken, ({ cause }) => Stream.die(cause))
  )

const settings = { chunkSize: 65_536 }

const blockSize = 65_536

/** Cuts bytes into blocks of one size: where a compressor is fed in other pieces, it may decide otherwise. */
const blocks = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    let block = new Uint8Array(blockSize)
    let filled = 0
    const full = (chunk: Uint8Array) => {
      const cut: Array<Uint8Array> = []
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + blockSize - filled)
        block.set(part, filled)
        at += part.length
        filled += part.length
        if (filled < blockSize) continue
        cut.push(block)
        block = new Uint8Array(blockSize)
        filled = 0
      }
      return cut
    }
    return bytes.pipe(
      Stream.mapAccumArray(
        () => undefined,
        (state, chunks) => [state, chunks.flatMap(full)]
      ),
      Stream.concat(Stream.suspend(() => (filled === 0 ? Stream.empty : Stream.succeed(block.subarray(0, filled)))))
    )
  })
