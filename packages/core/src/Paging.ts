/**
 * Pages as one stream: envelope, guards and order. Source: interface.md 2.1.
 *
 * The seam is small: given how to fetch the page of a token, it says which page comes next and when it is over.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type ApiError, Decode } from "./ApiError.ts"
import type { Reply } from "./Client.ts"
import type { RecordDecoder } from "./RecordDecoder.ts"

/** A remark of the service that comes with a page. Decide on `type`; `message` may change any day. */
export interface Warning {
  readonly type: string
  readonly message: string
}

/** One page of records. */
export interface Page<out A> {
  /** The records, in the order of the stream: from `end` newest first. May be empty although more pages follow. */
  readonly data: ReadonlyArray<A>
  /** Counts from 1 within this stream. */
  readonly page: number
  /** Token of the next page, to continue from later; absent on the last. */
  readonly next_page_token: string | undefined
  /** Remarks beside the records; empty as a rule. */
  readonly warnings: ReadonlyArray<Warning>
  /** The reply's `CF-RAY`. */
  readonly trace: string | undefined
}

/** What turns replies into pages. */
export interface Options<A, R> {
  readonly endpoint: string
  readonly decoder: RecordDecoder<A>
  /** Where to begin; the first page when absent. */
  readonly token: string | undefined
  /** Rows inside a page always ascend: walking back from the end, each page is turned round. */
  readonly reverse: boolean
  readonly fetch: (token: string | undefined) => Effect.Effect<Reply, ApiError, R>
}

/**
 * Reads pages one after another, each when it is pulled.
 *
 * **Details**
 *
 * An empty page with a token goes on. A token that was seen before fails with `Decode`, for it would never end.
 */
export const pages = <A, R>(options: Options<A, R>): Stream.Stream<Page<A>, ApiError, R> =>
  Stream.suspend(() => {
    const seen = new Set([options.token])
    return Stream.paginate({ token: options.token, page: 1 }, ({ token, page }) =>
      Effect.flatMap(options.fetch(token), (reply) => {
        const read = readPage(options, reply, page)
        if (Result.isFailure(read)) return Effect.fail(read.failure)
        const next = read.success.next_page_token
        if (next === undefined) return Effect.succeed([[read.success], Option.none()] as const)
        if (seen.has(next)) {
          const issue = "the token was given before, so the pages would never end"
          return new Decode({ endpoint: options.endpoint, trace: reply.trace, page, path: "next_page_token", issue })
        }
        seen.add(next)
        return Effect.succeed([[read.success], Option.some({ token: next, page: page + 1 })] as const)
      })
    )
  })

/** The records of pages, as one stream that keeps a page together as one array. */
export const records = <A, E, R>(self: Stream.Stream<Page<A>, E, R>): Stream.Stream<A, E, R> =>
  Stream.suspend(() =>
    self.pipe(
      Stream.tap(makeWarn()),
      Stream.map((page) => page.data),
      Stream.filter(Arr.isReadonlyArrayNonEmpty),
      Stream.flattenArray
    )
  )

/** Logs each kind of warning once a stream, though it comes with every page. */
const makeWarn = () => {
  const said = new Set<string>()
  const warn = ({ type, message }: Warning) => {
    said.add(type)
    return Effect.logWarning(`The service warns (${type}): ${message}`)
  }
  return ({ warnings }: Page<unknown>) =>
    Effect.forEach(
      warnings.filter(({ type }) => !said.has(type)),
      warn,
      { discard: true }
    )
}

const readPage = <A, R>(options: Options<A, R>, reply: Reply, page: number): Result.Result<Page<A>, Decode> => {
  const { body, trace } = reply
  const broken = (path: string, issue: string) =>
    Result.fail(new Decode({ endpoint: options.endpoint, trace, page, path, issue }))
  if (!Predicate.isObject(body)) return broken("", "expected an object with data")
  const envelope: Readonly<Record<string, unknown>> = { ...body }
  const { data } = envelope
  if (!Array.isArray(data)) return broken("data", data === undefined ? "Missing key" : "Expected array")
  const checked = options.decoder.check(data)
  if (Result.isFailure(checked)) {
    return broken(`data[${checked.failure.index}]${checked.failure.path}`, checked.failure.issue)
  }
  const token = nextToken(envelope)
  if (Result.isFailure(token)) return broken(token.failure, "Expected a token to follow")
  return Result.succeed({
    data: options.reverse ? checked.success.toReversed() : checked.success,
    page,
    next_page_token: token.success,
    warnings: [envelope["warning"], envelope["warnings"]].flat().flatMap(readWarning),
    trace
  })
}

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

/** The interface describes an array of warnings, its newest edition one object: either is read (facts.md 1, row 6). */
const readWarning = (warning: unknown): ReadonlyArray<Warning> => {
  if (!Predicate.isObject(warning)) return []
  const { type, message } = { type: "unknown", message: "", ...warning }
  return [{ type: String(type), message: String(message) }]
}
