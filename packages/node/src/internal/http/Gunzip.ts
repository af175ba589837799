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
        ? unpacked(response.stream, broken)
        : Stream.fail(broken(new UnaskedEncoding({ encoding }))),
      broken
    )
  }

/**
 * Times its length that a body may grow to, beyond the first mebibyte. Text of zeros comes to a thousand, wide records of
 * nothing but null and a time to 155, those with values to 30.
 */
const mostGrowth = 300

const freely = 1_048_576

/** What a body that grows beyond that fails with; core puts it into words. */
const grown = { code: "SLUICE_GZIP_GROWTH" }

type Body = HttpClientResponse.HttpClientResponse["stream"]

const unpacked = (packed: Body, broken: (cause: unknown) => HttpClientError.HttpClientError): Body =>
  Stream.suspend(() => {
    const gunzip = createGunzip({ chunkSize: 65_536 })
    let length = 0
    const body = NodeStream.pipeThroughDuplex(packed, { evaluate: () => gunzip, onError: broken })
    return Stream.transformPull(body, (pull) =>
      Effect.succeed(
        Effect.flatMap(pull, (chunks) => {
          for (const chunk of chunks) length += chunk.length
          // Bytes written to it are those it has read.
          const isGrown = length > freely && length > mostGrowth * gunzip.bytesWritten
          return isGrown ? Effect.fail(broken(grown)) : Effect.succeed(chunks)
        })
      )
    )
  })

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
