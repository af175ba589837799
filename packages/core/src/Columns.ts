/**
 * Records as columns: typed arrays of a field's values, for programs that compute.
 *
 * A column has the memory layout of Apache Arrow. It is made from the bytes of the reply, without an object for each record
 * where the reply is written as the service writes it; other records are parsed, and give the same columns.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ApiError } from "./ApiError.ts"
import * as Batches from "./Batch.ts"
import type { Client } from "./Client.ts"
import type { Decimal } from "./Decimal.ts"
import type * as Endpoint from "./Endpoint.ts"
import * as Builders from "./internal/columns/Builders.ts"
import * as Column from "./internal/columns/Column.ts"
import * as ColumnBatch from "./internal/columns/ColumnBatch.ts"
import * as ColumnType from "./internal/columns/ColumnType.ts"
import { BadFormat, type FormatError, Unwritable, unwritable } from "./internal/columns/FormatError.ts"
import type {
  AnyColumn,
  Booleans,
  Common,
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
  /** Bits. */
  Booleans,
  /** What all columns have. */
  Common,
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
export type { FormatError } from "./internal/columns/FormatError.ts"
/** What the numbers of columns are, and the digits of decimals. */
export type { Numbers, Shape } from "./internal/columns/ColumnType.ts"

/**
 * The column of a field. The record type does not tell a whole number from other text, so `type` does. Times of lists that are no
 * series are text, because a date alone or `N/A` may take their place.
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
export type Of<A, K extends keyof A = Usual<A>, N extends ColumnType.Numbers = "double"> = {
  readonly [Key in K]-?: ColumnOf<A[Key], N, A extends { readonly time: Timestamp } ? Times : Texts>
}

/** Columns of some records that follow each other: all have the same length. */
export interface Batch<out C> {
  /** The number of records. */
  readonly length: number
  /** The columns by the keys of the records, in the order of the columns of files. */
  readonly columns: C
  /** The records as objects, made one at a time, of what `at` gives of each column. */
  readonly rows: () => IterableIterator<Row<C>>
}

/** A record that was made of columns. */
export type Row<C> = { [Key in keyof C]: C[Key] extends Common<string, infer Value> ? Value | null : unknown }

/** How columns are made. */
export interface Options<K extends PropertyKey = string, N extends ColumnType.Numbers = ColumnType.Numbers> {
  /** These columns, in this order. Default: all but the review status of metrics. */
  readonly columns?: ReadonlyArray<K> | undefined
  /**
   * What decimals are. `double`, the default: the nearest double, which keeps 15 to 17 digits. `decimal`: exact, with the digits
   * that `decimal` says. `text`: the text of the service; whole numbers are text then too.
   */
  readonly numbers?: N | undefined
  /** The digits of decimals, at most 38. Default 38, 18 of them after the point. */
  readonly decimal?: ColumnType.Shape | undefined
  /** The records of a batch; the last may have fewer. Default 16,384. */
  readonly rows?: number | undefined
}

/** An endpoint. Only its call signature: from more, the type parameters could not be inferred. */
type Callable<P, A> = (params: P, options?: Endpoint.CallOptions) => Endpoint.Records<A>

/** What can go wrong with columns alone, and with a call. */
export type Failure = ApiError | FormatError

const usualRows = 16_384

/**
 * Reads an endpoint as columns. The stream ends like the call, and fails with its errors; what was read before is emitted first.
 *
 * **Details**
 *
 * Fails with {@link BadFormat} before anything is sent where a metric is a wildcard, or a column is unknown; with
 * {@link Unwritable} at a value that its column cannot hold, such as `N/A` among numbers. `numbers: "text"` holds every value.
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
  const K extends keyof A = Usual<A>,
  const N extends ColumnType.Numbers = "double"
>(
  endpoint: Callable<P, A>,
  params: P,
  options?: Options<K, N> & Pick<Endpoint.CallOptions, "checkEnd" | "query" | "retry">
): Stream.Stream<Batch<Of<A, K, N>>, Failure, Client> => {
  const { checkEnd, query, retry } = options ?? {}
  return fromRecords(endpoint, params, endpoint(params, { checkEnd, lazy: Batches.lazy, query, retry }), options)
}

/** Reads an endpoint as {@link stream} does, to its end, as one batch. */
export const collect = <
  const P extends object,
  A,
  const K extends keyof A = Usual<A>,
  const N extends ColumnType.Numbers = "double"
>(
  endpoint: Callable<P, A>,
  params: P,
  options?: Omit<Options<K, N>, "rows"> & Pick<Endpoint.CallOptions, "checkEnd" | "query" | "retry">
): Effect.Effect<Batch<Of<A, K, N>>, Failure, Client> =>
  Effect.flatMap(Stream.runHead(stream(endpoint, params, { ...options, rows: Infinity })), (batch) =>
    Effect.fromResult(
      batch._tag === "Some"
        ? Result.succeed(batch.value)
        : Result.map(prepare(endpoint, params, options), none<Of<A, K, N>>)
    )
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
  const K extends keyof A = Usual<A>,
  const N extends ColumnType.Numbers = "double"
>(
  endpoint: Callable<P, A>,
  params: P,
  records: Stream.Stream<A, E, R>,
  options?: Options<K, N>
): Stream.Stream<Batch<Of<A, K, N>>, E | FormatError, R> =>
  Stream.unwrap(
    Effect.map(
      Effect.suspend(() => Effect.fromResult(prepare(endpoint, params, options))),
      (prepared) =>
        Stream.transformPull(records, (pull) =>
          // Type boundary: the columns follow from the schema that the type of the endpoint promises.
          Effect.sync(() => read(pull, prepared, options?.rows ?? usualRows) as Pulled<Batch<Of<A, K, N>>, E>)
        )
    )
  )

type Pulled<B, E> = Pull.Pull<Arr.NonEmptyReadonlyArray<B>, E | FormatError>

/** A column, and what makes it. */
interface Made {
  readonly column: Column.Column
  readonly builder: Builders.Builder
}

/** What batches are made with. */
interface Prepared {
  readonly make: () => ReadonlyArray<Made>
  /** How many columns have a dictionary. */
  readonly lists: number
}

const prepare = (
  endpoint: unknown,
  params: object,
  { columns: chosen, decimal, numbers, rows }: Options<PropertyKey> = {}
): Result.Result<Prepared, BadFormat> => {
  // Type boundary: a function that returns the records of an endpoint is that endpoint.
  const info = endpoint as Endpoint.Info
  if (rows !== undefined && !(rows >= 1)) {
    return Result.fail(new BadFormat({ option: "rows", reason: `there are at least 1, got ${rows}` }))
  }
  const options = ColumnType.withDefaults({ numbers, decimal })
  return Result.gen(function* () {
    yield* ColumnType.check({ numbers, decimal })
    yield* Column.checkNamed(info, params)
    const all = yield* Column.of(info, params, chosen?.map(String))
    const columns = chosen === undefined ? Column.withoutStatus(all) : all
    const words = Column.wordsOf(info, params)
    const lists = columns.filter(({ kind, name }) => kind === "text" && words.has(name)).map(({ name }) => name)
    const make = () =>
      columns.map((column) => {
        const list = lists.indexOf(column.name)
        const dictionary = list === -1 ? undefined : Builders.dictionary(list, words.get(column.name) ?? [])
        return { column, builder: Builders.make(column, ColumnType.of(column, options), dictionary) }
      })
    return { make, lists: lists.length }
  })
}

const none = <C>({ make }: Prepared): Batch<C> => take(make(), 0)

/** Ends a batch. */
const take = <C>(made: ReadonlyArray<Made>, length: number): Batch<C> => {
  const all = made.map(({ builder, column }) => [column.name, builder.take(length)] as const)
  const rows = function* () {
    for (let index = 0; index < length; index++) {
      yield Object.fromEntries(all.map(([name, column]) => [name, column.at(index)]))
    }
  }
  // Type boundary: the columns follow from the schema that the type of the endpoint promises.
  return { length, columns: Object.fromEntries(all), rows } as object as Batch<C>
}

/** Makes batches of the records that are pulled. What was read is emitted before a failure. */
const read = <E>(
  pull: Pull.Pull<Arr.NonEmptyReadonlyArray<unknown>, E>,
  { lists, make }: Prepared,
  rows: number
): Pulled<Batch<unknown>, E> => {
  const columns = make()
  let memory: ColumnBatch.ColumnBatch | undefined
  /** Records of the batch that grows, and of those before it. */
  let length = 0
  let before = 0
  let ending: Pull.Pull<never, E | FormatError> | undefined

  const ended: Array<Batch<unknown>> = []
  const end = () => {
    ended.push(take(columns, length))
    before += length
    length = 0
  }

  /** Adds values from one index to another column by column. Returns the first that does not fit. */
  const addEach = (
    from: number,
    to: number,
    add: (builder: Builders.Builder, from: number, to: number) => number,
    valueAt: (index: number, name: string) => unknown
  ): Unwritable | undefined => {
    for (let at = from; at < to;) {
      const next = Math.min(to, at + rows - length)
      let failed: { readonly at: number; readonly made: Made } | undefined
      for (const made of columns) {
        const fitting = at + add(made.builder, at, failed?.at ?? next)
        if (fitting < (failed?.at ?? next)) failed = { at: fitting, made }
      }
      length += (failed?.at ?? next) - at
      if (failed !== undefined) {
        const { builder, column } = failed.made
        const { expected } = builder
        const value = valueAt(failed.at, column.name)
        return unwritable("columns", before + length + 1, { name: column.name, expected }, value)
      }
      if (length === rows) end()
      at = next
    }
    return undefined
  }

  const addAll = (records: ReadonlyArray<unknown>): Unwritable | undefined => {
    const valueAt = (index: number, name: string) => Column.valueOf(records[index], name)
    const batch = Batches.of(records)
    if (batch === undefined) {
      const add = (builder: Builders.Builder, name: string, from: number, to: number) => {
        let at = from
        while (at < to && builder.add(valueAt(at, name))) at++
        return at - from
      }
      const names = new Map(columns.map(({ builder, column }) => [builder, column.name]))
      return addEach(0, records.length, (builder, from, to) => add(builder, names.get(builder)!, from, to), valueAt)
    }
    memory ??= ColumnBatch.make(lists)
    memory.load(batch)
    let first = 0
    for (const run of batch.runs) {
      memory.loadRun(run)
      const loaded = memory
      const failed = addEach(
        0,
        run.count,
        (builder, from, to) => builder.addRun(loaded, run, batch.bytes, from, to),
        (index, name) => valueAt(first + index, name)
      )
      if (failed !== undefined) return failed
      first += run.count
    }
    return undefined
  }

  const next: Pulled<Batch<unknown>, E> = Effect.suspend(() => {
    const [batch, ...others] = ended.splice(0)
    if (batch !== undefined) return Effect.succeed([batch, ...others] as const)
    return ending ?? more
  })
  const more: Pulled<Batch<unknown>, E> = Effect.flatMap(Effect.exit(pull), (exit) => {
    const failed = Exit.isSuccess(exit) ? addAll(exit.value) : undefined
    if (failed !== undefined) ending = Effect.fail(failed)
    if (Exit.isFailure(exit)) ending = Effect.failCause(exit.cause)
    if (ending !== undefined && length > 0) end()
    return next
  })
  return next
}
