/**
 * The page tokens of one stream. A token that comes again leads back to a page already read, so the pages would never end.
 *
 * Memory is bounded whatever the service sends, to some 20 MB: a token is remembered as a text of at most 32 characters, and
 * only the latest one or two hundred thousand are kept.
 */

/** The tokens seen so far. */
export interface SeenTokens {
  /** Adds a token. Tells whether it was seen before. */
  readonly isRepeated: (token: string) => boolean
}

const capacity = 100_000

/** Tokens up to this length are kept as they are. */
const maxVerbatim = 24

/** Starts with the token of the first page, if it has one. */
export const make = (first: string | undefined): SeenTokens => {
  // Two sets: deleting the oldest entries of a single set one by one would take quadratic time.
  let recent = new Set(first === undefined ? [] : [fingerprint(first)])
  let older: ReadonlySet<string> = new Set()
  let count = 0
  let checkpoint: string | undefined
  return {
    isRepeated: (token) => {
      const name = fingerprint(token)
      if (recent.has(name) || older.has(name) || name === checkpoint) return true
      count += 1
      recent.add(name)
      if (recent.size >= capacity) {
        older = recent
        recent = new Set()
      }
      // Brent's algorithm finds a cycle longer than what is kept: it waits for one token over ever longer spans.
      if ((count & (count - 1)) === 0) checkpoint = name
      return false
    }
  }
}

/**
 * A text of bounded length that represents a token: the token itself if it is short, else its length and a 64-bit hash.
 * The probability that two of a hundred thousand tokens collide is 3 in ten thousand million.
 */
export const fingerprint = (token: string): string => {
  if (token.length <= maxVerbatim) return token
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < token.length; at++) {
    const code = token.charCodeAt(at)
    high = Math.imul(high ^ code, 2_654_435_761)
    low = Math.imul(low ^ code, 1_597_334_677)
  }
  // The final step of MurmurHash3, across both halves.
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return `\u0000${token.length}.${(high >>> 0).toString(36)}.${(low >>> 0).toString(36)}`
}
