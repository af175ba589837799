/** gzip bodies (docs/interface.md 2.7): whole ones at once, streamed ones as they are written. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Zlib from "node:zlib"
import { type Content, type Cut, join } from "./Body.ts"
import type { Reply } from "./Reply.ts"

// Speed over size: the stand-in is used on one machine.
const fast = 1

// What has been compressed since it was last asked for.
const taken = (parts: Array<Uint8Array>): Uint8Array => join(parts.splice(0))

// Each piece is flushed, so that a slow or cut body behaves as it would without compression.
const deflate = (stream: Stream.Stream<Uint8Array, Cut>, level = fast): Stream.Stream<Uint8Array, Cut> =>
  Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => Zlib.createGzip({ level })),
        (gzip) => Effect.sync(() => gzip.destroy())
      ),
      (gzip) => {
        const parts: Array<Uint8Array> = []
        gzip.on("data", (part: Uint8Array) => parts.push(part))
        const press = (piece: Uint8Array) =>
          Effect.callback<Uint8Array>((resume) => {
            gzip.write(piece)
            gzip.flush(Zlib.constants.Z_SYNC_FLUSH, () => resume(Effect.sync(() => taken(parts))))
          })
        const finish = Effect.callback<Uint8Array>((resume) => {
          gzip.once("end", () => resume(Effect.sync(() => taken(parts))))
          gzip.end()
        })
        return Stream.concat(Stream.mapEffect(stream, press), Stream.fromEffect(finish))
      }
    )
  )

const content = (self: Content): Effect.Effect<Content> =>
  self._tag === "Streamed"
    ? Effect.succeed({ ...self, stream: deflate(self.stream) })
    : Effect.callback((resume) => {
        Zlib.gzip(self.bytes, { level: fast }, (error, bytes) =>
          resume(error === null ? Effect.succeed({ _tag: "Whole", bytes }) : Effect.die(error))
        )
      })

const PIECE = 1024 * 1024

function* repeated(begin: string, again: string, end: string, size: number): Generator<Uint8Array> {
  yield Buffer.from(begin)
  const piece = Buffer.from(again.repeat(Math.floor(PIECE / again.length)))
  let left = Math.max(0, size - begin.length - end.length)
  for (; left >= piece.length; left -= piece.length) yield piece
  yield Buffer.from(again.repeat(Math.floor(left / again.length)) + end)
}

/** A body that is as small as possible, and unpacks to this size. */
export const bomb = (begin: string, again: string, end: string, size: number): Content => ({
  _tag: "Streamed",
  stream: deflate(Stream.fromIterable(repeated(begin, again, end, size), { chunkSize: 1 }), 9),
  framing: "chunked"
})

export const compress = (reply: Reply): Effect.Effect<Reply> =>
  Effect.map(content(reply.content), (content) => ({
    ...reply,
    headers: { ...reply.headers, "Content-Encoding": "gzip" },
    content
  }))
