/**
 * Replies kept in memory, so that a benchmark measures its client and not the writing of records.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Refusal } from "./Refusal.ts"
import type { Content, Reply } from "./Reply.ts"

/** Replies by what was asked. */
export interface Prepared {
  readonly serve: (
    asked: { readonly origin: string; readonly url: string; readonly wantsGzip: boolean },
    answer: Effect.Effect<Reply, Refusal>
  ) => Effect.Effect<Reply, Refusal>
}

const PIECE = 64 * 1024

const join = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const pieces = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, n) => bytes.subarray(n * PIECE, (n + 1) * PIECE))

const isStream = (reply: Reply) => reply.headers["Content-Type"] === "application/x-ndjson"

const keep = (reply: Reply): Effect.Effect<Reply> => {
  if (reply.content._tag !== "Streamed") return Effect.succeed(reply)
  // Only replies without faults are kept, so no body is ever cut here.
  return Effect.map(Effect.orDie(Stream.runCollect(reply.content.stream)), (chunks) => {
    const bytes = join(chunks)
    const content: Content = isStream(reply) ? { _tag: "Pieces", pieces: pieces(bytes) } : { _tag: "Whole", bytes }
    return { ...reply, content }
  })
}

/** Makes a store that holds nothing yet. */
export const make = (): Prepared => {
  const kept = new Map<string, Reply>()
  return {
    // The key is part of the URL, and so of what was asked: `next_page_url` repeats it, and its licence decides.
    serve: (asked, answer) => {
      const name = `${asked.wantsGzip ? "gzip" : "plain"} ${asked.origin}${asked.url}`
      const known = kept.get(name)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.tap(Effect.flatMap(answer, keep), (reply) => Effect.sync(() => kept.set(name, reply)))
    }
  }
}
