/**
 * Comma-separated values by RFC 4180: a header line, CRLF after every line, quotes where a value needs them.
 *
 * Null and absent are both an empty cell, empty text is `""`; values with structure are JSON text. Decimals and times
 * are the wire's own text.
 *
 * Two rules go beyond RFC 4180. In a file of one column null and absent are `""` too: an empty cell would be an empty
 * line, which many readers skip (pandas unless told not to). And a value that begins with U+FEFF is quoted: at the start
 * of a file readers would remove it as a byte-order mark.
 *
 * `effect/encoding/Csv` has the same two rules, but writes empty text like null, and makes an object and an array of
 * cells for every record.
 */
import * as Batch from "@sluice/core/Batch"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Column } from "./Columns.ts"
import * as CsvBatch from "./CsvBatch.ts"
import { type FileWriter, linesOf, makeSlot, valueOf } from "./FileWriter.ts"
import { quote, Unwritable } from "./FormatError.ts"
import * as JsonText from "./JsonText.ts"

/** Builds a function that begins a file with these columns. */
export const make = (columns: ReadonlyArray<Column>, guardFormulas = false): (() => FileWriter) => {
  const names = columns.map(({ name }) => name)
  /** Made for the first batch: most programs read none. */
  let writeBatch: CsvBatch.Writer | undefined
  return () =>
    begin(
      names,
      guardFormulas ? (value) => cell(guarded(value)) : cell,
      // Guarded values are looked at one by one.
      guardFormulas ? undefined : (...batch) => (writeBatch ??= CsvBatch.make(names))(...batch)
    )
}

const begin = (
  names: ReadonlyArray<string>,
  cell: (value: unknown) => string,
  writeBatch: CsvBatch.Writer | undefined
): FileWriter => {
  const [first = "", ...others] = names
  const lineOf = (record: unknown) => {
    let line = cell(valueOf(record, first))
    for (const name of others) line += `,${cell(valueOf(record, name))}`
    return line === "" ? '""\r\n' : `${line}\r\n`
  }
  /** Empty once it is written. */
  let header = `${names.map(cell).join(",")}\r\n`
  let written = 0
  const slot = makeSlot()

  return {
    write: (records) => {
      const batch = writeBatch && Batch.of(records)
      if (writeBatch !== undefined && batch !== undefined) {
        slot.put(writeBatch(batch, header, slot.room))
        header = ""
        written += batch.length
        return Result.void
      }
      const lines = header + linesOf(records, lineOf)
      if (!lines.isWellFormed()) return Result.fail(unwritable(names, records, written))
      header = ""
      written += records.length
      return Result.succeed(slot.putText(lines))
    },
    // A file without records has a header too.
    end: () => slot.putText(header),
    next: slot.next,
    close: () => undefined
  }
}

const isFormula = /^[=+\-@\t\r']/

const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** A value that no spreadsheet runs as a formula. */
const guarded = (value: unknown): unknown =>
  Predicate.isString(value) && isFormula.test(value) && !isNumber.test(value) ? `'${value}` : value

const isBroken = (record: unknown) => (name: string) => !cell(valueOf(record, name)).isWellFormed()

/** Finds the value with a lone surrogate, which has no bytes in UTF-8. */
const unwritable = (names: ReadonlyArray<string>, records: ReadonlyArray<unknown>, written: number) => {
  const index = records.findIndex((record) => names.some(isBroken(record)))
  const column = names.find(isBroken(records[index])) ?? ""
  const value = quote(valueOf(records[index], column))
  return new Unwritable({ as: "csv", column, record: written + index + 1, value, reason: "expected text in Unicode" })
}

const needsQuotes = /[",\r\n]/

const byteOrderMark = 0xfeff

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (value === "") return '""'
  const text = Predicate.isString(value) ? value : JsonText.write(value)
  return needsQuotes.test(text) || text.charCodeAt(0) === byteOrderMark ? `"${text.replaceAll('"', '""')}"` : text
}
