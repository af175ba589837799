import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Stream from "effect/Stream"
import type { Content, Cut } from "../reply/Body.ts"
import type { Reply } from "../reply/Reply.ts"

type Streamed = (stream: Stream.Stream<Uint8Array, Cut>) => Stream.Stream<Uint8Array, Cut>

const toBody = (content: Content, contentType: string, streamed: Streamed): HttpBody.HttpBody => {
  if (content._tag === "Whole") return HttpBody.uint8Array(content.bytes, contentType)
  const length = typeof content.framing === "number" ? content.framing : undefined
  return HttpBody.stream(streamed(content.stream), contentType, length)
}

/** Turns a reply into a response; `streamed` decides what a cut body means to the transport. */
export const toResponse = (
  { content, headers, status }: Reply,
  streamed: Streamed
): HttpServerResponse.HttpServerResponse => {
  if (content._tag === "Whole" && content.bytes.length === 0) {
    return HttpServerResponse.empty({ status, headers: { ...headers, "Content-Length": "0" } })
  }
  const contentType = headers["Content-Type"]
  const head = HttpServerResponse.empty({ status, headers })
  const response = HttpServerResponse.setBody(head, toBody(content, contentType ?? "", streamed))
  return contentType === undefined ? HttpServerResponse.removeHeader(response, "Content-Type") : response
}
