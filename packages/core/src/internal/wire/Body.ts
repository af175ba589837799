/**
 * Bodies of replies that are an error: their beginning, and what it says.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { Bytes } from "./Bytes.ts"
import * as Json from "./Json.ts"

/** What an error body says. */
export interface Said {
  readonly type: string | undefined
  readonly text: string
}

/** Reads the type and message of the service's error object, of a bare text in its place, or of nothing. */
export const readError = (error: unknown): Said => ({
  type: textAt(error, "type"),
  text: Predicate.isString(error) ? error : (textAt(error, "message") ?? textAt(error, "type") ?? "")
})

/**
 * Reads the body of a reply whose status is an error, up to some length: the service's JSON, or any page of whatever
 * stands in between.
 */
export const readRefusal = Effect.fnUntraced(function* <E>(
  body: Bytes<E>,
  contentType: string | undefined,
  longest: number
) {
  let read = 0
  let left = longest
  const text = yield* Stream.fromPull(Effect.succeed(body)).pipe(
    Stream.takeUntil((chunk) => (read += chunk.length) >= longest),
    // The same is read whatever the borders of the chunks.
    Stream.map((chunk) => {
      const kept = chunk.subarray(0, left)
      left -= kept.length
      return kept
    }),
    Stream.decodeText(),
    Stream.mkString,
    // The status alone is an answer.
    Effect.orElseSucceed(() => "")
  )
  const parsed = Json.parse(text)
  const error = Predicate.isObject(parsed) ? Reflect.get(parsed, "error") : undefined
  if (error !== undefined) return readError(error)
  const isMarkup = /html|xml/i.test(contentType ?? "") || text.trimStart().startsWith("<")
  return { type: undefined, text: isMarkup ? "" : text.trim() } satisfies Said
})

const textAt = (value: unknown, key: string) => {
  const found = Predicate.isObject(value) ? Reflect.get(value, key) : undefined
  return Predicate.isString(found) ? found : undefined
}
