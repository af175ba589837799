/**
 * Columns of records as a file of Parquet will have them, made before it is written so that they can be compared, and lent to what writes it.
 */
import type { Batch } from "@sluice/core/Batch"
import * as Collector from "@sluice/core/internal/columns/Collector"
import type { Column } from "@sluice/core/internal/columns/Column"
import * as Lent from "@sluice/core/internal/columns/Lent"
import type { ColumnRows } from "@sluice/core/internal/columns/TypedColumn"
import type * as Format from "@sluice/files/Format"
import * as Result from "effect/Result"

/** Makes columns of the records of a batch, valid until it is called again; nothing where a column cannot hold a value. */
export type Collect = (records: ReadonlyArray<unknown>, batch: Batch) => ColumnRows | undefined

/** Builds what makes these columns. */
export const make = (columns: ReadonlyArray<Column>, { as, decimal, numbers }: Format.Options): Collect => {
  let rows: ColumnRows | undefined
  let last: Batch | undefined
  const begin = () =>
    Collector.make(
      // Times count nanoseconds, as those of a page that was read, whatever the file counts.
      { columns, types: { numbers, decimal }, words: new Map(), rows: Infinity, textSize: Infinity, as },
      ({ columns, length }) => {
        rows = { length, column: (name) => columns[name] }
      },
      true
    )
  let collector = begin()
  return (records, batch) => {
    if (last !== undefined) Lent.lend(last, undefined)
    last = batch
    const added = collector.add(records)
    if (Result.isFailure(added)) {
      // What it has of these records would stand before the next ones.
      collector = begin()
      return undefined
    }
    collector.end(true)
    Lent.lend(batch, rows)
    return rows
  }
}
