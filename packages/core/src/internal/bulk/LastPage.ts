/**
 * Reads a part of unknown size by its last page, and as a json_stream where that page is not all of it.
 *
 * A json_stream needs a request that shows how the part ends. Asked first, and for more than one record, that request
 * is the whole of a small part. So a small part takes one request in place of two, and a large one as many as before.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../ApiError.ts"
import type { Client } from "../../Client.ts"
import * as Call from "../call/Call.ts"
import type { Reply } from "../http/Engine.ts"
import * as PageStream from "../pages/PageStream.ts"
import * as Read from "../read/Read.ts"
import * as Series from "../series/Series.ts"
import * as PageFirst from "./PageFirst.ts"

/**
 * Builds the reader of a call for a json_stream. It requests a page of so many records from the end. Where that page
 * names another, the json_stream is read, and is whole once it ends with the last record of the page: what the service
 * had when the part was begun has come. Where it ends otherwise, its end is requested behind it, as without a page.
 */
export const make =
  (size: number): Read.Reader =>
  <A>(prepared: Read.Prepared<A>) =>
    Stream.suspend(() => {
      let hasMore = false
      let last: unknown
      const { call } = prepared.request
      const series = Series.of(call)
      const isLast = (record: unknown) =>
        hasMore && last !== undefined && Series.isSame(series, last, record, call.endpoint.identity)
      const stream = () => Read.stream(prepared, true, (_, record) => isLast(record))
      const page = withoutMore(
        pageOf(prepared, size, () => (hasMore = true)),
        (records) => {
          if (hasMore) last = records.at(-1)
          return hasMore
        }
      )
      const whole = PageFirst.catchUnread(page, (error) => {
        // Of a page that is not the part, no record is missed.
        if (!hasMore && !PageFirst.needsStream(error)) return undefined
        hasMore = true
        last = undefined
        return Stream.empty
      })
      return Stream.concat(
        whole,
        Stream.suspend(() => (hasMore ? stream() : Stream.empty))
      )
    })

/** The records of the last page alone. Calls a function where the page names another. */
const pageOf = <A>(
  prepared: Read.Prepared<A>,
  size: number,
  onMore: () => void
): Stream.Stream<A, ApiError, Client> => {
  const { request } = prepared
  const call = Call.without(request.call, "Format")
  const [pageSize = "", from = ""] = [Call.nameOf(call, "PageSize"), Call.nameOf(call, "PageFrom")]
  const last = Call.set(call, { [pageSize]: size, [from]: "end" })
  const pages = Read.pagesOf({ ...prepared, request: { ...request, call: last } })
  /** Whether the first copy of the page named another. A second copy of a damaged page has to agree. */
  let hasMore: boolean | undefined
  const only = (reply: Reply): Reply => {
    const { json } = reply.envelope
    const fields = Predicate.isObject(json) ? { ...json } : {}
    const token = PageStream.nextToken(fields)
    hasMore ??= Result.isSuccess(token) && token.success !== undefined
    if (!hasMore) return reply
    onMore()
    return {
      ...reply,
      envelope: { ...reply.envelope, json: { ...fields, next_page_token: null, next_page_url: null } }
    }
  }
  return PageStream.records({
    ...pages,
    fetch: (token) => Effect.map(pages.fetch(token), only),
    // The records of a page ascend from either end.
    reverse: false,
    guard: { ...pages.guard, order: { ...pages.guard.order, reverse: false } }
  })
}

/** Leaves out the arrays for which a function returns true. */
const withoutMore = <A, E, R>(
  self: Stream.Stream<A, E, R>,
  isOut: (records: Arr.NonEmptyReadonlyArray<A>) => boolean
): Stream.Stream<A, E, R> =>
  Stream.transformPull(self, (pull) => {
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E, void, R> = Effect.flatMap(pull, (records) =>
      isOut(records) ? next : Effect.succeed(records)
    )
    return Effect.succeed(next)
  })
