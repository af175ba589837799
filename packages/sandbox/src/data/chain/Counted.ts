/** Records of which each block has some: counted and found without walking the chain. */
import * as Listing from "../../internal/listing/Listing.ts"

export interface Source<A> {
  readonly length: number
  readonly at: (position: number) => A
}

/** What follows from a height repeats after so many blocks, from the first hundred on. */
const period = 100

const below = (of: (height: number) => ReadonlyArray<unknown>): ((height: number) => number) => {
  const sums = [0]
  for (let height = 0; height < 2 * period; height++) sums.push((sums[height] ?? 0) + of(height).length)
  const [first = 0, second = 0] = [sums[period], sums[2 * period]]
  return (height) => {
    if (height <= 2 * period) return sums[Math.max(0, height)] ?? 0
    const beyond = height - period
    return (sums[period + (beyond % period)] ?? 0) + Math.floor(beyond / period) * (second - first)
  }
}

/** The records of the blocks from one height to another; `of` gives those of one, as many as its period says. */
export const blocks = <A>(of: (height: number) => ReadonlyArray<A>, first: number, last: number): Source<A> => {
  const sum = below(of)
  const skipped = sum(first)
  let [known, records] = [-1, of(first)]
  return {
    length: last < first ? 0 : sum(last + 1) - skipped,
    at: (position) => {
      const place = position + skipped
      const height = first + Listing.firstThat(last - first, (n) => sum(first + n + 1) > place)
      if (height !== known) [known, records] = [height, of(height)]
      // Type boundary: positions asked for are below the length, and each block has as many records as were counted.
      return records[place - sum(height)] as A
    }
  }
}

export const slice = <A>(self: Source<A>, from: number, to: number): Source<A> => ({
  length: Math.max(0, Math.min(to, self.length) - Math.max(0, from)),
  at: (position) => self.at(position + Math.max(0, from))
})
