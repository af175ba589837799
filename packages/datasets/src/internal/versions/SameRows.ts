/**
 * How many rows of some columns are those of others.
 */
import type { AnyColumn, ColumnRows } from "@sluice/core/internal/columns/TypedColumn"

/** Compares rows of columns with those of others. */
export interface SameRows {
  readonly count: Count
  /** Whether a row has the key of another, and another number. */
  readonly isRevised: (index: number, at: number) => boolean
}

/** Counts the rows that are the same from one of each on, of `most` at most. The next may be the same all the same. */
export type Count = (index: number, at: number, most: number) => number

/**
 * Compares the columns of these names. A key without a column is that of the file. The first name is that of the column which tells most
 * rows apart.
 */
export const make = (
  names: ReadonlyArray<string>,
  key: ReadonlyArray<string>,
  a: ColumnRows["column"],
  b: ColumnRows["column"]
): SameRows => {
  const plain = names.map((name) => countOf(a(name), b(name)))
  const counts = plain.map(remembered)
  const keys = plain.filter((_, index) => key.includes(names[index]!))
  return {
    count: (index, at, most) => {
      let same = most
      for (const count of counts) same = count(index, at, same)
      return same
    },
    isRevised: (index, at) =>
      keys.every((count) => count(index, at, 1) === 1) &&
      names.some((name) => areOtherNumbers(a(name), b(name), index, at))
  }
}

/** Remembers how far two columns are the same, for as long as both advance together. To be asked in order. */
const remembered = (count: Count): Count => {
  let [shift, to] = [0, 0]
  return (index, at, most) => {
    if (at - index !== shift || index >= to) {
      shift = at - index
      to = index + count(index, at, most)
    }
    return Math.min(most, to - index)
  }
}

/** What tells whether two rows have numbers, and other ones. */
const areOtherNumbers = (a: AnyColumn | undefined, b: AnyColumn | undefined, index: number, at: number): boolean => {
  const areDecimals = a?.type === "decimal" && b?.type === "decimal" && a.scale === b.scale
  const areDoubles = a?.type === "double" && b?.type === "double"
  return (areDecimals || areDoubles) && !a.isNull(index) && !b.isNull(at) && a.at(index) !== b.at(at)
}

const countOf = (a: AnyColumn | undefined, b: AnyColumn | undefined): Count => {
  if (a?.nulls === 0 && b?.nulls === 0) return valuesOf(a, b)
  const values = a && b && valuesOf(a, b)
  return (index, at, most) => {
    for (let row = 0; row < most; row++) {
      // A column that is absent has no value.
      const isNull = a?.isNull(index + row) ?? true
      if (isNull !== (b?.isNull(at + row) ?? true)) return row
      if (!isNull && values?.(index + row, at + row, 1) === 0) return row
    }
    return most
  }
}

const valuesOf = (a: AnyColumn, b: AnyColumn): Count => {
  if (a.type === "double" && b.type === "double") return doubles(a.values, b.values)
  if (a.type === "decimal" && b.type === "decimal")
    return a.scale === b.scale ? elements(a.values, b.values, 4) : () => 0
  if ((a.type === "time" || a.type === "integer") && b.type === a.type) return elements(a.values, b.values, 2)
  if ((a.type === "text" || a.type === "json") && b.type === a.type) return texts(a, b)
  return (index, at, most) => {
    for (let row = 0; row < most; row++) if (a.at(index + row) !== b.at(at + row)) return row
    return most
  }
}

const doubles =
  (a: Float64Array, b: Float64Array): Count =>
  (index, at, most) => {
    const [to, shift] = [index + most, at - index]
    let row = index
    while (row < to && a[row] === b[row + shift]) row++
    return row - index
  }

/** Values of 64 bits as two numbers each: reading a whole one would make a `bigint`. */
const halves = ({ buffer, byteOffset, length }: BigInt64Array) => new Int32Array(buffer, byteOffset, 2 * length)

/** Values of `width` halves. */
const elements = (values: BigInt64Array, others: BigInt64Array, width: number): Count => {
  const [a, b] = [halves(values), halves(others)]
  return (index, at, most) => {
    const from = index * width
    const shift = at * width - from
    const to = from + most * width
    for (let place = from; place < to; place++) {
      if (a[place] !== b[place + shift]) return Math.floor((place - from) / width)
    }
    return most
  }
}

interface Texts {
  readonly bytes: Uint8Array
  readonly offsets: Int32Array
}

/** The most texts that are compared at once: where most differ, as many are looked at again for each. */
const textsAtOnce = 256

const texts = (a: Texts, b: Texts): Count => {
  const others = Buffer.from(b.bytes.buffer, b.bytes.byteOffset, b.bytes.byteLength)
  return (index, at, most) => {
    const [from, begin] = [a.offsets[index]!, b.offsets[at]!]
    const [to, shift] = [index + Math.min(most, textsAtOnce), at - index]
    let row = index
    while (row < to && a.offsets[row + 1]! - from === b.offsets[row + 1 + shift]! - begin) row++
    const end = a.offsets[row]!
    if (others.compare(a.bytes, from, end, begin, begin + end - from) === 0) return row - index
    let place = from
    while (a.bytes[place] === others[place - from + begin]) place++
    row = index
    while (a.offsets[row + 1]! <= place) row++
    return row - index
  }
}
