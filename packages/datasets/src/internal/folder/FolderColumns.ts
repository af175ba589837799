/**
 * Reads columns of a folder, without making records of them where its files are Parquet or NDJSON.
 */
import type { AnyColumn } from "@sluice/core/Columns"
import { Unreadable } from "@sluice/core/internal/columns/FormatError"
import * as TypedColumn from "@sluice/core/internal/columns/TypedColumn"
import * as Timestamp from "@sluice/core/Timestamp"
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as KeptColumns from "../held/KeptColumns.ts"
import type { StoreError } from "../model/DatasetError.ts"
import type { HeldColumnReader, HeldColumns, HeldRange, HeldRows, Series } from "../model/Store.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import * as FolderParts from "./FolderParts.ts"
import * as FolderRead from "./FolderRead.ts"
import * as ReadBack from "./ReadBack.ts"
import * as Table from "./Table.ts"

/** What reads columns of what a ledger has. */
export const make = (source: FolderParts.Source, ledger: Ledger.Ledger): HeldColumnReader => ({
  check: (series, columns) => check(ledger, series, columns),
  read: (series, range, columns) =>
    FolderParts.goingOn(source, ledger, FolderParts.beginning, (ledger, place) =>
      Stream.unwrap(streamOf(source, ledger, series, range, columns, place))
    )
})

/** Fails where files of a format do not have what is asked for. */
const check = Effect.fnUntraced(function* (ledger: Ledger.Ledger, { endpoint, entity }: Series, wanted: HeldColumns) {
  const { format } = ledger
  if (format.as === "ndjson") return
  const { columns } = yield* Table.make(endpoint, wanted, ledger)
  const isParquet = format.as === "parquet"
  yield* KeptColumns.check(
    [
      { name: entity, isDouble: false },
      ...columns.map(({ name, type }) => ({ name, isDouble: isParquet && type._tag === "Double" }))
    ],
    wanted
  )
})

interface ColumnRows extends FolderParts.Rows {
  readonly heldOf: (name: string, from: number, to: number) => HeldRows
}

const streamOf = Effect.fnUntraced(function* (
  source: FolderParts.Source,
  ledger: Ledger.Ledger,
  series: Series,
  range: HeldRange,
  { names: wanted }: HeldColumns,
  place: FolderParts.Place
) {
  const { endpoint, entity } = series
  const { definition, format } = ledger
  const { build, entriesOf, isAsked } = yield* FolderRead.openRange(source, ledger, series, range)
  const metrics = range.others.length === 0 ? [] : range.metrics
  const names = new Set([...wanted, ...metrics, "time", entity])
  const how = { endpoint, params: definition.params, json: yield* Table.jsonOf(endpoint, ledger), names }
  const rowsOf: FolderParts.RowsOf<ColumnRows> = (entry, times, check) => {
    const fields = FolderRead.fieldsOf(ledger, entry)
    const failed = FolderRead.changedOr(source.folder, entry)
    const path = source.files.join(source.folder, entry.path)
    const read = Stream.mapError(ReadBack.chunks(source.files, path, format, how, times, check), failed)
    return Stream.mapArrayEffect(read, (chunks) =>
      Effect.map(
        Effect.forEach(chunks, (chunk) =>
          ReadBack.isRecords(chunk)
            ? Effect.succeed(
                ofRecords(FolderRead.rowsOfRecords(fields, chunk, isAsked), format.as === "csv" ? build : undefined)
              )
            : Effect.mapError(ofPage(chunk, names, metrics, entity, fields.fixed, failed), failed)
        ),
        // Type boundary: there are as many as before.
        (rows) => rows as ReadonlyArray<ColumnRows> as Arr.NonEmptyReadonlyArray<ColumnRows>
      )
    )
  }
  return Stream.map(FolderParts.of(source, ledger, range, place, entriesOf, rowsOf), ({ from, name, rows, to }) =>
    rows.heldOf(name, from, to)
  )
})

/** Rows of records. Those of a text format are built; other keys of NDJSON are no columns. */
const ofRecords = (
  rows: ReturnType<typeof FolderRead.rowsOfRecords>,
  build: FolderRead.OpenRange["build"]
): ColumnRows => ({
  ...rows,
  heldOf: (name, from, to) => {
    if (build === undefined) return { _tag: "Records", records: rows.records, from, to }
    const records = FolderRead.recordsIn({ rows, name, from, to }, build)
    return { _tag: "Records", records, from: 0, to: records.length }
  }
})

/** Rows of a page. Columns are read when rows of it are given, but for those that say which these are. */
const ofPage = Effect.fnUntraced(function* (
  { column, length }: ReadBack.Page,
  names: ReadonlySet<string>,
  metrics: ReadonlyArray<string>,
  entity: string,
  fixed: string | undefined,
  failed: (error: Unreadable) => StoreError
) {
  const read = (name: string) => Effect.fromResult(column(name))
  const time = yield* read("time")
  const found = fixed === undefined ? yield* read(entity) : entityColumn(entity, fixed, length)
  const asked = yield* Effect.forEach(metrics, read)
  if (time?.type !== "time" || found === undefined) {
    return yield* new Unreadable({ reason: "it lacks the columns of a dataset" })
  }
  const columnOf = (name: string) => (name === entity ? found : Result.getOrUndefined(column(name)))
  const rows: ColumnRows = {
    length,
    entityAt: (index) => fixed ?? String(found.at(index)),
    timeAt: (index) => Timestamp.fromEpochNanos(time.values[index]!),
    isAsked: (index) => asked.some((column) => column?.isNull(index) === false),
    ready: Effect.suspend(() => Effect.mapError(Effect.forEach(names, read, { discard: true }), failed)),
    heldOf: (_, from, to) => ({ _tag: "Columns", column: columnOf, from, to })
  }
  return rows
})

/** The column of the entity that the folder of a file names. */
const entityColumn = (name: string, entity: string, length: number): AnyColumn =>
  TypedColumn.words(
    { name, length, nullable: false, nulls: 0, validity: undefined, isNull: () => false },
    new Int32Array(length),
    [entity]
  )
