/** Keeps replies in memory, so that a benchmark measures the client and not the stand-in. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Body from "./Body.ts"
import type { Reply } from "./Reply.ts"

const PIECE = 64 * 1024

const pieces = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, n) => bytes.subarray(n * PIECE, (n + 1) * PIECE))

const isStream = (reply: Reply) => reply.headers["Content-Type"] === "application/x-ndjson"

const keep = (reply: Reply): Effect.Effect<Reply> => {
  if (reply.content._tag !== "Streamed") return Effect.succeed(reply)
  // Only replies without faults are kept, so no body is ever cut here.
  return Effect.map(Effect.orDie(Stream.runCollect(reply.content.stream)), (chunks) => {
    const bytes = Body.join(chunks)
    return { ...reply, content: isStream(reply) ? Body.streamed(pieces(bytes)) : { _tag: "Whole", bytes } }
  })
}

export const make = () => {
  const kept = new Map<string, Reply>()
  return {
    // The key is part of the URL, and so of what was asked: `next_page_url` repeats it, and its licence decides.
    serve: <E>(
      { origin, url, wantsGzip }: { readonly origin: string; readonly url: string; readonly wantsGzip: boolean },
      answer: Effect.Effect<Reply, E>
    ): Effect.Effect<Reply, E> => {
      const name = `${wantsGzip ? "gzip" : "plain"} ${origin}${url}`
      const known = kept.get(name)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.tap(Effect.flatMap(answer, keep), (reply) => Effect.sync(() => kept.set(name, reply)))
    }
  }
}
