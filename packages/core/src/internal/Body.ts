/**
 * Bodies of replies: read whole as text or JSON, or only their beginning when they are an error.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

/** Error bodies are small; what follows is not worth reading. */
const longestRefusal = 65_536

/** Reads a body to its end; `undefined` when its bytes are not UTF-8. */
export const readText = Effect.fnUntraced(function* <E, R>(body: Stream.Stream<Uint8Array, E, R>) {
  const chunks: Array<Uint8Array> = []
  yield* Stream.runForEachArray(body, (arrived) =>
    Effect.sync(() => {
      chunks.push(...arrived)
    })
  )
  const bytes = new Uint8Array(chunks.reduce((total, chunk) => total + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  // Fatal, for the lenient decoder would put U+FFFD into a record without a word.
  return Result.getOrUndefined(Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)))
})

/** Parses JSON; `undefined` stands for text that is none, since JSON itself has no undefined. */
export const parseJson = (text: string): unknown => Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

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
 * Reads the body of a reply whose status is an error: the service's JSON, or any page of whatever stands in between.
 */
export const readRefusal = Effect.fnUntraced(function* <E, R>(
  body: Stream.Stream<Uint8Array, E, R>,
  contentType: string | undefined
) {
  let read = 0
  const text = yield* body.pipe(
    Stream.takeUntil((chunk) => (read += chunk.length) >= longestRefusal),
    Stream.decodeText(),
    Stream.mkString,
    // The status alone is an answer.
    Effect.orElseSucceed(() => "")
  )
  const parsed = parseJson(text)
  const error = Predicate.isObject(parsed) ? Reflect.get(parsed, "error") : undefined
  if (error !== undefined) return readError(error)
  const isMarkup = /html|xml/i.test(contentType ?? "") || text.trimStart().startsWith("<")
  return { type: undefined, text: isMarkup ? "" : text.trim() } satisfies Said
})

const textAt = (value: unknown, key: string) => {
  const found = Predicate.isObject(value) ? Reflect.get(value, key) : undefined
  return Predicate.isString(found) ? found : undefined
}
