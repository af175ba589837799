/**
 * Decompresses gzip replies; any other encoding is an error that names it.
 *
 * undici has an interceptor for this, but it prints an experimental warning on stderr and gives small chunks. zlib does
 * neither.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Gzip from "@sluice/core/Gzip"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import * as BodyStream from "./BodyStream.ts"
import * as Padding from "./Padding.ts"
import * as TransientBody from "./TransientBody.ts"

/** The body has an encoding that was not requested. Core recognises this cause by its tag and field. */
class UnaskedEncoding extends Data.TaggedError("UnaskedEncoding")<{ readonly encoding: string }> {}

/** Bytes that are no member and no padding are behind the last member: zlib's own error where it meets them at once. */
class BytesBehind extends Data.TaggedError("BytesBehind") {
  readonly code = "Z_DATA_ERROR"
}

/** The body goes on and on and holds nothing. */
class NoContent extends Data.TaggedError("NoContent") {
  readonly code = "Z_DATA_ERROR"
}

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
      return body === undefined
        ? response
        : withStream(response, TransientBody.attach(BodyStream.make(body, broken)), broken)
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

type Body = HttpClientResponse.HttpClientResponse["stream"]

const unpacked = (packed: Body, broken: (cause: unknown) => HttpClientError.HttpClientError): Body =>
  gunzip(packed, broken, () => broken({ code: Gzip.tooLargeCode }))

/** Decompresses files of job results: `DecompressionStream` would refuse those of several members. */
export const decompress: Gzip.Decompress = (packed, onIssue) =>
  gunzip(
    packed,
    () => onIssue("damaged"),
    () => onIssue("tooLarge")
  )

const gunzip = <E>(
  packed: Stream.Stream<Uint8Array, E>,
  onError: (cause: unknown) => E,
  onGrowth: () => E
): Stream.Stream<Uint8Array, E> =>
  Stream.suspend(() => {
    const zlib = createGunzip({ chunkSize: 65_536 })
    const padding = Padding.make()
    let received = 0
    let length = 0
    // zlib gives nothing for members without content, however many they are.
    const watched = Stream.mapArrayEffect(packed, (chunks) => {
      for (const chunk of chunks) received += chunk.length
      return Gzip.isTooSmall(received, length) ? Effect.fail(onError(new NoContent())) : Effect.succeed(chunks)
    })
    const body = NodeStream.pipeThroughDuplex(padding.watch(watched), { evaluate: () => zlib, onError })
    return Stream.transformPull(body, (pull) => {
      const whole = Pull.catchDone(pull, (): Effect.Effect<never, E | Cause.Done> =>
        padding.isRest(zlib.bytesWritten) ? Cause.done() : Effect.fail(onError(new BytesBehind()))
      )
      return Effect.succeed(
        Effect.flatMap(whole, (chunks) => {
          for (const chunk of chunks) length += chunk.length
          // Bytes written to zlib are those of the compressed body.
          return Gzip.isTooLarge(zlib.bytesWritten, length) ? Effect.fail(onGrowth()) : Effect.succeed(chunks)
        })
      )
    })
  })

/** Gives the reply with another body, in every form in which a body is read. */
const withStream = (
  response: HttpClientResponse.HttpClientResponse,
  stream: Body,
  broken: (cause: unknown) => HttpClientError.HttpClientError
): HttpClientResponse.HttpClientResponse => {
  const parsed = <A>(text: string, parse: (text: string) => A) => Effect.try({ try: () => parse(text), catch: broken })
  let received: Effect.Effect<ArrayBuffer, HttpClientError.HttpClientError> | undefined
  // As in Effect's replies: a body is received once and may be read again. A stream that is read alone pays nothing for it.
  const bytes = Effect.suspend(() => (received ??= Effect.runSync(Effect.cached(Stream.mkArrayBuffer(stream)))))
  const text = Effect.map(bytes, (body) => new TextDecoder().decode(body))
  // Everything except the body is the reply's own.
  return Object.create(response, {
    stream: { value: stream },
    arrayBuffer: { value: bytes },
    text: { value: text },
    json: { value: Effect.flatMap(text, (body) => parsed(body, (json) => (json === "" ? null : JSON.parse(json)))) },
    urlParamsBody: {
      // A "?" at the start is form data; URLSearchParams would drop it.
      value: Effect.flatMap(text, (body) =>
        parsed(body, (form) => UrlParams.fromInput(new URLSearchParams(form.replace(/^\?/, "%3F"))))
      )
    },
    formData: {
      value: Effect.flatMap(bytes, (body) =>
        Effect.tryPromise({ try: () => new Response(body, { headers: response.headers }).formData(), catch: broken })
      )
    }
  })
}
