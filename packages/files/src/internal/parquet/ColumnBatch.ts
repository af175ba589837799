/**
 * The values of a column of a batch in Parquet's plain encoding, many with one call.
 *
 * The loop is `column.wat`. A download of a million records takes 0.93 of the processor time of a page loop by hand that writes
 * nothing; with values that JavaScript takes from built records, 2.72 (`bench --only downloads`).
 */
import type * as Batch from "@sluice/core/Batch"
import * as BatchMemory from "../format/BatchMemory.ts"
import { columnModule } from "./ColumnModule.ts"
import * as PowersOfFive from "./PowersOfFive.ts"

/** How a column writes texts: as they are, as JSON with its quotes, or as times, doubles or whole numbers of 64 bits. */
export type Kind = "text" | "json" | "time" | "double" | "integer"

/** The kinds of 64 bits by the number that the module knows them by. */
const words = { time: 0, double: 1, integer: 2 } as const

/** A column of a run of records. */
export interface RunColumn {
  readonly kind: Kind
  readonly nullable: boolean
  /** The index of its key in the run. */
  readonly key: number
}

/** Values that were written. */
export interface Written {
  /** Records that were read, nulls included. */
  readonly records: number
  readonly nulls: number
  /** The values other than null, valid until the next call. */
  readonly bytes: Uint8Array
}

/** Writes columns of one batch after the other. */
export interface ColumnBatch {
  readonly load: (batch: Batch.Batch) => void
  /** Begins a run of that batch. */
  readonly loadRun: (run: Batch.Run) => void
  /**
   * Writes a column of the run from a record on, until its values take at least so many bytes. Stops at a value of another
   * form than most, or that the column cannot hold.
   */
  readonly write: (column: RunColumn, record: number, size: number) => Written
}

type Exported = {
  readonly texts: (
    record: number,
    stride: number,
    recordsEnd: number,
    shift: number,
    place: number,
    isNullable: number,
    isJson: number,
    out: number,
    limit: number
  ) => number
  readonly words: (
    record: number,
    stride: number,
    recordsEnd: number,
    shift: number,
    place: number,
    isNullable: number,
    kind: number,
    out: number,
    limit: number
  ) => number
}

/** Builds what writes the columns of all files of a download. */
export const make = (): ColumnBatch => {
  const memory = BatchMemory.make<Exported>(columnModule, PowersOfFive.size)
  const { bytes, exports, load, loadRun, out, word } = memory
  memory.setTable(PowersOfFive.make())
  let run: BatchMemory.Loaded = { records: 0, recordsEnd: 0, stride: 0, shift: 0 }
  return {
    // A text takes four bytes more than in the batch, and what copies sixteen bytes at a time writes as many beyond the last. A
    // number takes eight bytes, and at least as many in the batch, with its key.
    load: (batch) => load(batch, batch.to - batch.from + 4 * batch.length + 16),
    loadRun: (next) => {
      run = loadRun(next)
    },
    write: ({ key, kind, nullable }, record, size) => {
      const { records, recordsEnd, shift, stride } = run
      const [from, place, isNullable] = [records + record * stride, 4 + 8 * key, Number(nullable)]
      const end =
        kind === "text" || kind === "json"
          ? exports.texts(from, stride, recordsEnd, shift, place, isNullable, Number(kind === "json"), out, out + size)
          : exports.words(from, stride, recordsEnd, shift, place, isNullable, words[kind], out, out + size)
      return { records: word(0), nulls: word(4), bytes: bytes(out, end) }
    }
  }
}
