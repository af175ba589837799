/**
 * Decompresses gzip replies; any other encoding is an error that names it.
 *
 * undici has an interceptor for this, but it prints an experimental warning on stderr and gives small chunks. zlib does
 * neither.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import * as Predicate from "effect/Predicate"
import { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import * as BodyStream from "./BodyStream.ts"

/** The body has an encoding that was not requested. Core recognises this cause by its tag and field. */
class UnaskedEncoding extends Data.TaggedError("UnaskedEncoding")<{ readonly encoding: string }> {}

const gzips = ["gzip", "x-gzip"]

/**
 * Gives the reply with a decompressed body, or unchanged where it is not compressed. A body in another encoding fails when
 * it is read, since status and headers are valid all the same.
 */
export const decoded =
  (isGzipAsked: boolean) =>
  (response: HttpClientResponse.HttpClientResponse): HttpClientResponse.HttpClientResponse => {
    const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? ""
    const broken = (cause: unknown) =>
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.DecodeError({ request: response.request, response, cause })
      })
    if (encoding === "" || encoding === "identity") {
      const body = bodyOf(response)
      return body === undefined ? response : withStream(response, BodyStream.make(body, broken), broken)
    }
    return withStream(
      response,
      isGzipAsked && gzips.includes(encoding)
        ? unpacked(response.stream, broken)
        : Stream.fail(broken(new UnaskedEncoding({ encoding }))),
      broken
    )
  }

/** The stream of undici behind a reply; nothing where Effect's client keeps it elsewhere. */
const bodyOf = (response: HttpClientResponse.HttpClientResponse): Readable | undefined => {
  const source: unknown = Reflect.get(response, "source")
  const body: unknown = Predicate.hasProperty(source, "body") ? source.body : undefined
  return body instanceof Readable ? body : undefined
}

/**
 * A body beyond a mebibyte may have this many times its compressed length. Text of zeros reaches 1,000, wide records of
 * nothing but null and a time 155, records with values 30.
 */
const maxGrowth = 300

const alwaysAllowed = 1_048_576

/** The cause when a body grows beyond that; core has the message. */
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
          // Bytes written to zlib are those of the compressed body.
          const isGrown = length > alwaysAllowed && length > maxGrowth * gunzip.bytesWritten
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
  // Everything except the body is the reply's own.
  return Object.create(response, { stream: { value: stream }, text: { value: text }, json: { value: json } })
}
