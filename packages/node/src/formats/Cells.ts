/**
 * The values of one Parquet column until their row group is written, kept as the bytes they are written as: as objects
 * they would live long enough to be moved to the old generation, and the process would grow by several times what is
 * held.
 */
import * as Predicate from "effect/Predicate"
import type { Blocks } from "./Blocks.ts"
import { Bytes } from "./Bytes.ts"
import type { Column } from "./Columns.ts"
import * as JsonText from "./JsonText.ts"
import * as Nanos from "./Nanos.ts"
import * as Unscaled from "./Unscaled.ts"

/** The cells of one column. */
export interface Cells {
  /** Takes the next value; gives the bytes it is held in, an eighth for null, or nothing where it cannot be held without loss. */
  readonly take: (value: unknown) => number | undefined
  /** What can be held, as an error says it. */
  readonly expected: string
  /** Cells taken, null or not, since they were let go of. */
  readonly count: () => number
  /** Nulls among them. */
  readonly nulls: () => number
  /** Where there are nulls and values, a bit for each cell, the lowest first: 1 where there is a value. */
  readonly presence: Written
  /** The values that are there, in Parquet's plain encoding. */
  readonly values: Written
  /** Whether they are whole numbers of 64 bits that mostly grow evenly, as times do. */
  readonly areSteps: boolean
  /** Lets go of all of them; their memory goes back, and others write in it. */
  readonly clear: () => void
}

/** Bytes that are not in one piece. */
export type Written = Pick<Bytes, "length" | "copyTo">

/** Writes a value; false where it is no such value. */
type Write = (value: unknown, bytes: Bytes, at: number) => boolean

/** Begins a column whose values stand in these blocks. */
export const make = (column: Column, decimal: Unscaled.Shape | undefined, blocks: Blocks): Cells => {
  const { expected, write } = kindOf(column, decimal)
  const presence = new Bytes(blocks)
  const values = new Bytes(blocks)
  let count = 0
  let there = 0
  /** Most columns have no null, or nothing else: bits are written from the first that differs. */
  const mark = (isThere: boolean) => {
    const isFirst = presence.length === 0 && there !== (isThere ? count : 0)
    if (isFirst) for (let at = 0; at < count; at++) presence.bit(at, !isThere)
    if (isFirst || presence.length > 0) presence.bit(count, isThere)
    count++
    if (isThere) there++
  }
  return {
    expected,
    take: (value) => {
      const isThere = !Predicate.isNullish(value)
      const before = values.length
      if (isThere ? !write(value, values, there) : !column.nullable) return undefined
      mark(isThere)
      return values.length - before + 1 / 8
    },
    count: () => count,
    nulls: () => count - there,
    presence,
    values,
    areSteps: column.kind === "timestamp",
    clear: () => {
      presence.clear()
      values.clear()
      count = 0
      there = 0
    }
  }
}

const kindOf = (
  { kind }: Column,
  decimal: Unscaled.Shape | undefined
): { readonly expected: string; readonly write: Write } => {
  switch (kind) {
    case "text":
      return text
    case "json":
      return { expected: "JSON", write: (value, bytes) => writeText(JsonText.write(value), bytes) }
    case "decimal":
      return decimal === undefined ? text : decimals(decimal)
    case "timestamp":
      return timestamps()
    case "boolean":
      return { expected: "true or false", write: writeBoolean }
    case "number":
      return { expected: "a number", write: writeNumber }
  }
}

const writeText = (value: string, bytes: Bytes) => {
  // A surrogate alone has no bytes in UTF-8.
  if (!value.isWellFormed()) return false
  bytes.text(value)
  return true
}

const text = {
  expected: "text in Unicode",
  write: (value: unknown, bytes: Bytes) => writeText(Predicate.isString(value) ? value : JsonText.write(value), bytes)
}

const writeBoolean: Write = (value, bytes, at) => {
  if (!Predicate.isBoolean(value)) return false
  bytes.bit(at, value)
  return true
}

const writeNumber: Write = (value, bytes) => {
  if (!Predicate.isNumber(value)) return false
  bytes.double(value)
  return true
}

const timestamps = () => {
  const read = Nanos.makeReader()
  const write: Write = (value, bytes) => {
    const nanos = Predicate.isString(value) ? read(value) : undefined
    if (nanos === undefined) return false
    bytes.int64(nanos)
    return true
  }
  return { expected: "a time from 1678 to 2261, in nanoseconds at most", write }
}

const decimals = (shape: Unscaled.Shape) => {
  const read = Unscaled.makeReader(shape)
  const isWide = Unscaled.isWide(shape)
  const write: Write = (value, bytes) => {
    const unscaled = Predicate.isString(value) ? read(value) : undefined
    if (unscaled === undefined) return false
    if (isWide) bytes.int128(unscaled)
    else bytes.int64(unscaled)
    return true
  }
  return { expected: `a decimal of ${shape.precision} digits, ${shape.scale} of them after the point`, write }
}
