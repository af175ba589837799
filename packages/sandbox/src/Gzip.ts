/**
 * gzip bodies (interface.md is silent, facts.md 1.6): whole ones at once, streamed ones as they are written.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Zlib from "node:zlib"
import { Cut } from "./Body.ts"
import type { Content, Reply } from "./Reply.ts"

// Speed over size: the stand-in is used on one machine.
const level = 1

const deflate = (stream: Stream.Stream<Uint8Array, Cut>): Stream.Stream<Uint8Array, Cut> =>
  NodeStream.pipeThroughDuplex(stream, {
    // Each piece leaves as soon as it is written, so that a slow or a cut body behaves as it would without compression.
    evaluate: () => Zlib.createGzip({ level, flush: Zlib.constants.Z_SYNC_FLUSH }),
    onError: () => new Cut()
  })

const content = (self: Content): Effect.Effect<Content> => {
  switch (self._tag) {
    case "Whole":
      return Effect.callback<Content>((resume) => {
        Zlib.gzip(self.bytes, { level }, (error, bytes) =>
          resume(error === null ? Effect.succeed({ _tag: "Whole", bytes }) : Effect.die(error))
        )
      })
    case "Pieces":
      return Effect.succeed({ _tag: "Streamed", stream: deflate(Stream.fromIterable(self.pieces, { chunkSize: 1 })) })
    case "Streamed":
      return Effect.succeed({ _tag: "Streamed", stream: deflate(self.stream) })
  }
}

/** Compresses the body of a reply. */
export const compress = (reply: Reply): Effect.Effect<Reply> =>
  Effect.map(content(reply.content), (content) => ({
    ...reply,
    headers: { ...reply.headers, "Content-Encoding": "gzip" },
    content
  }))
