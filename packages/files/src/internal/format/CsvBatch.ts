/**
 * CSV of records that were not built: values are copied from the bytes of the reply into lines.
 *
 * Their texts are ASCII without quotes and line ends, so only a delimiter needs quotes. The loop is `csv.wat`.
 * A download of a million records takes 0.55 of the processor time of a page loop by hand that writes nothing; with the lines that
 * JavaScript writes of built records, 1.73 (`bench --only downloads`).
 */
import type * as Batch from "@sluice/core/Batch"
import * as BatchMemory from "@sluice/core/internal/columns/BatchMemory"
import { csvModule } from "./CsvModule.ts"

/** Writes the records of a batch, a line for each, into the room that it asks for. */
export type Writer = (batch: Batch.Batch, header: string, roomOf: (size: number) => Buffer) => Uint8Array

type Exported = {
  readonly write: (
    record: number,
    stride: number,
    recordsEnd: number,
    shift: number,
    columns: number,
    columnsEnd: number,
    out: number,
    outEnd: number,
    delimiter: number
  ) => number
}

/** Bytes of a line beyond those of its values and delimiters; `csv.wat` says of what. */
const mostBeyond = 32

/** Builds the writer of these columns, for all files that have them. */
export const make = (names: ReadonlyArray<string>, delimiter: string): Writer => {
  const { bytes, exports, load, loadRun, out, outEnd, setTable, word } = BatchMemory.make<Exported>(
    csvModule,
    names.length
  )
  const columnsEnd = BatchMemory.table + 4 * names.length
  const byte = delimiter.charCodeAt(0)
  /** Where the values of the columns are, for keys that were met. */
  const known = new WeakMap<ReadonlyArray<string>, Int32Array>()
  const columnsOf = (keys: ReadonlyArray<string>): Int32Array => {
    const columns =
      known.get(keys) ??
      Int32Array.from(names, (name) => {
        const index = keys.indexOf(name)
        return index === -1 ? 0 : 4 + 8 * index
      })
    known.set(keys, columns)
    return columns
  }

  return (batch, header, roomOf) => {
    const size = batch.to - batch.from
    const most = size + batch.length * (names.length + mostBeyond)
    const lines = roomOf(Buffer.byteLength(header) + most)
    let at = lines.write(header)
    // Records with few of many columns make long lines: those are written in several steps.
    load(batch, Math.min(most, 2 * size + names.length + mostBeyond))
    for (const run of batch.runs) {
      setTable(columnsOf(run.keys))
      const { records, recordsEnd, shift, stride } = loadRun(run)
      for (let record = records; record < recordsEnd;) {
        const end = exports.write(record, stride, recordsEnd, shift, BatchMemory.table, columnsEnd, out, outEnd(), byte)
        lines.set(bytes(out, end), at)
        at += end - out
        record += word(0) * stride
      }
    }
    return lines.subarray(0, at)
  }
}
