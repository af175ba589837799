/**
 * Records as columns: typed arrays of a field's values, for programs that compute.
 *
 * A column has the memory layout of Apache Arrow. It is made from the bytes of the reply, without an object for each record
 * where the reply is written as the service writes it; other records are parsed, and give the same columns.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApiError } from "./ApiError.ts"
import * as Batches from "./Batch.ts"
import type { Client } from "./Client.ts"
import type { Decimal } from "./Decimal.ts"
import type * as Endpoint from "./Endpoint.ts"
import * as Collector from "./internal/columns/Collector.ts"
import type * as ColumnType from "./internal/columns/ColumnType.ts"
import * as ReadBatches from "./internal/columns/ReadBatches.ts"
import { BadFormat, type FormatError, Unwritable } from "./internal/columns/FormatError.ts"
import type {
  AnyColumn,
  Batch,
  Booleans,
  Decimals,
  Doubles,
  Integers,
  Texts,
  Times,
  Words
} from "./internal/columns/TypedColumn.ts"
import type { Timestamp } from "./Timestamp.ts"

export {
  /** An option is not possible, or the columns are not known before the data. */
  BadFormat,
  /** A record has a value that its column cannot hold. */
  Unwritable
}
export type {
  /** A column of any type. */
  AnyColumn,
  /** Columns of the same length. */
  Batch,
  /** Bits. */
  Booleans,
  /** What all columns have. */
  Common,
  /** A record that was made of columns. */
  Row,
  /** Exact decimals. */
  Decimals,
  /** Numbers as doubles. */
  Doubles,
  /** Whole numbers of 64 bits. */
  Integers,
  /** Texts in UTF-8, and JSON. */
  Texts,
  /** Nanoseconds since 1970. */
  Times,
  /** Texts that repeat, as codes. */
  Words
} from "./internal/columns/TypedColumn.ts"
/** What can go wrong with columns: {@link BadFormat} and {@link Unwritable}. */
export type { FormatError } from "./internal/columns/FormatError.ts"
/** What the numbers of columns are, and the digits of decimals. */
export type { Numbers, Shape } from "./internal/columns/ColumnType.ts"

/**
 * The column of a field. The record type does not tell a whole number from other text, so `type` does. Times of lists that are no
 * series are text, because a date alone or `N/A` may take their place; where a record has no `time`, `type` says which it is.
 */
export type ColumnOf<Value, N extends ColumnType.Numbers = "double", Time = Times> = unknown extends Value
  ? AnyColumn
  : [NonNullable<Value>] extends [Decimal]
    ? { readonly double: Doubles; readonly decimal: Decimals; readonly text: Texts }[N]
    : [NonNullable<Value>] extends [Timestamp]
      ? Time
      : [NonNullable<Value>] extends [boolean]
        ? Booleans
        : [NonNullable<Value>] extends [number]
          ? Doubles
          : [NonNullable<Value>] extends [object]
            ? Texts
            : string extends NonNullable<Value>
              ? Words | Texts | Integers
              : AnyColumn

/** The keys that are columns where `columns` does not choose: all but the review status of metrics. */
export type Usual<A> = Exclude<keyof A, `${string}-status` | `${string}-status-time`>

/** The columns of records of a type. */
export type Of<A, K extends PropertyKey = Usual<A>, N extends ColumnType.Numbers = "double"> = {
  readonly [Key in K & keyof A]-?: ColumnOf<A[Key], N, A extends { readonly time: Timestamp } ? Times : Times | Texts>
}

/** How columns are made. */
export interface Options<K extends PropertyKey = string, N extends ColumnType.Numbers = ColumnType.Numbers> {
  /** These columns, in this order. Default: all but the review status of metrics. */
  readonly columns?: ReadonlyArray<K> | undefined
  /**
   * What decimals are. `double`, the default: the nearest double, which keeps 15 to 17 digits. `decimal`: exact, with the digits
   * that `decimal` says. `text`: the text of the service; whole numbers are text then too.
   */
  readonly numbers?: N | undefined
  /** With `numbers: "decimal"`, the digits of decimals, at most 38. Default 38, 18 of them after the point. */
  readonly decimal?: ColumnType.Shape | undefined
  /** The records of a batch; the last may have fewer. Default 16,384. */
  readonly rows?: number | undefined
  /** A batch ends earlier with the record with which its texts have so many bytes. Default 16 MiB. */
  readonly textSize?: number | undefined
}

/** Rejects names that are no columns. Not a constraint of `K`: with one, the records of metrics could not be inferred. */
export type Known<A, K> = [K] extends [keyof A] ? unknown : { readonly columns?: ReadonlyArray<keyof A> }

type CallOptions = Pick<Endpoint.CallOptions, "checkEnd" | "query" | "retry">

/** An endpoint. Only its call signature: from more, the type parameters could not be inferred. */
type Callable<P, A> = (params: P, options?: Endpoint.CallOptions) => Endpoint.Records<A>

// Type boundary: a function that returns the records of an endpoint is that endpoint.
const infoOf = <P, A>(endpoint: Callable<P, A>) => endpoint as Callable<P, A> & Endpoint.Info

/** What can go wrong with columns alone, and with a call. */
export type Failure = ApiError | FormatError

/**
 * Reads an endpoint as columns. The stream ends like the call, and fails with its errors; what was read before is emitted first.
 *
 * **Details**
 *
 * Fails with {@link BadFormat} before anything is sent where a metric is a wildcard, or a column is unknown; with
 * {@link Unwritable} at a value that its column cannot hold, such as `N/A` among numbers. `numbers: "text"` holds every number.
 *
 * **Example**
 *
 * ```ts
 * Columns.stream(Timeseries.marketTrades, { markets: "coinbase-btc-usd-spot", limit_per_market: 1_000 })
 * ```
 */
export const stream = <
  const P extends object,
  A,
  const K extends PropertyKey = Usual<A>,
  const N extends ColumnType.Numbers = "double"
>(
  endpoint: Callable<P, A>,
  params: P,
  options?: Options<K, N> & Known<A, K> & CallOptions
): Stream.Stream<Batch<Of<A, K, N>>, Failure, Client> => call(endpoint, params, options)

/** Reads an endpoint as {@link stream} does, to its end, as one batch. */
export const collect = <
  const P extends object,
  A,
  const K extends PropertyKey = Usual<A>,
  const N extends ColumnType.Numbers = "double"
>(
  endpoint: Callable<P, A>,
  params: P,
  options?: Omit<Options<K, N>, "rows" | "textSize"> & Known<A, K> & CallOptions
): Effect.Effect<Batch<Of<A, K, N>>, Failure, Client> =>
  Effect.map(
    Stream.runLast(
      call<Batch<Of<A, K, N>>, P, A>(endpoint, params, { ...options, rows: Infinity, textSize: Infinity })
    ),
    // A stream without records has one batch of none.
    Option.getOrThrow
  )

/**
 * Makes columns of records that something else reads, such as a part of `Bulk`. They must be those of the endpoint for these
 * parameters. With `lazy: Batch.lazy` no objects are made of them.
 */
export const fromRecords = <
  const P extends object,
  A,
  E,
  R,
  const K extends PropertyKey = Usual<A>,
  const N extends ColumnType.Numbers = "double"
>(
  endpoint: Callable<P, A>,
  params: P,
  records: Stream.Stream<A, E, R>,
  options?: Options<K, N> & Known<A, K>
): Stream.Stream<Batch<Of<A, K, N>>, E | FormatError, R> => batchesOf(endpoint, params, records, options)

/** Reads an endpoint as batches, whose type the caller knows. */
const call = <B, P extends object, A>(
  endpoint: Callable<P, A>,
  params: P,
  options: Collector.Options & CallOptions = {}
): Stream.Stream<B, Failure, Client> => {
  const { checkEnd, query, retry } = options
  return batchesOf(endpoint, params, endpoint(params, { checkEnd, lazy: Batches.lazy, query, retry }), options)
}

const batchesOf = <B, P extends object, A, E, R>(
  endpoint: Callable<P, A>,
  params: P,
  records: Stream.Stream<A, E, R>,
  options: Collector.Options | undefined
): Stream.Stream<B, E | FormatError, R> =>
  Stream.unwrap(
    Effect.map(
      Effect.suspend(() => Effect.fromResult(Collector.prepare(infoOf(endpoint), params, options))),
      (making) => ReadBatches.of<B, A, E, R>(records, making, ({ add }, records) => add(records))
    )
  )
