/**
 * Comma-separated values as RFC 4180 has them: a header line, CRLF after every line, quotes where a value needs them.
 *
 * Null and absent are both an empty cell, empty text is `""`; values with structure are JSON text. Decimals and times
 * are the wire's own text.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Column } from "./Columns.ts"
import { pieces, valueOf, type Writing } from "./Writing.ts"

/** Begins a file with these columns. */
export const make = (columns: ReadonlyArray<Column>): Writing => {
  const [first = "", ...others] = columns.map(({ name }) => name)
  const lineOf = (record: unknown) => {
    let line = cell(valueOf(record, first))
    for (const name of others) line += `,${cell(valueOf(record, name))}`
    return `${line}\r\n`
  }
  const header = Buffer.from(`${[first, ...others].map(cell).join(",")}\r\n`)
  let isBegun = false
  const begin = () => {
    const bytes = isBegun ? [] : [header]
    isBegun = true
    return bytes
  }
  return {
    write: (records) => Result.succeed([...begin(), ...pieces(records, lineOf)]),
    // A file without records has its header all the same.
    end: begin
  }
}

const needsQuotes = /[",\r\n]/

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (value === "") return '""'
  const text = Predicate.isString(value) ? value : JSON.stringify(value)
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
