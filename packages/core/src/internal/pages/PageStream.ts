/**
 * Pages as one stream: envelope, guards and order. Source: docs/interface.md 2.1 and 2.3.
 *
 * The seam is small: given how to fetch the page of a token, it says which page comes next and when it is over.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type ApiError, Decode } from "../../ApiError.ts"
import type { Page } from "../../Paging.ts"
import type * as Retry from "../../Retry.ts"
import type { Reply } from "../http/Engine.ts"
import * as PageGuard from "./PageGuard.ts"
import * as PageRecords from "./PageRecords.ts"
import type { RecordDecoder } from "../wire/RecordDecoder.ts"
import * as SeenTokens from "./SeenTokens.ts"
import * as Warnings from "./Warnings.ts"

/** What turns replies into pages. */
export interface Options<A, R> {
  readonly endpoint: string
  readonly decoder: RecordDecoder<A>
  /** Whether, and after how long, a page that is damaged inside is asked for once more. */
  readonly retry: Retry.Policy
  /** Where to begin; the first page when absent. */
  readonly token: string | undefined
  /** The most records a page may have; any number when absent. */
  readonly mostRecords: number | undefined
  /** What is watched over all pages. */
  readonly guard: Omit<PageGuard.Options, "endpoint">
  /** Rows inside a page always ascend: walking back from the end, each page is turned round. */
  readonly reverse: boolean
  readonly fetch: (token: string | undefined) => Effect.Effect<Reply, ApiError, R>
}

/** A page as it was received, its records still to be parsed. */
interface Received extends Omit<Page<unknown>, "data"> {
  readonly parts: PageRecords.Parts
  readonly scrub: Reply["scrub"]
}

/** A page whose records are read as they are pulled. */
interface Opened<A, R> extends Omit<Page<unknown>, "data"> {
  readonly records: PageRecords.PageRecords<A, R>
  readonly scrub: Reply["scrub"]
}

/** Receives page after page, one with each pull. */
const receive = <A, R>(options: Options<A, R>): Pull.Pull<Opened<A, R>, ApiError, void, R> => {
  const { endpoint, fetch, token } = options
  const tokens = SeenTokens.make(token)
  let next: { readonly token: string | undefined; readonly page: number } | undefined = { token, page: 1 }
  return Effect.suspend((): Pull.Pull<Opened<A, R>, ApiError, void, R> => {
    if (next === undefined) return Cause.done()
    const { token, page } = next
    const fetched = Effect.mapError(fetch(token), (error) =>
      error._tag === "Decode" && error.page === undefined ? new Decode({ ...error, page }) : error
    )
    return Effect.flatMap(fetched, (reply) => {
      const received = open(endpoint, reply, page)
      if (Result.isFailure(received)) return Effect.fail(received.failure)
      const following = received.success.next_page_token
      if (following !== undefined && tokens.isRepeated(following)) {
        const issue = "the token was given before, so the pages would never end"
        return new Decode({ endpoint, trace: reply.trace, page, path: "next_page_token", issue })
      }
      next = following === undefined ? undefined : { token: following, page: page + 1 }
      const { parts, ...opened } = received.success
      const again = Effect.flatMap(fetched, (reply) => Effect.fromResult(reopen(endpoint, reply, opened)))
      return Effect.succeed({
        ...opened,
        records: PageRecords.make({ ...options, page, parts, again, trace: reply.trace, scrub: reply.scrub })
      })
    })
  })
}

/** Parses a page as a whole. */
const complete = <A, R>(
  options: Options<A, R>,
  { records, scrub: _scrub, ...page }: Opened<A, R>
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
 * Reads pages one after another, each when it is pulled.
 *
 * **Details**
 *
 * An empty page with a token goes on, until there were too many of them in a row. A token that was seen before fails with
 * `Decode`, for it would never end.
 */
export const pages = <A, R>(options: Options<A, R>): Stream.Stream<Page<A>, ApiError, R> =>
  Stream.suspend(() => {
    const guard = PageGuard.make({ ...options.guard, endpoint: options.endpoint })
    const next = Effect.flatMap(guard.next(receive(options)), (received) =>
      Effect.tap(complete(options, received), ({ data }) =>
        // A page is given whole or not at all.
        Arr.isReadonlyArrayNonEmpty(data)
          ? Effect.flatMap(guard.emit(data), () => guard.failure() ?? Effect.void)
          : Effect.void
      )
    )
    return Stream.fromPull(Effect.succeed(Effect.map(next, Arr.of)))
  })

/**
 * Reads the records of pages one after another; those of a large page in several arrays, each parsed when it is pulled.
 */
export const records = <A, R>(options: Options<A, R>): Stream.Stream<A, ApiError, R> =>
  // One pull over all pages: a stream for each page would leave its closures behind.
  Stream.suspend(() => {
    const warn = Warnings.makeLog()
    const guard = PageGuard.make({ ...options.guard, endpoint: options.endpoint })
    const received = guard.next(Effect.tap(receive(options), warn))
    let current: PageRecords.PageRecords<A, R> = Cause.done()
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError, void, R> = Effect.suspend(
      () => guard.failure() ?? Pull.catchDone(Effect.flatMap(current, guard.emit), () => following)
    )
    const following = Effect.flatMap(received, (page) => {
      // What comes last on a page from the end comes first in the stream: such a page is needed whole.
      if (options.reverse) {
        return Effect.flatMap(complete(options, page), ({ data }) =>
          Arr.isReadonlyArrayNonEmpty(data) ? guard.emit(data) : next
        )
      }
      current = page.records
      return next
    })
    return Stream.fromPull(Effect.succeed(next))
  })

const open = (endpoint: string, { envelope, scrub, trace }: Reply, page: number): Result.Result<Received, Decode> => {
  const broken = (path: string, issue: string) => Result.fail(new Decode({ endpoint, trace, page, path, issue }))
  if (!Predicate.isObject(envelope.json)) return broken("", "expected an object with data")
  const fields: Readonly<Record<string, unknown>> = { ...envelope.json }
  if (envelope.parts === undefined) {
    return broken("data", fields["data"] === undefined ? "Missing key" : "Expected array")
  }
  const token = nextToken(fields)
  if (Result.isFailure(token)) return broken(token.failure, "Expected a token to follow")
  return Result.succeed({
    parts: envelope.parts,
    page,
    next_page_token: token.success,
    ...Warnings.read(fields, scrub),
    trace,
    scrub
  })
}

/** Reads a page that was asked for again; the one that follows it must be the same. */
const reopen = (
  endpoint: string,
  reply: Reply,
  { next_page_token, page }: Pick<Received, "page" | "next_page_token">
): Result.Result<PageRecords.Parts, Decode> =>
  Result.flatMap(open(endpoint, reply, page), (again) =>
    again.next_page_token === next_page_token
      ? Result.succeed(again.parts)
      : Result.fail(
          new Decode({ endpoint, trace: reply.trace, page, path: "next_page_token", issue: PageRecords.changed })
        )
  )

/**
 * Takes the token alone: `next_page_url` carries the key and may point anywhere, so it is read for its token where that
 * stands nowhere else, and never followed.
 */
const nextToken = (envelope: Readonly<Record<string, unknown>>): Result.Result<string | undefined, string> => {
  const { next_page_token: token, next_page_url: url } = envelope
  if (Predicate.isString(token)) return token === "" ? Result.fail("next_page_token") : Result.succeed(token)
  if (Predicate.isNotNullish(token)) return Result.fail("next_page_token")
  if (Predicate.isNullish(url)) return Result.succeed(undefined)
  const found = Predicate.isString(url) ? URL.parse(url, "http://relative")?.searchParams.get("next_page_token") : null
  return found ? Result.succeed(found) : Result.fail("next_page_url")
}
