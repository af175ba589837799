/** Faults of records: fields too many, too few, or not as they should be. */
import type { Fault } from "./Spec.ts"
import type { Kind } from "./Table.ts"
import * as Listing from "../listing/Listing.ts"
import { noteLatin1, noteUtf8 } from "./EncodingFaults.ts"

// Type boundary: rows are written by this package, and every one is a JSON object.
const change = (row: string, field: string, f: (value: unknown) => unknown): string => {
  const record = JSON.parse(row) as Record<string, unknown>
  return field in record ? JSON.stringify({ ...record, [field]: f(record[field]) }) : row
}

const append = (row: string, members: string): string => `${row.slice(0, -1)},${members}}`

const padded = (row: string, bytes: number): string => append(row, `"sandbox_padding":"${"x".repeat(bytes)}"`)

/** Finds the first key of a record, in its quotes. */
export const firstKey = (row: string): string => /^\{("(?:[^"\\]|\\.)*")/.exec(row)?.[1] ?? '"sandbox"'

const proto = '"__proto__":{"sandbox_polluted":true},"constructor":{"prototype":{"sandbox_polluted":true}}'

type Change = (row: string, position: number) => string

/** Changes the row alone with which the reply begins. */
const first =
  (f: (row: string) => string, from: number): Change =>
  (row, n) =>
    n === from ? f(row) : row

// What a fault does to the row at a position; the reply begins with the row at `from`, and ends before the one at `to`.
const changes: { readonly [kind in Kind]?: (fault: Fault, from: number, to: number) => Change } = {
  "extra-fields": () => (row, n) => append(row, `"sandbox_extra":"new","sandbox_nested":{"list":[${n},null,true]}`),
  "split-utf8": () => (row) => append(row, `"sandbox_note":"${noteUtf8}"`),
  latin1: () => (row) => append(row, `"sandbox_note":"${noteLatin1}"`),
  missing: (fault) => (row) => change(row, fault.value, () => undefined),
  "wrong-type": ({ value: field }, from) =>
    first((row) => change(row, field, (value) => (typeof value === "string" ? 12345 : { value })), from),
  "duplicate-keys": () => (row) => `{${firstKey(row)}:"sandbox-duplicate",${row.slice(1)}`,
  number: (fault) => (row) => append(row, `"sandbox_number":${fault.value}`),
  "proto-keys": () => (row) => append(row, proto),
  deep: ({ amount }, from) =>
    first((row) => append(row, `"sandbox_deep":${"[".repeat(amount)}${"]".repeat(amount)}`), from),
  "long-line": ({ amount }, from) =>
    first((row) => padded(row, Math.max(0, amount - Buffer.byteLength(padded(row, 0)))), from),
  "large-page": ({ amount }, from, to) => {
    const share = Math.ceil(amount / Math.max(1, to - from))
    return (row) => padded(row, share)
  }
}

// These read a record as JSON, which would undo what the others have written into it.
const readers: ReadonlyArray<Fault["kind"]> = ["missing", "wrong-type"]

/** Applies the faults of records to a listing, of which the reply shows the rows from one position up to another. */
export const apply = (
  listing: Listing.Listing,
  faults: ReadonlyArray<Fault>,
  from: number,
  to: number
): Listing.Listing =>
  [...faults]
    .sort((a, b) => Number(readers.includes(b.kind)) - Number(readers.includes(a.kind)))
    .reduce((listing, fault) => {
      const change = changes[fault.kind]?.(fault, from, to)
      return change === undefined ? listing : Listing.map(listing, change)
    }, listing)
