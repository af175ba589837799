/**
 * Reads a small part as the one page that its records fit, and as a json_stream where the page does not come or is not all.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type ApiError, Unavailable } from "../../ApiError.ts"
import * as Call from "../call/Call.ts"
import type { Reply } from "../http/Engine.ts"
import * as PageStream from "../pages/PageStream.ts"
import * as EndOfRange from "./EndOfRange.ts"
import * as Read from "../read/Read.ts"

/**
 * Builds the reader of a call for a json_stream. It requests the first page, and reads the json_stream where that page names
 * another, is not received, or is too large. Both are one call: its span and its metrics tell how the whole of it ended.
 */
export const make =
  (checkEnd: boolean): Read.Reader =>
  (prepared) =>
    catchUnread(pageOf(prepared), (error) =>
      needsStream(error) ? Read.stream(prepared, checkEnd, EndOfRange.isReached) : undefined
    )

/** Whether a json_stream may succeed where a page failed: it comes sooner, gets further with every reply, and has no size. */
export const needsStream = (error: ApiError): boolean =>
  error._tag === "Unavailable" ? error.transient : error._tag === "Decode" && error.setting === "limits.maxPageBytes"

/** The records of the first page; a transient failure before the first of them where there are more pages. */
const pageOf: Read.Reader = (prepared) =>
  Stream.suspend(() => {
    const { request } = prepared
    const pages = Read.pagesOf({ ...prepared, request: { ...request, call: Call.without(request.call, "Format") } })
    const { endpoint } = pages
    let isReceived = false
    const whole = (reply: Reply) => {
      // A second copy of a damaged page is compared with the first instead.
      if (isReceived) return Effect.succeed(reply)
      isReceived = true
      const { json } = reply.envelope
      const token = Predicate.isObject(json) ? PageStream.nextToken({ ...json }) : undefined
      return token !== undefined && Result.isSuccess(token) && token.success !== undefined
        ? Effect.fail(new Unavailable({ endpoint, phase: "body", reason: "more pages", transient: true, attempts: 1 }))
        : Effect.succeed(reply)
    }
    return PageStream.records({ ...pages, fetch: (token) => Effect.flatMap(pages.fetch(token), whole) })
  })

/** Reads something else after an error that comes before the first record, where `instead` gives it. */
export const catchUnread = <A, R>(
  self: Stream.Stream<A, ApiError, R>,
  instead: (error: ApiError) => Stream.Stream<A, ApiError, R> | undefined
): Stream.Stream<A, ApiError, R> =>
  Stream.suspend(() => {
    let hasRecords = false
    return self.pipe(
      Stream.mapArray((records) => {
        hasRecords = true
        return records
      }),
      Stream.catch((error) => (hasRecords ? undefined : instead(error)) ?? Stream.fail(error))
    )
  })
