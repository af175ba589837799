/**
 * Deterministic noise: the same numbers on every machine and every run.
 *
 * Only integer arithmetic and IEEE additions and multiplications are used, so no engine may round differently.
 */

/** Mixes two 32-bit integers into one that looks random. */
export const mix = (seed: number, n: number): number => {
  let h = Math.imul(n ^ (n >>> 16) ^ seed, 0x45d9f3b)
  h = Math.imul(h ^ (h >>> 15) ^ (seed << 7), 0x2c1b3c6d)
  h = Math.imul(h ^ (h >>> 13), 0x297a2d39)
  return (h ^ (h >>> 16)) >>> 0
}

export const seed = (name: string): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193)
  return mix(h, name.length)
}

/** Draws a number in [0, 1) for the n-th place of a seed. */
export const unit = (seed: number, n: number): number => mix(seed, n) / 4294967296

/** Draws an integer in [0, below) for the n-th place of a seed. */
export const below = (seed: number, n: number, below: number): number => Math.floor(unit(seed, n) * below)

/** Picks one item of a list for the n-th place of a seed. */
export const pick = <A>(seed: number, n: number, items: readonly [A, ...Array<A>]): A =>
  items[below(seed, n, items.length)] ?? items[0]

/** Reads a continuous curve in [0, 1) that takes a new direction at every whole `x`. */
export const curve = (seed: number, x: number): number => {
  const n = Math.floor(x)
  const f = x - n
  const s = f * f * (3 - 2 * f)
  const a = unit(seed, n)
  return a + (unit(seed, n + 1) - a) * s
}

const pairs: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Writes `length` hexadecimal digits for the n-th place of a seed. */
export const hex = (seed: number, n: number, length: number): string => {
  let text = ""
  for (let i = 0; text.length < length; i++) {
    const word = mix(seed + i, n)
    text += `${pairs[word >>> 24]}${pairs[(word >>> 16) & 255]}${pairs[(word >>> 8) & 255]}${pairs[word & 255]}`
  }
  return text.slice(0, length)
}

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZ"

/** Writes `length` capital letters and digits for the n-th place of a seed. */
export const code = (seed: number, n: number, length: number): string => {
  let text = ""
  for (let i = 0; i < length; i++) text += alphabet.charAt(mix(seed + i, n) % alphabet.length)
  return text
}
