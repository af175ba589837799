/**
 * Records as the service sent them, compared with those that are held without building any.
 */
import * as Batch from "@sluice/core/Batch"
import * as Predicate from "effect/Predicate"
import type { HeldLines } from "./HeldLines.ts"

/** An array as the service sent it. */
export interface Arrived {
  /**
   * How many records from one on are those that are held from a place on: the same lines, or the same values of all columns. The next may
   * be the same all the same. To be asked in order.
   */
  readonly countSame: (index: number, held: ReadonlyArray<unknown>, lines: HeldLines | undefined, at: number) => number
}

const quote = 34

/** What compares an array, where it has its bytes. `columns` are those of the files; empty where they have lines. */
export const of = (records: ReadonlyArray<unknown>, columns: ReadonlyArray<string>): Arrived | undefined => {
  const batch = Batch.of(records)
  if (batch === undefined) return undefined
  const { bytes, from, runs, to } = batch
  // Its bytes are ASCII.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1")
  let [number, before] = [0, 0]
  let places: ReadonlyArray<number> | undefined
  /** Whether a value is the one at these places. */
  const isValue = (held: unknown, start: number, end: number): boolean => {
    const isText = text.charCodeAt(start) === quote
    if (Predicate.isNumber(held))
      return Number(isText ? text.slice(start + 1, end - 1) : text.slice(start, end)) === held
    if (Predicate.isString(held)) {
      if (isText) return end - start === held.length + 2 && text.startsWith(held, start + 1)
      return text.slice(start, end) === (held === "" ? "null" : held)
    }
    if (Predicate.isNullish(held)) return isText ? end - start === 2 : text.slice(start, end) === "null"
    return text.slice(start, end) === String(held)
  }
  const isAs = (index: number, held: ReadonlyArray<unknown>, lines: HeldLines | undefined, at: number): boolean => {
    while (index >= before + runs[number]!.count) {
      before += runs[number]!.count
      number += 1
      places = undefined
    }
    const { first, keys, offsets } = runs[number]!
    const place = first + (index - before) * (2 * keys.length + 2)
    if (lines !== undefined) {
      const line = lines.lines[lines.from + at]!
      const start = offsets[place]! - from
      const end = offsets[place + 2 * keys.length + 1]! - from
      return end - start === line.length && text.startsWith(line, start)
    }
    if (columns.length === 0) return false
    places ??= columns.map((name) => 1 + 2 * keys.indexOf(name))
    // Type boundary: a record is read by the names of its columns, and any of them may be absent.
    const record = held[at] as Readonly<Record<string, unknown>>
    for (let column = 0; column < columns.length; column++) {
      const value = record[columns[column]!]
      const own = places[column]!
      const isSame =
        own < 0
          ? Predicate.isNullish(value) || value === ""
          : isValue(value, offsets[place + own]! - from, offsets[place + own + 1]! - from)
      if (!isSame) return false
    }
    return true
  }
  return {
    countSame: (index, held, lines, at) => {
      const most = Math.min(records.length - index, held.length - at)
      let count = 0
      while (count < most && isAs(index + count, held, lines, at + count)) count++
      return count
    }
  }
}
