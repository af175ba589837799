/** Powers of five with 128 bits, by which `column.wat` reads decimals as doubles. */

/** The powers are those from minus this to this. */
const most = 64

/** Words of 32 bits that they take. */
export const size = 4 * (2 * most + 1)

/**
 * The upper 64 bits of each power and then its lower ones, shifted so that the highest bit is 1. Those from 5^-27 to 5^-1 are
 * rounded up, the others are cut off, as in Lemire, "Number parsing at a gigabyte per second", 2021.
 */
export const make = (): Int32Array => {
  const words = new BigUint64Array(size / 2)
  for (let power = -most; power <= most; power++) {
    const bits = power < 0 ? reciprocal(5n ** BigInt(-power)) + (power < -27 ? 0n : 1n) : leading(5n ** BigInt(power))
    const at = 2 * (power + most)
    words[at] = bits >> 64n
    words[at + 1] = BigInt.asUintN(64, bits)
  }
  return new Int32Array(words.buffer)
}

const lengthOf = (value: bigint) => BigInt(value.toString(2).length)

/** The first 128 bits of a number. */
const leading = (value: bigint) => {
  const shift = 128n - lengthOf(value)
  return shift >= 0n ? value << shift : value >> -shift
}

/** The first 128 bits of one divided by a number that is no power of two. */
const reciprocal = (value: bigint) => (1n << (lengthOf(value) + 127n)) / value
