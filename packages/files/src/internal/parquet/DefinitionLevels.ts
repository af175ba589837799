/**
 * Definition levels of a flat column: which rows have a value, as Parquet's mix of runs and bits.
 */
import type { StoredBytes } from "./ColumnValues.ts"

/** Encodes which of `count` rows have a value, `nulls` of which have none. */
export const encode = (presence: StoredBytes, count: number, nulls: number): Uint8Array => {
  // All null or none: one run.
  if (nulls === 0 || nulls === count) return Uint8Array.of(...varint(count * 2), nulls === 0 ? 1 : 0)
  const header = varint(Math.ceil(count / 8) * 2 + 1)
  const bytes = new Uint8Array(header.length + presence.length)
  bytes.set(header)
  presence.copyTo(bytes.subarray(header.length))
  return bytes
}

/** An integer, seven bits a byte, the lowest first. */
const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
