/** The least and the greatest value of a column, by which readers skip row groups. */
import type { Doubles, Texts } from "@sluice/core/Columns"

/** Of integers, of doubles, or of texts as their bytes. */
export type Range = Of<bigint> | Of<number> | Of<Uint8Array>

/** Of values of one type. */
export interface Of<Value> {
  readonly min_value: Value
  readonly max_value: Value
}

/** Of doubles without nulls. Zeros have both signs, as the format asks for. */
export const ofDoubles = ({ values }: Pick<Doubles, "values">): Range | undefined => {
  let [min, max] = [Infinity, -Infinity]
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!
    if (value < min) min = value
    if (value > max) max = value
  }
  if (min > max) return undefined
  return { min_value: min === 0 ? -0 : min, max_value: max === 0 ? 0 : max }
}

/** Compares two texts of these bytes, each from one offset to another, as unsigned bytes. */
const compare = (bytes: Uint8Array, a: number, aEnd: number, b: number, bEnd: number): number => {
  const end = Math.min(aEnd - a, bEnd - b)
  for (let at = 0; at < end; at++) {
    const difference = bytes[a + at]! - bytes[b + at]!
    if (difference !== 0) return difference
  }
  return aEnd - a - (bEnd - b)
}

/** Of texts other than null. */
export const ofTexts = ({ bytes, isNull, length, nulls, offsets }: Texts): Range | undefined => {
  let [min, max] = [-1, -1]
  for (let index = 0; index < length; index++) {
    if (nulls > 0 && isNull(index)) continue
    const [from, to] = [offsets[index]!, offsets[index + 1]!]
    if (min === -1) min = max = index
    else if (compare(bytes, from, to, offsets[max]!, offsets[max + 1]!) > 0) max = index
    else if (compare(bytes, from, to, offsets[min]!, offsets[min + 1]!) < 0) min = index
  }
  if (min === -1) return undefined
  const textOf = (index: number) => bytes.slice(offsets[index], offsets[index + 1])
  return { min_value: textOf(min), max_value: textOf(max) }
}

const isBelow = (a: Range["min_value"], b: Range["min_value"]): boolean =>
  a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) < 0 : a < b

/** Of both together. They are of one column, so of one type. */
export const widest = (a: Range | undefined, b: Range | undefined): Range | undefined => {
  if (a === undefined || b === undefined) return a ?? b
  const least = isBelow(a.min_value, b.min_value) ? a : b
  const greatest = isBelow(a.max_value, b.max_value) ? b : a
  // Type boundary: see above.
  return { min_value: least.min_value, max_value: greatest.max_value } as Range
}
