/** Reads a prepared call: as pages, or as a json_stream. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../ApiError.ts"
import type { Client } from "../../Client.ts"
import type { Page } from "../../Paging.ts"
import * as Parameter from "../../Parameter.ts"
import * as Call from "../call/Call.ts"
import * as PageRequest from "../http/PageRequest.ts"
import type * as CallSpan from "../observe/CallSpan.ts"
import * as PageStream from "../pages/PageStream.ts"
import type * as Prepare from "../pages/Prepare.ts"
import * as JsonStream from "../resume/JsonStream.ts"
import type * as ResumeState from "../resume/ResumeState.ts"

/** A call whose parameters were checked, the fields by which the service promises to sort its list, and its span. */
export interface Prepared<A> extends Prepare.Prepared<A> {
  readonly sorted: ReadonlyArray<string>
  readonly within: CallSpan.Within
}

/** Reads the records of a prepared call. */
export type Reader = <A>(prepared: Prepared<A>) => Stream.Stream<A, ApiError, Client>

/** Settings of a call that only this library gives. */
export interface Internal {
  /** Reads the call in a way that its parameters alone do not tell. */
  readonly read?: Reader | undefined
}

/** How the pages of a call are read. */
export const pagesOf = <A>({ client, decoder, engine, request, sorted, within }: Prepared<A>) => {
  const { call } = request
  const pages = Call.asPages(call)
  const reverse = Call.isFromEnd(pages)
  const token = Call.valueOf(call, "PageToken")?.toString()
  return {
    endpoint: call.endpoint.path,
    scrub: client.account.scrub,
    decoder,
    retry: request.retry ?? client.retry,
    within,
    token,
    reverse,
    // Not the page size of the call, which a service may ignore.
    maxRecords: Call.maxPageSize(call),
    guard: {
      maxEmpty: engine.limits.maxEmptyPages,
      onDisorder: client.onDisorder,
      order: { call, sorted, reverse, scrub: client.account.scrub }
    },
    fetch: (next: string | undefined) =>
      within(
        PageRequest.page(engine, {
          ...request,
          follows: next !== token,
          call: next === undefined ? pages : Call.fromToken(pages, next)
        })
      )
  }
}

/** Whether pages come from the end although the caller wants them in order. */
const isTurned = ({ request: { call } }: Prepared<unknown>): boolean =>
  !Call.isFromEnd(call) && Call.isFromEnd(Call.asPages(call))

/**
 * Reads the records of pages, in the order of the series unless the caller asked for them from the end. Those of a limit
 * come from the end, so all are kept until the earliest is there, and emitted at once.
 */
export const paged = <A>(prepared: Prepared<A>): Stream.Stream<A, ApiError, Client> => {
  const records = PageStream.records(pagesOf(prepared))
  return isTurned(prepared)
    ? Stream.unwrap(Effect.map(Stream.runCollect(records), (all) => Stream.fromArray(all.toReversed())))
    : records
}

/** Reads pages one by one. Those of a limit begin at the end too, each with its records in the order of the series. */
export const pages = <A>(prepared: Prepared<A>): Stream.Stream<Page<A>, ApiError, Client> => {
  const pages = PageStream.pages(pagesOf(prepared))
  return isTurned(prepared) ? Stream.map(pages, (page) => ({ ...page, data: page.data.toReversed() })) : pages
}

/**
 * Reads the records as a json_stream; `checkEnd` asks whether its last record is the last of the call, unless `isAtEnd`
 * knows that it is.
 */
export const stream = <A>(
  prepared: Prepared<A>,
  checkEnd: boolean,
  isAtEnd?: JsonStream.IsAtEnd
): Stream.Stream<A, ApiError, Client> => {
  const { client, decoder, engine, request, sorted, within } = prepared
  const options = {
    decoder,
    retry: request.retry ?? client.retry,
    within,
    maxLineBytes: engine.limits.maxLineBytes,
    sorted,
    onDisorder: client.onDisorder,
    scrub: client.account.scrub,
    open: (call: Call.Call) => engine.open({ ...request, call })
  }
  // Both have attempts of their own, so that their failure does not repeat the stream.
  const readLast = ({ call }: ResumeState.ResumeState) => {
    const last = PageStream.records(pagesOf({ ...prepared, request: { ...request, call: Call.toLastRecord(call) } }))
    return Call.isLimited(call) ? Stream.runLast(last) : Stream.runHead(last)
  }
  const readRest = Effect.fnUntraced(function* ({ call, isEmitted, last, rest }: ResumeState.ResumeState) {
    // Where all is read again, the last record comes last.
    if (rest === undefined) return yield* Stream.runLast(JsonStream.records({ ...options, call }))
    for (const call of rest) {
      // What comes behind, or is new at the same time, shows that the reply was cut.
      const records = JsonStream.records({ ...options, call })
      const found = yield* Stream.runHead(Stream.filter(records, (record) => !isEmitted(record)))
      if (Option.isSome(found)) return found
    }
    return Option.some(last)
  })
  return JsonStream.records({
    ...options,
    call: request.call,
    isAtEnd,
    readLast:
      checkEnd && request.call.endpoint.pageSize !== undefined
        ? Parameter.isStreamOnly(request.call.endpoint.parameters, request.call.values)
          ? readRest
          : readLast
        : undefined
  })
}
