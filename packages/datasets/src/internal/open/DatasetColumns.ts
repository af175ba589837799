/**
 * Reads a dataset as columns.
 */
import type * as Client from "@sluice/core/Client"
import type * as Columns from "@sluice/core/Columns"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Collector from "@sluice/core/internal/columns/Collector"
import * as ReadBatches from "@sluice/core/internal/columns/ReadBatches"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { DatasetError, HeldError } from "../model/DatasetError.ts"
import type { HeldColumns, HeldRows } from "../model/Store.ts"
import * as Read from "./Read.ts"

/** Where columns are read from, and how they are made. */
export interface ColumnsOptions<K extends PropertyKey = string, N extends Columns.Numbers = Columns.Numbers>
  extends Read.ReadOptions, Columns.Options<K, N> {}

/**
 * Reads a dataset as columns: the rows that {@link read} gives as records, in the same order, as the batches that `Columns.stream` gives for
 * the same call. What the dataset does not have is read from the service first, as by {@link read}.
 *
 * **Example** (Adding up what was traded)
 *
 * ```ts
 * const params = { markets: ["coinbase-btc-usd-spot"], start_time: "2026-01-01", end_time: "2026-01-31" }
 * const volume = Dataset.columns(Timeseries.marketTrades, params, { from: "trades", columns: ["amount"] }).pipe(
 *   Stream.runFold(() => 0, (sum, { columns }) => columns.amount.values.reduce((a, b) => a + b, sum))
 * )
 * ```
 *
 * **Details**
 *
 * Of Parquet and NDJSON no record is made, and of Parquet only the columns that are asked for are read: of both this takes a small part
 * of the time of {@link read}. CSV, and a read with `asOf`, go by records.
 *
 * Columns, types, and nulls are those of `Columns.stream`, and so are `numbers`, `decimal`, `rows` and `textSize`. A
 * column that the files do not keep, such as the review status of metrics in Parquet, fails with `BadFormat` before anything is read or sent;
 * so do `numbers: "decimal"` and `"text"` of decimals that Parquet keeps as doubles, which is its default: 15 to 17 digits are not all
 * digits of the service. NDJSON and CSV keep them all, and so does Parquet with `numbers: "text"`, as a folder has that begins with a read.
 * With `numbers: "decimal"` it keeps their value: as text they have as many digits after the point as the format has.
 *
 * Fails with `Unwritable` at a value that its column cannot hold, behind the rows before it.
 */
export const columns: {
  <
    const P extends object,
    A,
    const K extends PropertyKey = Columns.Usual<A>,
    const N extends Columns.Numbers = "double"
  >(
    endpoint: Read.Callable<P, A>,
    params: P,
    options: ColumnsOptions<K, N> & Columns.Known<A, K> & { readonly offline: true }
  ): Stream.Stream<Columns.Batch<Columns.Of<A, K, N>>, HeldError, FileSystem.FileSystem | Path.Path>
  <
    const P extends object,
    A,
    const K extends PropertyKey = Columns.Usual<A>,
    const N extends Columns.Numbers = "double"
  >(
    endpoint: Read.Callable<P, A>,
    params: P,
    options: ColumnsOptions<K, N> & Columns.Known<A, K>
  ): Stream.Stream<Columns.Batch<Columns.Of<A, K, N>>, DatasetError, Client.Client | FileSystem.FileSystem | Path.Path>
} = <P extends object, A, B>(endpoint: Read.Callable<P, A>, params: P, options: ColumnsOptions<PropertyKey>) => {
  // Type boundary: a function that returns the records of an endpoint is that endpoint.
  const source = endpoint as Read.Callable<P, A> & Endpoint.Info
  const batches = Stream.unwrap(
    Effect.map(
      Effect.suspend(() => Effect.fromResult(Collector.prepare(source, params, options))),
      (making) => ReadBatches.of<B, HeldRows, HeldError, never>(rowsOf(source, params, options, making), making, add)
    )
  )
  // Type boundary: what the stream needs, and what fails, the signatures above say.
  return batches as Stream.Stream<never, HeldError, never>
}

/** Reads the rows of a dataset that columns are made of. */
const rowsOf = <P, A>(
  endpoint: Read.Callable<P, A>,
  params: P,
  options: Read.ReadOptions,
  { columns, types }: Collector.Making
) => {
  const isExact = types.numbers !== "double"
  const wanted = ({ asked }: Read.Looked): HeldColumns => ({
    params: asked.params,
    names: columns.map(({ name }) => name),
    exact: isExact ? columns.flatMap(({ kind, name }) => (kind === "decimal" ? [name] : [])) : []
  })
  const giving: Read.Giving<HeldRows> = {
    check: (looked) => looked.found?.columns?.check(looked.asked.subject, wanted(looked)) ?? Effect.void,
    read: (looked) => {
      const { asOf, asked, found } = looked
      return asOf === undefined && found?.columns !== undefined
        ? found.columns.read(asked.subject, asked.range, wanted(looked))
        : Stream.mapArray(Read.records.read(looked), (records): [HeldRows] => [
            { _tag: "Records", records, from: 0, to: records.length }
          ])
    }
  }
  // Type boundary: what the stream needs, and what fails, the signatures of `columns` say.
  return Read.from(endpoint, params, options, giving) as Stream.Stream<HeldRows, HeldError, never>
}

/** Adds rows to the columns. */
const add = ({ add, addColumns }: Collector.Collector, all: ReadonlyArray<HeldRows>) => {
  for (const rows of all) {
    const { from, to } = rows
    const added =
      rows._tag === "Records" ? add(rows.records, from, to) : addColumns({ length: to, column: rows.column }, from, to)
    if (Result.isFailure(added)) return added
  }
  return Result.void
}
