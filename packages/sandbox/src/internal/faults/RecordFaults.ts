/**
 * Faults of records: fields too many, too few, or not as they should be.
 */
import type { Fault } from "./Spec.ts"
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

// What a fault does to the row at a position; the reply begins with the row at `from`, and ends before the one at `to`.
const changeOf = (fault: Fault, from: number, to: number): Change | undefined => {
  const { amount } = fault
  const first =
    (f: (row: string) => string): Change =>
    (row, n) =>
      n === from ? f(row) : row
  switch (fault.kind) {
    case "extra-fields":
      return (row, n) => append(row, `"sandbox_extra":"new","sandbox_nested":{"list":[${n},null,true]}`)
    case "split-utf8":
      return (row) => append(row, `"sandbox_note":"${noteUtf8}"`)
    case "latin1":
      return (row) => append(row, `"sandbox_note":"${noteLatin1}"`)
    case "missing":
      return (row) => change(row, fault.value, () => undefined)
    case "wrong-type":
      return first((row) => change(row, fault.value, (value) => (typeof value === "string" ? 12345 : { value })))
    case "duplicate-keys":
      return (row) => `{${firstKey(row)}:"sandbox-duplicate",${row.slice(1)}`
    case "number":
      return (row) => append(row, `"sandbox_number":${fault.value}`)
    case "proto-keys":
      return (row) => append(row, proto)
    case "deep":
      return first((row) => append(row, `"sandbox_deep":${"[".repeat(amount)}${"]".repeat(amount)}`))
    case "long-line":
      return first((row) => padded(row, Math.max(0, amount - Buffer.byteLength(padded(row, 0)))))
    case "large-page": {
      const share = Math.ceil(amount / Math.max(1, to - from))
      return (row) => padded(row, share)
    }
    default:
      return undefined
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
      const change = changeOf(fault, from, to)
      return change === undefined ? listing : Listing.map(listing, change)
    }, listing)
