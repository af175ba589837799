import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type { Cut } from "../Body.ts"
import type { Reply } from "../Reply.ts"

/** Turns a reply into a response; `streamed` decides what a cut body means to the transport. */
export const toResponse = (
  { content, headers, status }: Reply,
  streamed: <E>(stream: Stream.Stream<Uint8Array, E | Cut>) => Stream.Stream<Uint8Array, E | Cut>
): HttpServerResponse.HttpServerResponse => {
  const contentType = headers["Content-Type"]
  const options = contentType === undefined ? { status, headers } : { status, headers, contentType }
  switch (content._tag) {
    case "Whole":
      return content.bytes.length === 0
        ? HttpServerResponse.empty({ status, headers: { ...headers, "Content-Length": "0" } })
        : HttpServerResponse.uint8Array(content.bytes, options)
    case "Pieces":
      return HttpServerResponse.stream(streamed(Stream.fromIterable(content.pieces, { chunkSize: 1 })), options)
    case "Streamed":
      return HttpServerResponse.stream(streamed(content.stream), options)
  }
}
