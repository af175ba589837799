/**
 * The values of one Parquet column until their row group is written.
 *
 * Text is held as bytes outside the heap: strings that live as long as a row group would be moved to the old generation,
 * and the process would grow by several times what is held.
 */
import * as Predicate from "effect/Predicate"
import type { Column } from "./Columns.ts"
import * as Nanos from "./Nanos.ts"
import * as Unscaled from "./Unscaled.ts"

/** Values as the Parquet library takes them. */
export type Values = Array<Uint8Array | bigint | boolean | number | null>

/** The cells of one column. */
export interface Cells {
  /** Takes the next value; gives the bytes it is held in, or nothing where it cannot be held without loss. */
  readonly take: (value: unknown) => number | undefined
  /** Gives the values taken since they were let go of. */
  readonly values: () => Values
  /** Lets go of them. */
  readonly clear: () => void
  /** What can be held, as an error says it. */
  readonly expected: string
}

/** Begins a column. */
export const make = ({ kind, nullable }: Column, decimal: Unscaled.Shape | undefined): Cells => {
  const cells = ofKind(kind, decimal)
  return nullable ? cells : { ...cells, take: (value) => (Predicate.isNullish(value) ? undefined : cells.take(value)) }
}

const ofKind = (kind: Column["kind"], decimal: Unscaled.Shape | undefined): Cells => {
  switch (kind) {
    case "text":
      return texts(textOf, "text in Unicode")
    case "json":
      return texts(JSON.stringify, "JSON")
    case "decimal":
      return decimal === undefined ? texts(textOf, "text in Unicode") : decimals(decimal)
    case "timestamp": {
      const read = Nanos.makeReader()
      const expected = "a time from 1678 to 2261, in nanoseconds at most"
      return scalars((value) => (Predicate.isString(value) ? read(value) : undefined), expected)
    }
    case "boolean":
      return scalars((value) => (Predicate.isBoolean(value) ? value : undefined), "true or false")
    case "number":
      return scalars((value) => (Predicate.isNumber(value) ? value : undefined), "a number")
  }
}

const textOf = (value: unknown) => (Predicate.isString(value) ? value : JSON.stringify(value))

const decimals = (shape: Unscaled.Shape) => {
  const read = Unscaled.makeReader(shape)
  const expected = `a decimal of ${shape.precision} digits, ${shape.scale} of them after the point`
  return scalars((value) => (Predicate.isString(value) ? read(value) : undefined), expected)
}

const scalars = (read: (value: unknown) => bigint | boolean | number | undefined, expected: string): Cells => {
  let values: Values = []
  return {
    expected,
    take: (value) => {
      const scalar = Predicate.isNullish(value) ? null : read(value)
      if (scalar === undefined) return undefined
      values.push(scalar)
      return 16
    },
    values: () => values,
    clear: () => {
      values = []
    }
  }
}

/** Characters that wait for their bytes. */
const waiting = 8_192

/** Texts as bytes, with the bytes of each; -1 where there is none. */
interface Part {
  readonly bytes: Uint8Array
  readonly lengths: Int32Array
}

const texts = (toText: (value: unknown) => string, expected: string): Cells => {
  let parts: Array<Part> = []
  let values: Array<string | null> = []
  let characters = 0

  const settle = () => {
    if (values.length > 0) parts.push(partOf(values))
    values = []
    characters = 0
  }

  return {
    expected,
    take: (value) => {
      const text = Predicate.isNullish(value) ? null : toText(value)
      // A surrogate alone has no bytes in UTF-8.
      if (text !== null && !text.isWellFormed()) return undefined
      const length = text?.length ?? 0
      values.push(text)
      characters += length
      if (characters >= waiting) settle()
      return length + 4
    },
    values: () => {
      settle()
      return parts.flatMap(viewsOf)
    },
    clear: () => {
      parts = []
    }
  }
}

const partOf = (values: ReadonlyArray<string | null>): Part => {
  const text = values.join("")
  const bytes = Buffer.from(text)
  const isAscii = bytes.length === text.length
  const lengths = Int32Array.from(values, (value) => {
    if (value === null) return -1
    return isAscii ? value.length : Buffer.byteLength(value)
  })
  return { bytes, lengths }
}

const viewsOf = ({ bytes, lengths }: Part): Values => {
  let at = bytes.byteOffset
  return Array.from(lengths, (length) => {
    if (length < 0) return null
    at += length
    return new Uint8Array(bytes.buffer, at - length, length)
  })
}
