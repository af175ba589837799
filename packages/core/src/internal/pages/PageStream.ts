/**
 * Reads pages as one stream: envelope, checks and order. See docs/interface.md 2.1 and 2.3.
 *
 * Given a function that fetches the page of a token, this module decides which page comes next and which is the last.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type ApiError, Decode } from "../../ApiError.ts"
import type { Page } from "../../Paging.ts"
import type * as Retry from "../../Retry.ts"
import type { Reply } from "../http/Engine.ts"
import type { Within } from "../observe/CallSpan.ts"
import * as PageGuard from "./PageGuard.ts"
import * as PageHead from "./PageHead.ts"
import * as PageRecords from "./PageRecords.ts"
import { tokenIn } from "../wire/Envelope.ts"
import type { RecordDecoder } from "../wire/RecordDecoder.ts"
import * as SeenTokens from "./SeenTokens.ts"
import * as Warnings from "./Warnings.ts"

export interface Options<A, R> {
  readonly endpoint: string
  /** Removes the key from text of the service, and makes it safe to print. */
  readonly scrub: (text: string) => string
  readonly decoder: RecordDecoder<A>
  /** Whether, and after what delay, a page with damaged bytes is requested once more. */
  readonly retry: Retry.Policy
  /** Makes the span of the call the parent of its waits. `fetch` does so for its requests. */
  readonly within?: Within | undefined
  /** The token of the first page to read; absent for the first page there is. */
  readonly token: string | undefined
  /** The most records a page may have; any number when absent. */
  readonly maxRecords: number | undefined
  /** What is checked over all pages. */
  readonly guard: PageGuard.Options
  /** Set when pages are read from the end: each page is then reversed, because its records always ascend. */
  readonly reverse: boolean
  readonly fetch: (token: string | undefined) => Effect.Effect<Reply, ApiError, R>
}

interface Received {
  readonly head: PageHead.PageHead
  readonly page: Omit<Page<unknown>, "data">
}

/** A page whose records are not parsed yet. */
interface ReceivedPage extends Received {
  readonly chunks: PageRecords.PageChunks
}

/** A page whose records are parsed as they are pulled. */
interface OpenedPage<A, R> extends Received {
  readonly records: PageRecords.PageRecords<A, R>
}

interface NextPage<R> {
  readonly page: number
  readonly fetched: Effect.Effect<Reply, ApiError, R>
  /** Set once it was requested ahead. */
  ahead: Fiber.Fiber<Reply, ApiError> | undefined
}

/**
 * Fetches one page with each pull.
 *
 * From the second page on, the page after it is requested as soon as the first records of a page were read, and is received
 * while the others are. So a caller who stops within the first page, or after empty ones, has sent no request in vain, and
 * any other at most one.
 */
const receive = <A, R>(options: Options<A, R>, scope: Scope.Scope): Pull.Pull<OpenedPage<A, R>, ApiError, void, R> => {
  const { fetch, token } = options
  const tokens = SeenTokens.make(token)
  const nextOf = (token: string | undefined, page: number): NextPage<R> => ({
    page,
    fetched: Effect.mapError(fetch(token), (error) =>
      error._tag === "Decode" && error.page === undefined ? new Decode({ ...error, page }) : error
    ),
    ahead: undefined
  })
  const askAhead = (next: NextPage<R>) =>
    Effect.map(Effect.forkIn(next.fetched, scope, { startImmediately: true }), (fiber) => {
      next.ahead = fiber
    })
  let next: NextPage<R> | undefined = nextOf(token, 1)
  return Effect.suspend((): Pull.Pull<OpenedPage<A, R>, ApiError, void, R> => {
    if (next === undefined) return Cause.done()
    const { ahead, fetched, page } = next
    return Effect.flatMap(ahead === undefined ? fetched : Fiber.join(ahead), (reply) => {
      const received = parsePage(options, reply, page)
      if (Result.isFailure(received)) return Effect.fail(received.failure)
      const { chunks, head } = received.success
      const following = received.success.page.next_page_token
      if (following !== undefined && tokens.isRepeated(following)) {
        const issue = "the token was given before, so the pages would never end"
        return PageHead.unexpected(head, "next_page_token", issue)
      }
      const after = following === undefined ? undefined : nextOf(following, page + 1)
      next = after
      const refetch = Effect.flatMap(fetched, (copy) =>
        Effect.fromResult(parseCopy(options, copy, received.success.page))
      )
      const records = PageRecords.make({ ...options, head, chunks, refetch })
      return Effect.succeed({
        head,
        page: received.success.page,
        records: page === 1 || after === undefined ? records : afterFirst(records, askAhead(after))
      })
    })
  })
}

/** Runs an effect once, behind the first records. */
const afterFirst = <A, R>(
  records: PageRecords.PageRecords<A, R>,
  effect: Effect.Effect<void, never, R>
): PageRecords.PageRecords<A, R> => {
  let isRun = false
  return Effect.suspend(() => {
    if (isRun) return records
    isRun = true
    return Effect.tap(records, effect)
  })
}

const parseAll = <A, R>(
  options: Options<A, R>,
  { page, records }: OpenedPage<A, R>
): Effect.Effect<Page<A>, ApiError, R> => {
  const data: Array<A> = []
  const all = Effect.forever(
    Effect.map(records, (some) => {
      for (const record of some) data.push(record)
    }),
    { disableYield: true }
  )
  return Pull.catchDone(all, () => Effect.succeed({ ...page, data: options.reverse ? data.toReversed() : data }))
}

/**
 * Reads pages one after another. See {@link receive} for when they are requested.
 *
 * **Details**
 *
 * After an empty page with a token the next page is read, up to a number of empty pages in a row. A token that was seen
 * before fails with `Decode`, because the pages would never end.
 */
export const pages = <A, R>(options: Options<A, R>): Stream.Stream<Page<A>, ApiError, R> =>
  scoped((scope) => {
    const guard = PageGuard.make(options.guard)
    const next = Effect.flatMap(guard.next(receive(options, scope)), (received) =>
      Effect.tap(parseAll(options, received), ({ data }) =>
        // A page is emitted whole or not at all.
        Arr.isReadonlyArrayNonEmpty(data)
          ? Effect.flatMap(guard.check(data), () => guard.failure() ?? Effect.void)
          : Effect.void
      )
    )
    return Effect.map(next, Arr.of)
  })

/** A stream with a scope for the requests that are sent ahead. */
const scoped = <A, R>(
  pull: (scope: Scope.Scope) => Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError, void, R>
): Stream.Stream<A, ApiError, R> => Stream.scoped(Stream.fromPull(Effect.map(Effect.scope, pull)))

/**
 * Reads the records of pages one after another. A large page comes in several arrays, each parsed when it is pulled.
 */
export const records = <A, R>(options: Options<A, R>): Stream.Stream<A, ApiError, R> =>
  // One pull over all pages: a stream for each page would leave closures in memory.
  scoped((scope) => {
    const warn = Warnings.makeLogger()
    const guard = PageGuard.make(options.guard)
    const received = guard.next(Effect.tap(receive(options, scope), ({ page }) => warn(page)))
    let current: PageRecords.PageRecords<A, R> = Cause.done()
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError, void, R> = Effect.suspend(
      () => guard.failure() ?? Pull.catchDone(Effect.flatMap(current, guard.check), () => following)
    )
    const following = Effect.flatMap(received, (page) => {
      // Read from the end, the last record of a page comes first, so the whole page is parsed.
      if (options.reverse) {
        return Effect.flatMap(parseAll(options, page), ({ data }) =>
          Arr.isReadonlyArrayNonEmpty(data) ? guard.check(data) : next
        )
      }
      current = page.records
      return next
    })
    return next
  })

/** What errors say of the pages of a stream. */
type Named = Pick<PageHead.PageHead, "endpoint" | "scrub">

const parsePage = (
  { endpoint, scrub }: Named,
  { envelope, trace }: Reply,
  page: number
): Result.Result<ReceivedPage, Decode> => {
  const head: PageHead.PageHead = { endpoint, scrub, trace, page }
  const fail = (path: string, issue: string) => Result.fail(PageHead.unexpected(head, path, issue))
  if (!Predicate.isObject(envelope.json)) return fail("", "expected an object with data")
  const fields: Readonly<Record<string, unknown>> = { ...envelope.json }
  const { chunks } = envelope
  if (chunks === undefined) return fail("data", fields["data"] === undefined ? "Missing key" : "Expected array")
  const token = nextToken(fields)
  if (Result.isFailure(token)) return fail(token.failure, "Expected a token to follow")
  const heartbeats = Array.isArray(fields["heartbeats"]) ? { heartbeats: fields["heartbeats"] } : {}
  return Result.succeed({
    head,
    chunks,
    page: { page, next_page_token: token.success, ...Warnings.read(fields, scrub), ...heartbeats, trace }
  })
}

/** Parses the second copy of a page. Its next page must be the same as that of the first copy. */
const parseCopy = (
  named: Named,
  reply: Reply,
  { next_page_token, page }: Received["page"]
): Result.Result<PageRecords.PageChunks, Decode> =>
  Result.flatMap(parsePage(named, reply, page), ({ chunks, head, page: copy }) =>
    copy.next_page_token === next_page_token
      ? Result.succeed(chunks)
      : Result.fail(PageHead.unexpected(head, "next_page_token", PageRecords.changed))
  )

/**
 * Reads the next token. `next_page_url` carries the key and may point to any host, so it is never followed; its token is
 * used only where `next_page_token` is absent.
 */
export const nextToken = (envelope: Readonly<Record<string, unknown>>): Result.Result<string | undefined, string> => {
  const { next_page_token: token, next_page_url: url } = envelope
  if (Predicate.isString(token)) return token === "" ? Result.fail("next_page_token") : Result.succeed(token)
  if (Predicate.isNotNullish(token)) return Result.fail("next_page_token")
  if (Predicate.isNullish(url)) return Result.succeed(undefined)
  const found = Predicate.isString(url) && tokenIn(url)
  return found ? Result.succeed(found) : Result.fail("next_page_url")
}
