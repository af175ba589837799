/**
 * How the parts of a backfill are divided among workflows. Each reads a batch, consecutive parts one after the other for as
 * long as a batch may take, and starts others for the rest: so a batch has many parts where they are small and one where
 * they are large, and what the engine writes for a workflow is shared by what is read in 4 seconds.
 *
 * The first batch is one that measures: it divides the rest by the time that its parts took. A part that takes longer than a
 * batch may is left alone, and the parts behind it go on without it. At most {@link most} batches wait for a slot at any
 * time, however many parts there are, so neither memory nor the time to take over from a worker grows with them.
 *
 * A workflow that waits for its children would not do. It lives as long as they do, and one that lives long cannot be moved to
 * a worker that joins: with Effect 4.1.0 its worker waits for its end, and the worker that joined for the shard.
 */

/** The most batches that wait. Far more than workers read at once, so that each has some whichever fall to it. */
export const most = 512

/** Parts from the first on, without the last. */
export interface Range {
  readonly first: number
  readonly end: number
}

/** The parts of a batch and of those that follow it. */
export interface Rest extends Range {
  /** Among how many batches they may be divided. */
  readonly share: number
  /** Milliseconds after which a batch begins no further part. */
  readonly lasts: number
}

/** How long a batch lasts: one that only measures is shorter, since nothing is read beside it. */
const lasts = { measuring: 250, reading: 4_000 } as const

/** The parts of a range, of which the first are measured where the others may be divided. */
export const begin = (range: Range, share: number): Rest => ({
  ...range,
  share,
  lasts: share > 1 ? lasts.measuring : lasts.reading
})

/**
 * Among how many batches the rest of one that measured is divided, unless they would last too long: enough that chance gives each of
 * some workers nearly as many. A batch costs as much as several small parts.
 */
const mostPieces = 128

/** Among how many batches the rest of a batch is divided whose parts take so many milliseconds each. */
export const piecesOf = ({ end, first, lasts: lasted, share }: Rest, millis: number): number => {
  const time = (end - first) * millis
  const pieces = Math.max(Math.min(mostPieces, time / lasted), time / lasts.reading)
  return Math.max(1, Math.min(share, end - first, Math.ceil(pieces)))
}

export const divide = ({ end, first, share }: Rest, pieces: number): ReadonlyArray<Rest> =>
  Array.from({ length: pieces }, (_, index) => ({
    first: first + Math.floor(((end - first) * index) / pieces),
    end: first + Math.floor(((end - first) * (index + 1)) / pieces),
    share: Math.max(1, Math.floor(share / pieces)),
    lasts: lasts.reading
  })).filter((piece) => piece.end > piece.first)

/**
 * The ranges of parts that are not done, at most so many: where there are more, those that the fewest done parts divide are
 * one, in which what is done is found by its name. `done` is in order.
 */
export const gapsOf = (done: ReadonlyArray<number>, parts: number, atMost: number): ReadonlyArray<Range> => {
  const gaps: Array<{ first: number; end: number }> = []
  let first = 0
  for (const part of [...done, parts]) {
    if (part > first) gaps.push({ first, end: part })
    first = part + 1
  }
  if (gaps.length <= atMost) return gaps
  const between = gaps.slice(1).map((gap, index) => ({ index: index + 1, length: gap.first - (gaps[index]?.end ?? 0) }))
  const kept = new Set(
    between
      .toSorted((a, b) => b.length - a.length)
      .slice(0, atMost - 1)
      .map(({ index }) => index)
  )
  const merged: Array<{ first: number; end: number }> = []
  for (const [index, gap] of gaps.entries()) {
    const last = merged.at(-1)
    if (last === undefined || kept.has(index)) merged.push({ ...gap })
    else last.end = gap.end
  }
  return merged
}
