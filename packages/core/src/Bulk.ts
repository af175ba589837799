/**
 * Splits one large request into parts, along a list or along time, and merges their records into one stream.
 *
 * The parts are plain data: count them, print them, or save them and run the rest tomorrow. Together they give the records of
 * the whole request, none lost and none repeated.
 */
import type * as Arr from "effect/Array"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ApiError, type InvalidRequest } from "./ApiError.ts"
import * as Defaults from "./Defaults.ts"
import type { Client } from "./Client.ts"
import type * as Endpoint from "./Endpoint.ts"
import * as Call from "./internal/call/Call.ts"
import * as Check from "./internal/call/Check.ts"
import * as EndOfRange from "./internal/bulk/EndOfRange.ts"
import * as OptionRules from "./internal/call/OptionRules.ts"
import * as Range from "./internal/call/Range.ts"
import * as LastPage from "./internal/bulk/LastPage.ts"
import * as Merge from "./internal/bulk/Merge.ts"
import * as PageFirst from "./internal/bulk/PageFirst.ts"
import {
  BadSplit,
  type AnyParams,
  type ListName,
  type ParamsOf,
  Part,
  type PartParams,
  type Split
} from "./internal/bulk/Parts.ts"
import * as Plan from "./internal/plan/Plan.ts"
import * as CalendarPeriod from "./internal/bulk/Period.ts"
import type { Period } from "./internal/bulk/Period.ts"
import * as RequestPlan from "./internal/bulk/RequestPlan.ts"
import * as Way from "./internal/bulk/Way.ts"
import * as Read from "./internal/read/Read.ts"
import * as Quota from "./Quota.ts"

export type { Period } from "./internal/bulk/Period.ts"
export {
  type AnyParams,
  BadSplit,
  type ListName,
  type ParamsOf,
  Part,
  type PartParams,
  type Split
} from "./internal/bulk/Parts.ts"
export { Amount } from "./internal/plan/Amount.ts"
export { Plan, PlanExceeded, type PlanOptions } from "./internal/plan/Plan.ts"

/** The months of a calendar period; nothing for a length of time. */
export const monthsOf: (every: Duration.Input | Period) => number | undefined = CalendarPeriod.monthsOf

/** A period of so many months as one text, whatever words it was given in: `1 year` for twelve. */
export const periodOf: (months: number) => Period = CalendarPeriod.format

/** One part could not be read to its end. */
export class PartFailed extends Schema.TaggedError<PartFailed>()("PartFailed", {
  /** Index of the part. */
  part: Schema.Int,
  params: Part.fields.params,
  error: ApiError
}) {
  override get message() {
    return `part ${this.part} (${RequestPlan.format(this.params)}): ${this.error.message}`
  }
}

/** Rejects names that are not parameters, as a call does. */
type Known<E, P> = string extends keyof ParamsOf<E>
  ? unknown
  : { readonly [K in Exclude<keyof P, keyof ParamsOf<E>>]: never }

/**
 * Splits a request into parts.
 *
 * **Details**
 *
 * Items are sorted as the records of a series are, and form batches of `size`. The parts of the first batch come first, in
 * the order of time, then those of the second. With one item per part the parts stand in the order of the records, unless
 * `sort` asks for another order. With `paging_from: "end"` the order is reversed. Items named twice are read once. The
 * boundary between two parts of time belongs to the later one; `start_inclusive` and `end_inclusive` apply to the two
 * outer ends, and a date without a time as the end is its whole day.
 *
 * Fails with `InvalidRequest` where a call with these parameters would, such as for a range that ends before it starts.
 * Fails with {@link BadSplit} where the parts would not give the records of the request: wildcards, an empty range,
 * times in a zone other than UTC, a limit that counts over several parts, or lists that name columns.
 *
 * **Gotchas**
 *
 * Nothing is sent, so an item unknown to the service is found only when its part is read.
 */
export const split = <E extends Endpoint.Info, const P extends ParamsOf<E>>(
  endpoint: E,
  params: P & Known<E, P>,
  how: Split<ListName<E>> = {}
): Effect.Effect<ReadonlyArray<Part<PartParams<E, P>>>, BadSplit | InvalidRequest> =>
  // Type boundary: the parts hold the checked parameters, with their lists as arrays and their times as text, which is
  // what `PartParams` says; the code that splits has them as data.
  splitChecked(endpoint, params, how) as Effect.Effect<ReadonlyArray<Part<never>>, BadSplit | InvalidRequest>

const splitChecked = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: unknown, how: Split) {
  const checked = yield* check(endpoint)(params)
  const call = Call.make(endpoint, checked)
  yield* Range.check(call)
  const parts = RequestPlan.make(call, how)
  return yield* Effect.mapError(
    Effect.fromResult(parts),
    (reason) => new BadSplit({ endpoint: endpoint.path, ...reason })
  )
})

// Type boundary: the parameters of an endpoint encode to themselves, which `Endpoint.Info` does not state.
const check = ({ path, params }: Endpoint.Info) => Check.make(path, params as Schema.Codec<object, object>)

/**
 * Tells what parts come to before they are read: requests, records, bytes and time, of each entity and in total. The parts are
 * counted as {@link records} reads them.
 *
 * **Details**
 *
 * The catalog of the series says from when to when each entity has records; many entities take a request or two. Of a series at a
 * `frequency` the records are then counted along its grid. Of another, such as trades, pages of the range are read as samples: with
 * the one for the bytes of a record up to `samples` requests. Those take the quota as any others do.
 *
 * What is not known is not guessed: `isExact` is false, the bounds are as far apart as they may be, and `unknown` says why.
 * Fails with {@link PlanExceeded} where the plan is beyond `maxRequests` or `maxBytes`.
 *
 * **Gotchas**
 *
 * A catalog does not list holes, so a series with holes has fewer records. Retries and other users of the quota are not in a plan.
 */
export const plan = (
  endpoint: Endpoint.Info,
  parts: ReadonlyArray<Part<object>>,
  options: Plan.PlanOptions = {}
): Effect.Effect<Plan.Plan, ApiError | Plan.PlanExceeded, Client> => Plan.make(endpoint, parts, options)

/** An endpoint with known types. Only its call signature: from more, the type parameters could not be inferred. */
type Callable<P, A> = (params: P, options?: Endpoint.CallOptions) => Endpoint.Records<A>

// Type boundary: a function that returns the records of an endpoint is that endpoint.
const infoOf = <P, A>(endpoint: Callable<P, A>) => endpoint as Callable<P, A> & Endpoint.Info

/** Matches endpoints whose types are not known at compile time. */
type Untyped<E> = Endpoint.Any extends E ? E : never

/**
 * How parts are run. Each part fails where another option is given, a `signal` too: a run ends by the interruption of its fiber,
 * and an `AbortSignal` that nobody looks at would end nothing.
 */
export interface Options extends Endpoint.CallOptions {
  /** Parts read at once. Default {@link Defaults.parallel}, the number of requests the service runs at once. */
  readonly concurrency?: number | undefined
  /**
   * `"arrival"`, the default: records as they arrive, in order within each part. `"parts"`: the records of one part after
   * those of the previous part.
   */
  readonly order?: "arrival" | "parts" | undefined
}

/** Options that no compiler has checked: the values of two, in words. The call itself takes the others. */
const rules: OptionRules.Rules<Options> = {
  concurrency: [Predicate.isNumber, "must be a number"],
  order: [(value) => value === "arrival" || value === "parts", 'must be "arrival" or "parts"'],
  checkEnd: [Predicate.isBoolean, "must be true or false"],
  query: [Predicate.isObject, "must be an object"],
  retry: [Predicate.isNotUndefined, ""],
  lazy: [Predicate.isNotUndefined, ""]
}

/**
 * Reads one part: as json_stream where the endpoint offers it, otherwise as pages. As a page first where its parameters say
 * that all records fit one of about a megabyte: `frequency`, both ends of the range, and entities and columns without
 * wildcards. Where the page does not come, or is not the last, the part is read as json_stream after it, with attempts of its
 * own: a service that answers nothing is asked up to twice as often as the retry policy says.
 *
 * With `page_size`, `paging_from: "end"` or a `limit_per_*` it is read as pages, and `format` decides where it is given. The end of a
 * json_stream is checked unless `checkEnd` is false, so a json_stream loses no record that pages would not lose. That
 * takes no request where the last record is at the end of a range at a `frequency`. Of a series without one, such as
 * trades, the last page is requested first: it is the whole of a small part, and shows the end of a larger one. A part
 * whose request is too long for the service (414) is read as two halves, with its records in the same order.
 */
export const read: {
  <P, A>(endpoint: Callable<P, A>, part: Part<P>, options?: Endpoint.CallOptions): Endpoint.Records<A>
  <E extends Endpoint.Any>(
    endpoint: Untyped<E>,
    part: Part<Readonly<Record<string, unknown>>>,
    options?: Endpoint.CallOptions
  ): Endpoint.Records<unknown>
} = <A>(endpoint: Callable<object, A>, { params }: Part<object>, options?: Endpoint.CallOptions) =>
  inHalves(infoOf(endpoint), params, (params) => readWhole(endpoint, params, { checkEnd: true, ...options }))

/**
 * Reads a part as json_stream where the endpoint offers it, unless the parameters choose a format or set paging. Where all
 * records fit a small page, that page is one request, and a json_stream takes another to check its end. A page has to be there
 * before its first byte is sent, and starts anew when it is cut off, so the json_stream is read where it does not come.
 */
const readWhole = <A>(
  endpoint: Callable<object, A>,
  params: object,
  options: Endpoint.CallOptions
): Endpoint.Records<A> => {
  const info = infoOf(endpoint)
  const checkEnd = options.checkEnd === true
  const way = Way.of(info, params, checkEnd)
  if (way._tag === "AsGiven") return endpoint(params, options)
  const inner: Read.Internal = { read: readerOf(way, checkEnd) }
  return endpoint({ ...params, [way.format]: "json_stream" }, { ...options, ...inner })
}

/** Reads a json_stream with as few requests as tell that it is whole. */
const readerOf = (way: Exclude<Way.Way, { readonly _tag: "AsGiven" }>, checkEnd: boolean): Read.Reader => {
  if (way._tag === "PageFirst") return PageFirst.make(checkEnd)
  return way._tag === "LastPage"
    ? LastPage.make(way.size)
    : (prepared) => Read.stream(prepared, checkEnd, EndOfRange.isReached)
}

/**
 * Reads a part. When the service answers that its request is too long, reads its two halves instead, and their halves, down
 * to one item. The order of the records stays the same.
 */
const inHalves = <A>(
  info: Endpoint.Info,
  params: object,
  call: (params: object) => Endpoint.Records<A>
): Endpoint.Records<A> =>
  PageFirst.catchUnread(call(params), (error) => {
    const isTooLong = error._tag === "InvalidRequest" && error.kind === "tooLong"
    const halves = isTooLong ? RequestPlan.halves(Call.make(info, params)) : []
    return halves.length < 2
      ? undefined
      : Stream.flatMap(Stream.fromIterable(halves), (half) => inHalves(info, half.params, call))
  })

/** An event of a part: some of its records, its end, or its failure. */
export type Settled<A, P = AnyParams> =
  | {
      readonly _tag: "Records"
      /** The part. */
      readonly part: Part<P>
      /** Records in order. More may follow. */
      readonly records: Arr.NonEmptyReadonlyArray<A>
    }
  | {
      readonly _tag: "Done"
      /** The part. */
      readonly part: Part<P>
      /** The number of its records. */
      readonly count: number
    }
  | {
      readonly _tag: "Failed"
      /** The part. */
      readonly part: Part<P>
      /** Why it could not be read. */
      readonly error: ApiError
    }

/**
 * Runs parts and merges their records. The first part that fails ends the stream with {@link PartFailed}; each fails where
 * an option is unknown.
 *
 * **Details**
 *
 * The run shares the permits of the client fairly with other work: see `Quota.Lane`. In the order of arrival, each part is
 * read as by {@link read}. In the order of the parts, they are read as pages: a json_stream that waits for its turn would
 * hold a permit, and the part whose turn it is might get none. With `format: "json_stream"` in the parameters they are read
 * one after another.
 */
export const records: {
  <P, A>(
    endpoint: Callable<P, A>,
    parts: ReadonlyArray<Part<P>>,
    options?: Options
  ): Stream.Stream<A, PartFailed, Client>
  <E extends Endpoint.Any>(
    endpoint: Untyped<E>,
    parts: ReadonlyArray<Part<Readonly<Record<string, unknown>>>>,
    options?: Options
  ): Stream.Stream<unknown, PartFailed, Client>
} = <A>(endpoint: Callable<object, A>, parts: ReadonlyArray<Part<object>>, options: Options = {}) =>
  run(endpoint, parts, options, (part) =>
    Stream.mapError(readIn(endpoint, part, options), (error) => {
      const params = Call.paramsOf(Call.make(infoOf(endpoint), part.params))
      return new PartFailed({ part: part.index, params, error })
    })
  )

/** Runs parts as {@link records} does, and emits the events of each part. A part that fails does not stop the others. */
export const settled: {
  <P, A>(
    endpoint: Callable<P, A>,
    parts: ReadonlyArray<Part<P>>,
    options?: Options
  ): Stream.Stream<Settled<A, P>, never, Client>
  <E extends Endpoint.Any, P extends Readonly<Record<string, unknown>>>(
    endpoint: Untyped<E>,
    parts: ReadonlyArray<Part<P>>,
    options?: Options
  ): Stream.Stream<Settled<unknown, P>, never, Client>
} = <A>(endpoint: Callable<object, A>, parts: ReadonlyArray<Part<object>>, options: Options = {}) =>
  run(endpoint, parts, options, (part) => settle(part, readIn(endpoint, part, options)))

const settle = <A, P>(part: Part<P>, stream: Endpoint.Records<A>): Stream.Stream<Settled<A, P>, never, Client> =>
  Stream.suspend(() => {
    let count = 0
    return stream.pipe(
      Stream.mapArray((records): Arr.NonEmptyReadonlyArray<Settled<A, P>> => {
        count += records.length
        return [{ _tag: "Records", part, records }]
      }),
      Stream.concat(Stream.sync((): Settled<A, P> => ({ _tag: "Done", part, count }))),
      Stream.catch((error) => Stream.succeed<Settled<A, P>>({ _tag: "Failed", part, error }))
    )
  })

const readIn = <A>(endpoint: Callable<object, A>, part: Part<object>, options: Options): Endpoint.Records<A> => {
  const fault = OptionRules.faultOf(infoOf(endpoint).path, rules, options)
  if (fault !== undefined) return Stream.fail(fault)
  const { checkEnd = true, order, query, retry } = options
  const call = { checkEnd, query, retry }
  return order === "parts"
    ? inHalves(infoOf(endpoint), part.params, (params) => endpoint(params, call))
    : read(endpoint, part, call)
}

const run = <P extends object, A, E>(
  endpoint: Callable<P, unknown>,
  parts: ReadonlyArray<Part<P>>,
  { concurrency = Defaults.parallel, order }: Options,
  streamOf: (part: Part<P>) => Stream.Stream<A, E, Client>
): Stream.Stream<A, E, Client> => {
  const isStream = ({ params }: Part<P>) => Call.isStream(Call.make(infoOf(endpoint), params))
  // At least one: with none, the stream would end without records and without an error.
  const atOnce = concurrency >= 1 ? Math.floor(concurrency) : 1
  const merged =
    order === "parts"
      ? Merge.inOrder(parts, streamOf, parts.some(isStream) ? 1 : atOnce)
      : Merge.byArrival(parts, streamOf, atOnce)
  return Quota.inOwnLane(merged)
}
