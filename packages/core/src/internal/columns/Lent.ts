/**
 * Columns that were made of records, lent to whatever writes these records next, so that they are made once.
 */
import type { Batch } from "../../Batch.ts"
import type { ColumnRows } from "./TypedColumn.ts"

const behind = Symbol("columns")

// Type boundary: a batch may have this property. A weak map would cost the collector more.
type Lent = Batch & { [behind]?: ColumnRows | undefined }

/** Lends columns to the records of a batch; `undefined` takes them back. */
export const lend = (batch: Lent, rows: ColumnRows | undefined): void => {
  batch[behind] = rows
}

/** The columns that were lent to the records of a batch. */
export const of = (batch: Lent): ColumnRows | undefined => batch[behind]
