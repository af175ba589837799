/**
 * Definition levels of a flat column: which rows have a value, in Parquet's mix of runs and packed bits, a bit a row.
 */
import type { Written } from "./Cells.ts"

/** Encodes the presence of `count` rows, of which so many are null. */
export const encode = (presence: Written, count: number, nulls: number): Uint8Array => {
  if (nulls === 0 || nulls === count) return Uint8Array.of(...varint(count * 2), nulls === 0 ? 1 : 0)
  const header = varint(Math.ceil(count / 8) * 2 + 1)
  const bytes = new Uint8Array(header.length + presence.length)
  bytes.set(header)
  presence.copyTo(bytes.subarray(header.length))
  return bytes
}

/** A whole number, seven bits a byte, the lowest first. */
const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
