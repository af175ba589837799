/**
 * Comma-separated values as RFC 4180 has them: a header line, CRLF after every line, quotes where a value needs them.
 *
 * Null and absent are both an empty cell, empty text is `""`; values with structure are JSON text. Decimals and times
 * are the wire's own text.
 *
 * Two rules are not of RFC 4180. In a file of one column null and absent are `""` too: an empty cell would be an empty
 * line, which many readers skip (pandas unless told not to), and the records would be one fewer. And a
 * value that begins with U+FEFF is quoted: at the start of a file it would be taken for a byte-order mark.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Column } from "./Columns.ts"
import { quote, Unwritable } from "./FormatError.ts"
import * as JsonText from "./JsonText.ts"
import { makeWaiting, pieces, valueOf, type Writing } from "./Writing.ts"

/** Begins a file with these columns. */
export const make = (columns: ReadonlyArray<Column>): Writing => {
  const names = columns.map(({ name }) => name)
  const [first = "", ...others] = names
  const lineOf = (record: unknown) => {
    let line = cell(valueOf(record, first))
    for (const name of others) line += `,${cell(valueOf(record, name))}`
    return line === "" ? '""\r\n' : `${line}\r\n`
  }
  /** What is still to be written before the next record. */
  let header = [`${names.map(cell).join(",")}\r\n`]
  let written = 0
  const waiting = makeWaiting()

  return {
    write: (records) => {
      const texts = [...header, ...pieces(records, lineOf)]
      if (!texts.every((text) => text.isWellFormed())) return Result.fail(broken(names, records, written))
      header = []
      written += records.length
      return Result.succeed(waiting.put(texts))
    },
    // A file without records has its header all the same.
    end: () => waiting.put(header),
    next: waiting.next,
    close: () => undefined
  }
}

const isBroken = (record: unknown) => (name: string) => !cell(valueOf(record, name)).isWellFormed()

/** Finds the value with a surrogate alone, which has no bytes in UTF-8. */
const broken = (names: ReadonlyArray<string>, records: ReadonlyArray<unknown>, written: number) => {
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
