/** Reads the bodies of error replies, up to a limit. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { ByteStream } from "./ByteStream.ts"
import * as Json from "./Json.ts"

/** The content of an error body. */
export interface ErrorBody {
  readonly type: string | undefined
  readonly text: string
}

/** Reads the type and message of the service's error object. A plain text is a message. */
export const readError = (error: unknown): ErrorBody => ({
  type: Json.textAt(error, "type"),
  text: Predicate.isString(error) ? error : (Json.textAt(error, "message") ?? Json.textAt(error, "type") ?? "")
})

export const readErrorBody = Effect.fnUntraced(function* <E>(
  body: ByteStream<E>,
  contentType: string | undefined,
  longest: number
) {
  let read = 0
  let left = longest
  const text = yield* Stream.fromPull(Effect.succeed(body)).pipe(
    Stream.takeUntil((chunk) => (read += chunk.length) >= longest),
    // Cut at the limit, so that the chunks make no difference.
    Stream.map((chunk) => {
      const kept = chunk.subarray(0, left)
      left -= kept.length
      return kept
    }),
    Stream.decodeText(),
    Stream.mkString,
    // Without a body, the status decides.
    Effect.orElseSucceed(() => "")
  )
  return parseError(text, contentType)
})

/** Reads the text of an error body: the service's JSON, or the page of a proxy, which says nothing that a sentence could hold. */
export const parseError = (text: string, contentType: string | undefined): ErrorBody => {
  const error = Json.valueAt(Json.parse(text), "error")
  if (error !== undefined) return readError(error)
  const isMarkup = /html|xml/i.test(contentType ?? "") || text.trimStart().startsWith("<")
  return { type: undefined, text: isMarkup ? "" : text.trim() }
}
