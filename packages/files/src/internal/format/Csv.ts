/**
 * Comma-separated values by RFC 4180, written and read: a header line, CRLF after every line, quotes where a value needs them.
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
import * as Stream from "effect/Stream"
import { type Column, valueOf } from "@sluice/core/internal/columns/Column"
import * as CsvBatch from "./CsvBatch.ts"
import { type FileWriter, linesOf, makeSlot } from "./FileWriter.ts"
import * as FormatError from "@sluice/core/internal/columns/FormatError"
import * as JsonText from "@sluice/core/internal/columns/JsonText"
import type { Options } from "./Options.ts"

/** What of the options of a format decides the text. */
type Syntax = Pick<Options, "guardFormulas">

/** Between the cells of a line: a character of one byte. */
const delimiter = ","

export const make = (columns: ReadonlyArray<Column>, { guardFormulas = false }: Syntax = {}): (() => FileWriter) => {
  const names = columns.map(({ name }) => name)
  /** Made for the first batch: most programs read none. */
  let writeBatch: CsvBatch.Writer | undefined
  return () =>
    begin(
      names,
      guardFormulas ? (value) => cell(guarded(value)) : cell,
      // Guarded values are looked at one by one.
      guardFormulas ? undefined : (...batch) => (writeBatch ??= CsvBatch.make(names, delimiter))(...batch)
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
    for (const name of others) line += `${delimiter}${cell(valueOf(record, name))}`
    return line === "" ? '""\r\n' : `${line}\r\n`
  }
  /** Empty once it is written. */
  let header = `${names.map(cell).join(delimiter)}\r\n`
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
  const name = names.find(isBroken(records[index])) ?? ""
  const expected = "text in Unicode"
  return FormatError.unwritable("csv", written + index + 1, { name, expected }, valueOf(records[index], name))
}

const needsQuotes = new RegExp(`["${delimiter}\\r\\n]`)

const byteOrderMark = 0xfeff

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (value === "") return '""'
  const text = Predicate.isString(value) ? value : JsonText.write(value)
  return needsQuotes.test(text) || text.charCodeAt(0) === byteOrderMark ? `"${text.replaceAll('"', '""')}"` : text
}

/** Reads the text of a file as {@link make} writes it, as records that it writes in the same way. */
export const records = <E, R>(
  text: Stream.Stream<string, E, R>,
  syntax: Syntax = {}
): Stream.Stream<Readonly<Record<string, unknown>>, E, R> =>
  Stream.suspend(() => {
    const read = reader(syntax)
    return Stream.flatMap(text, (piece) => Stream.fromArray(read(piece)))
  })

/** Begins a file, and gives the records that are complete, piece by piece. */
const reader = ({ guardFormulas = false }: Syntax) => {
  let names: ReadonlyArray<string> | undefined
  let rest = ""
  const recordOf = (cells: ReadonlyArray<string | undefined>) => {
    const record: Record<string, unknown> = {}
    const isAlone = names!.length === 1
    for (const [index, name] of names!.entries()) {
      const cell = cells[index]
      if (cell === undefined || (isAlone && cell === "")) continue
      // The guard is no part of the value.
      record[name] = guardFormulas && cell.startsWith("'") ? cell.slice(1) : cell
    }
    return record
  }
  return (piece: string) => {
    const text = rest + piece
    const records: Array<Readonly<Record<string, unknown>>> = []
    let at = 0
    for (;;) {
      const line = lineAt(text, at)
      if (line === undefined) break
      at = line.end
      if (names === undefined) names = line.cells.map((cell) => cell ?? "")
      else records.push(recordOf(line.cells))
    }
    rest = text.slice(at)
    return records
  }
}

/** The cells of the line that begins here, and where the next one begins; nothing where the line is not complete. */
const lineAt = (text: string, from: number) => {
  const cells: Array<string | undefined> = []
  let at = from
  for (;;) {
    const cell = cellAt(text, at)
    if (cell === undefined) return undefined
    cells.push(cell.value)
    const isLast = text[cell.end] === "\r"
    at = cell.end + (isLast ? 2 : 1)
    if (isLast) return at > text.length ? undefined : { cells, end: at }
  }
}

/** The cell that begins here, and where it ends: at a delimiter, or at the end of its line. */
const cellAt = (text: string, from: number) => {
  if (text[from] !== '"') {
    let end = from
    while (end < text.length && text[end] !== delimiter && text[end] !== "\r") end++
    return end === text.length ? undefined : { value: end === from ? undefined : text.slice(from, end), end }
  }
  let end = from + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end === -1 || end + 1 >= text.length) return undefined
    if (text[end + 1] !== '"') return { value: text.slice(from + 1, end).replaceAll('""', '"'), end: end + 1 }
    end += 2
  }
}
