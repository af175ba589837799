/**
 * How the parts of a backfill are divided among workflows. A workflow that is taken over by another worker looks up what it
 * has done so far, one row after the other, so none may have many children; and a part may cost few rows of the store, so the
 * lowest workflows have several parts each.
 */

/** The most children of a workflow. */
export const fanOut = 256

/** The most parts of a workflow without children. */
export const leafParts = 8

/** Consecutive parts, and how many of them each child has. */
export interface Span {
  /** The first part. */
  readonly first: number
  /** How many parts. */
  readonly parts: number
  /** Parts of each child, the last excepted; 0 in a span without children. */
  readonly childParts: number
}

/**
 * The span of all parts. Few parts have a workflow each, so that every worker gets some.
 */
export const root = (parts: number): Span => {
  let childParts = Math.max(1, Math.min(leafParts, Math.ceil(parts / fanOut)))
  while (childParts * fanOut < parts) childParts *= fanOut
  return { first: 0, parts, childParts }
}

/** The children of a span. */
export const children = ({ childParts, first, parts }: Span): ReadonlyArray<Span> => {
  if (childParts === 0) return []
  const inner = childParts > leafParts ? childParts / fanOut : 0
  return Array.from({ length: Math.ceil(parts / childParts) }, (_, index) => ({
    first: first + index * childParts,
    parts: Math.min(childParts, parts - index * childParts),
    childParts: inner
  }))
}

/** The lowest spans below this one, in order. */
export function* leaves(span: Span): Generator<Span> {
  if (span.childParts === 0) yield span
  for (const child of children(span)) yield* leaves(child)
}
