/**
 * Replies compressed with gzip, read as if they were not.
 *
 * undici has an interceptor for this, but announces itself on every user's stderr as experimental and hands over small
 * chunks; zlib itself does neither.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import { createGunzip } from "node:zlib"

/** Gives the reply with its body decompressed, or as it is where it was sent plainly. */
export const gunzip = (response: HttpClientResponse.HttpClientResponse): HttpClientResponse.HttpClientResponse => {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase()
  if (encoding !== "gzip" && encoding !== "x-gzip") return response
  const broken = (cause: unknown) =>
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.DecodeError({ request: response.request, response, cause })
    })
  const stream = NodeStream.pipeThroughDuplex(response.stream, {
    evaluate: () => createGunzip({ chunkSize: 65_536 }),
    onError: broken
  })
  const text = Stream.mkString(Stream.decodeText(stream))
  const json = Effect.flatMap(text, (body) => Effect.try({ try: () => JSON.parse(body), catch: broken }))
  // Everything but the body is the reply's own.
  return Object.create(response, { stream: { value: stream }, text: { value: text }, json: { value: json } })
}
