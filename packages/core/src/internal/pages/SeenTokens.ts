/**
 * The page tokens of one stream. A token that comes again leads back to a page already read, so the pages would never end.
 */

/** The most bytes of tokens that are remembered, whatever the service sends. */
const capacity = 20_000_000

/** What a token takes beside its text. */
const overhead = 100

/** Starts with the token of the first page, if it has one. */
export const make = (first: string | undefined) => {
  const seen = new Set(first === undefined ? [] : [first])
  let bytes = 0
  let count = 0
  let checkpoint: string | undefined
  let last = first
  return {
    /** Adds a token. Tells whether it was seen before. */
    isRepeated: (token: string): boolean => {
      if (seen.has(token) || token === checkpoint || token === last) return true
      last = token
      count += 1
      bytes += token.length + overhead
      if (bytes <= capacity) seen.add(token)
      // Brent's algorithm finds a cycle of tokens that are not kept: it waits for one token over ever longer spans.
      if ((count & (count - 1)) === 0) checkpoint = token
      return false
    }
  }
}

export type SeenTokens = ReturnType<typeof make>
