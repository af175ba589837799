/**
 * One large request as many: cut along a list or along time, run side by side, merged into one stream.
 *
 * The parts are plain data: count them, print them, write them down and run the rest of them tomorrow. Together they give
 * the records of the whole request, none lost and none twice.
 */
import type * as Arr from "effect/Array"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ApiError, type InvalidRequest } from "./ApiError.ts"
import type { Client } from "./Client.ts"
import type * as Endpoint from "./Endpoint.ts"
import * as Call from "./internal/call/Call.ts"
import * as Merge from "./internal/bulk/Merge.ts"
import * as Plan from "./internal/bulk/Plan.ts"
import * as Params from "./Params.ts"
import * as Quota from "./Quota.ts"

/** How to cut a request; with neither `by` nor `every` it stays whole. */
export interface Split<Name extends string = string> {
  /** A list parameter of which every record belongs to exactly one item, such as `assets`. */
  readonly by?: Name | undefined
  /** Items per part, at most: fewer where the request would get too long for the service. Default 1; `Infinity` takes as many as fit. */
  readonly size?: number | undefined
  /** Length of a part in time; needs `start_time` and `end_time`. */
  readonly every?: Duration.Input | undefined
}

/** Parameters that are known as data only. */
export type AnyParams = Readonly<Record<string, Schema.Json>>

/**
 * One of the requests, as JSON: lists are arrays of text, and what is absent is left out.
 */
export interface Part<out P = AnyParams> {
  /** Counts from 0, in the order of the records. */
  readonly index: number
  readonly params: P
}
/** Schema of {@link Part}, for parts that are written down and read back: their parameters are known as data only. */
export const Part = Schema.Struct({ index: Schema.Int, params: Schema.Record(Schema.String, Schema.Json) })

/** A request cannot be cut like this; nothing was sent. */
export class BadSplit extends Schema.TaggedError<BadSplit>()("BadSplit", {
  /** Path of the endpoint. */
  endpoint: Schema.String,
  /** The parameter, or the member of {@link Split}, that is in the way. */
  parameter: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    const which = this.parameter === undefined ? "" : ` "${this.parameter}"`
    return `${this.endpoint}: cannot be split:${which} ${this.reason}`
  }
}

/** One part could not be read to its end. */
export class PartFailed extends Schema.TaggedError<PartFailed>()("PartFailed", {
  /** Index of the part. */
  part: Schema.Int,
  params: Part.fields.params,
  error: ApiError
}) {
  override get message() {
    return `part ${this.part} (${Plan.shown(this.params)}): ${this.error.message}`
  }
}

/** The parameters an endpoint takes; of one known as data only, any. */
export type ParamsOf<E> = [Declared<E>] extends [never] ? Readonly<Record<string, unknown>> : Declared<E>

type Declared<E> = E extends (...args: infer Arguments) => unknown ? NonNullable<Arguments[0]> : never

/** The names of an endpoint's list parameters. */
export type ListName<E> = string extends keyof ParamsOf<E> ? string : ListIn<ParamsOf<E>>

type ListIn<P> = { [K in keyof P]-?: Extract<P[K], ReadonlyArray<unknown>> extends never ? never : K }[keyof P] & string

/** Parameters as a part has them: lists as arrays of their items, and times that are its own. */
export type PartParams<E, P> = string extends keyof ParamsOf<E>
  ? AnyParams
  : {
      readonly [K in keyof P]: K extends ListName<E>
        ? ReadonlyArray<Item<P[K]>>
        : K extends "start_time" | "end_time"
          ? string
          : P[K]
    }

type Item<V> =
  V extends ReadonlyArray<infer I>
    ? Item<I>
    : V extends Params.Identified<infer Id>
      ? Id
      : V extends string
        ? Params.Items<V>
        : never

/** Refuses names that are no parameters, as a call does. */
type Known<E, P> = string extends keyof ParamsOf<E>
  ? unknown
  : { readonly [K in Exclude<keyof P, keyof ParamsOf<E>>]: never }

/**
 * Cuts a request into parts.
 *
 * **Details**
 *
 * The parts are those of the first batch of items over all times, then those of the second, items sorted as a series is:
 * one item a part, they stand in the order of its records, unless `sort` asks for another. With `paging_from: "end"` it
 * is the other way round. Items named twice are read once. Inner borders of time belong to the later part, and
 * `start_inclusive` and `end_inclusive` hold at the two outer ends alone.
 *
 * Fails with `InvalidRequest` where a call with these parameters would, and with {@link BadSplit} where the records of the
 * parts would not be those of the request: wildcards, an empty range, times in another zone than UTC, a limit that counts
 * over several parts, lists that are columns.
 *
 * **Gotchas**
 *
 * Nothing is sent, so items the service does not know show when their part is read.
 */
export const split = <E extends Endpoint.Info, const P extends ParamsOf<E>>(
  endpoint: E,
  params: P & Known<E, P>,
  how: Split<ListName<E>> = {}
): Effect.Effect<ReadonlyArray<Part<PartParams<E, P>>>, BadSplit | InvalidRequest> =>
  // Type boundary: the parameters were checked, and a plan only turns lists into arrays and sets times.
  plan(endpoint, params, how) as Effect.Effect<ReadonlyArray<Part>, BadSplit | InvalidRequest> as never

const plan = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: unknown, how: Split) {
  const checked = yield* check(endpoint)(params)
  const parts = Plan.make(Call.make(endpoint, checked), how)
  return yield* Effect.mapError(
    Effect.fromResult(parts),
    (refused) => new BadSplit({ endpoint: endpoint.path, ...refused })
  )
})

// Type boundary: the parameters of an endpoint encode to themselves; its data does not say so.
const check = ({ path, params }: Endpoint.Info) => Params.check(path, params as Schema.Codec<object, object>)

/** An endpoint of which parameters and records are known: a bare call, or its type parameters could not be inferred. */
type Callable<P, A> = (params: P, options?: Endpoint.CallOptions) => Endpoint.Records<A>

// Type boundary: what gives records when called with parameters of an endpoint is an endpoint.
const infoOf = <P, A>(endpoint: Callable<P, A>) => endpoint as Callable<P, A> & Endpoint.Info

/** Takes endpoints known as data only. */
type Untyped<E> = Endpoint.Any extends E ? E : never

/** How parts are run. */
export interface Options extends Endpoint.CallOptions {
  /** Parts that are read at once. Default 10, as many as the service runs. */
  readonly concurrency?: number | undefined
  /**
   * `"arrival"`, the default: records as they come, those of a part in their order. `"parts"`: the records of one part
   * after those of the other.
   */
  readonly order?: "arrival" | "parts" | undefined
}

/**
 * Reads one part in the way that is best for it: json_stream where the endpoint offers it, pages otherwise.
 *
 * Parameters that are about pages (`page_size`, `paging_from: "end"`) are read as pages, and `format` decides where given.
 * The end of a json_stream is checked unless `checkEnd` is false: what pages would not lose, it does not lose either.
 * A part that is longer than this service reads (414) is read as two, its records in the same order.
 */
export const read: {
  <P, A>(endpoint: Callable<P, A>, part: Part<P>, options?: Endpoint.CallOptions): Endpoint.Records<A>
  <E extends Endpoint.Any>(
    endpoint: Untyped<E>,
    part: Part<Readonly<Record<string, unknown>>>,
    options?: Endpoint.CallOptions
  ): Endpoint.Records<unknown>
} = <A>(endpoint: Callable<object, A>, { params }: Part<object>, options?: Endpoint.CallOptions) =>
  inHalves(infoOf(endpoint), params, (params) =>
    endpoint(streamed(infoOf(endpoint), params), { checkEnd: true, ...options })
  )

/**
 * Reads the two halves of a part in its place where the service finds its request too long, their records in the order of
 * the part's; and the halves of these, down to one item.
 */
const inHalves = <A>(
  info: Endpoint.Info,
  params: object,
  call: (params: object) => Endpoint.Records<A>
): Endpoint.Records<A> =>
  Stream.suspend(() => {
    let isBegun = false
    return call(params).pipe(
      Stream.mapArray((records) => {
        isBegun = true
        return records
      }),
      Stream.catch((error) => {
        const isTooLong = error._tag === "InvalidRequest" && error.kind === "tooLong" && !isBegun
        const halves = isTooLong ? Plan.halves(Call.make(info, params)) : []
        return halves.length < 2
          ? Stream.fail(error)
          : Stream.flatMap(Stream.fromIterable(halves), (half) => inHalves(info, half.params, call))
      })
    )
  })

/** Asks for a json_stream where the endpoint has it, unless the parameters say how records are to come. */
const streamed = (info: Endpoint.Info, params: object) => {
  const call = Call.make(info, params)
  const format = Call.nameOf(call, "Format")
  const isOffered = info.formats.includes("json_stream") && format !== undefined
  return !isOffered || Call.given(call, "Format") !== undefined || Call.isAboutPages(call)
    ? params
    : { ...params, [format]: "json_stream" }
}

/** What became of a part: some of its records, its end, or why there is none. */
export type Settled<A, P = AnyParams> =
  | {
      readonly _tag: "Records"
      readonly part: Part<P>
      /** Records in their order; more may follow. */
      readonly records: Arr.NonEmptyReadonlyArray<A>
    }
  | {
      readonly _tag: "Done"
      readonly part: Part<P>
      /** How many records it had. */
      readonly count: number
    }
  | {
      readonly _tag: "Failed"
      readonly part: Part<P>
      readonly error: ApiError
    }

/**
 * Runs parts and merges their records. The first part that fails ends all, with {@link PartFailed}.
 *
 * **Details**
 *
 * The run shares the client's permits fairly with whatever else runs on it: see `Quota.Lane`. As they arrive, parts are
 * read as {@link read} says. In the order of the parts they are read as pages, for a json_stream would hold its permit
 * while it waits for its turn, and in the end keep the part whose turn it is from getting one; with the format
 * `"json_stream"` in the parameters they are read one after another.
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

/** Runs parts as {@link records} does, and tells what becomes of each: a part that fails ends itself alone. */
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

const readIn = <A>(endpoint: Callable<object, A>, part: Part<object>, { order, ...options }: Options) => {
  const { checkEnd = true, query, retry } = options
  const call = { checkEnd, query, retry }
  return order === "parts"
    ? inHalves(infoOf(endpoint), part.params, (params) => endpoint(params, call))
    : read(endpoint, part, call)
}

const run = <P extends object, A, E>(
  endpoint: Callable<P, unknown>,
  parts: ReadonlyArray<Part<P>>,
  { concurrency = 10, order }: Options,
  streamOf: (part: Part<P>) => Stream.Stream<A, E, Client>
): Stream.Stream<A, E, Client> => {
  const format = Call.nameOf({ endpoint: infoOf(endpoint) }, "Format") ?? ""
  const isStream = ({ params }: Part<P>) => Reflect.get(params, format) === "json_stream"
  // One at least: none would end without a record and without a word.
  const atOnce = concurrency >= 1 ? Math.floor(concurrency) : 1
  const merged =
    order === "parts"
      ? Merge.inTurn(parts, streamOf, parts.some(isStream) ? 1 : atOnce)
      : Merge.arriving(parts, streamOf, atOnce)
  return Quota.inOwnLane(merged)
}
