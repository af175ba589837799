/**
 * Replies compressed with gzip, read as if they were not; any other encoding is refused by its name.
 *
 * undici has an interceptor for this, but announces itself on every user's stderr as experimental and hands over small
 * chunks; zlib itself does neither.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import { createGunzip } from "node:zlib"

/** The body is encoded in a way that was not asked for. Its tag and field are what core looks for in a cause. */
class UnaskedEncoding extends Data.TaggedError("UnaskedEncoding")<{ readonly encoding: string }> {}

const gzips = ["gzip", "x-gzip"]

/**
 * Gives the reply with its body decompressed, or as it is where it was sent plainly. A body in another encoding fails when
 * it is read: its status and headers say what they say all the same.
 */
export const decoded =
  (isGzipAsked: boolean) =>
  (response: HttpClientResponse.HttpClientResponse): HttpClientResponse.HttpClientResponse => {
    const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? ""
    if (encoding === "" || encoding === "identity") return response
    const broken = (cause: unknown) =>
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.DecodeError({ request: response.request, response, cause })
      })
    return withStream(
      response,
      isGzipAsked && gzips.includes(encoding)
        ? NodeStream.pipeThroughDuplex(response.stream, {
            evaluate: () => createGunzip({ chunkSize: 65_536 }),
            onError: broken
          })
        : Stream.fail(broken(new UnaskedEncoding({ encoding }))),
      broken
    )
  }

const withStream = (
  response: HttpClientResponse.HttpClientResponse,
  stream: HttpClientResponse.HttpClientResponse["stream"],
  broken: (cause: unknown) => HttpClientError.HttpClientError
): HttpClientResponse.HttpClientResponse => {
  const text = Stream.mkString(Stream.decodeText(stream))
  const json = Effect.flatMap(text, (body) => Effect.try({ try: () => JSON.parse(body), catch: broken }))
  // Everything but the body is the reply's own.
  return Object.create(response, { stream: { value: stream }, text: { value: text }, json: { value: json } })
}
