/**
 * How the parts of a backfill are divided among workflows, called leaves here: each has some consecutive parts, and starts
 * another when it ends. So as many are under way at any time as there are chains, however many parts there are; none waits for
 * another, and what a worker repeats when it takes over a leaf is that leaf alone.
 *
 * A workflow that waits for its children would not do. It lives as long as they do, and one that lives long cannot be moved to
 * a worker that joins: with Effect 4.1.0 its worker waits for its end, and the worker that joined for the shard.
 */

/** The most parts of a leaf: the more, the fewer rows of the store a part costs. */
const mostParts = 8

/** The most leaves under way. Far more than workers read at once, so that each has some whichever leaves fall to it. */
export const chains = 1_024

/** How many parts each leaf has, the last excepted. Few parts have a leaf each, so that every worker gets some. */
export const partsOf = (parts: number): number => Math.max(1, Math.min(mostParts, Math.ceil(parts / chains)))

/** How many leaves there are. */
export const count = (parts: number): number => Math.ceil(parts / partsOf(parts))

/** Indexes of the parts of a leaf. */
export const parts = (leaf: number, all: number): ReadonlyArray<number> => {
  const size = partsOf(all)
  const first = leaf * size
  return Array.from({ length: Math.min(size, all - first) }, (_, index) => first + index)
}
