/** The memory of the values of a column. It grows with them, and is used again for the next column. */

/** Values that there is room for at first. */
const fewest = 1_024

type Elements = Float64Array | BigInt64Array | Int32Array | Uint8Array

/** Memory of values of one size that grows with them. */
export interface Memory<A extends Elements> {
  /** The memory, with room for so many values. */
  readonly room: (values: number) => A
  /** Copies bytes to the values from one on. */
  readonly copy: (bytes: Uint8Array, index: number) => void
  readonly take: (values: number, isView: boolean) => A
  readonly drop: (count: number, length: number) => void
}

/** Builds memory for some values that are expected; a value has `width` elements. Columns without a value take none. */
export const make = <A extends Elements>(create: (length: number) => A, expected = Infinity, width = 1): Memory<A> => {
  let all = create(0)
  let whole = new Uint8Array(all.buffer)
  const room = (values: number) => {
    if (values * width <= all.length) return all
    const held = all.length / width
    const isExpected = held < expected && expected < Infinity
    const next = held === 0 ? Math.min(fewest, expected) : isExpected ? expected : 2 * held
    const grown = create(Math.max(values, next) * width)
    // Type boundary, twice: both are of the same kind.
    grown.set(all as never)
    all = grown
    whole = new Uint8Array(all.buffer)
    return all
  }
  return {
    room,
    copy: (bytes, index) => {
      const at = index * width * all.BYTES_PER_ELEMENT
      room(index + bytes.length / (width * all.BYTES_PER_ELEMENT))
      whole.set(bytes, at)
    },
    take: (values, isView) => {
      const taken = room(values)
      // Type boundary, twice: a part of an array is of its kind.
      return (isView ? taken.subarray(0, values * width) : taken.slice(0, values * width)) as A
    },
    drop: (count, length) => {
      all.copyWithin(0, count * width, length * width)
    }
  }
}

/** A bit for each byte, the lowest first. */
export const bitsOf = (bytes: Uint8Array): Uint8Array => {
  const bits = new Uint8Array((bytes.length + 7) >>> 3)
  for (let index = 0; index < bytes.length; index++) bits[index >>> 3]! |= bytes[index]! << (index & 7)
  return bits
}
