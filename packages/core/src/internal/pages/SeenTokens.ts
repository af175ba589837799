/**
 * The page tokens of one stream: one that came before leads back to a page that was read, and so on for ever.
 *
 * Memory is bounded whatever the service sends, some 20 MB at most: a token is remembered by a text of at most 32 characters,
 * and only the latest hundred thousand of them are, or twice as many.
 */

/** The tokens that were given so far. */
export interface SeenTokens {
  /** Notes a token, and tells whether it was given before. */
  readonly isRepeated: (token: string) => boolean
}

const capacity = 100_000

/** Tokens up to this length are remembered as they are. */
const short = 24

/** Begins with the token of the first page, which has none where the stream begins at the start. */
export const make = (first: string | undefined): SeenTokens => {
  // Two halves: to delete the oldest entries of one set one by one takes time that grows with its square.
  let recent = new Set(first === undefined ? [] : [fingerprint(first)])
  let older: ReadonlySet<string> = new Set()
  let count = 0
  let mark: string | undefined
  return {
    isRepeated: (token) => {
      const name = fingerprint(token)
      if (recent.has(name) || older.has(name) || name === mark) return true
      count += 1
      recent.add(name)
      if (recent.size >= capacity) {
        older = recent
        recent = new Set()
      }
      // Brent's way to find a cycle longer than what is remembered: wait for one token, for ever longer spans.
      if ((count & (count - 1)) === 0) mark = name
      return false
    }
  }
}

/**
 * A text of bounded length that stands for a token: the token itself where it is short, else its length and 64 bits of
 * hash. That two of a hundred thousand different tokens share one has a probability of 3 in ten thousand million.
 */
export const fingerprint = (token: string): string => {
  if (token.length <= short) return token
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < token.length; at++) {
    const code = token.charCodeAt(at)
    high = Math.imul(high ^ code, 2_654_435_761)
    low = Math.imul(low ^ code, 1_597_334_677)
  }
  // The finish of MurmurHash3, across both halves.
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return `\u0000${token.length}.${(high >>> 0).toString(36)}.${(low >>> 0).toString(36)}`
}
