/**
 * Names that are spelled alike.
 *
 * Effect's command line has such suggestions for flags and commands, but does not export them.
 */

/** A value and its names. */
export interface Candidate {
  /** What is suggested. */
  readonly value: string
  /** What a text is compared with. */
  readonly names: ReadonlyArray<string>
}

/** The longest text that is compared. Names are shorter, and the work grows with the square. */
const longest = 64

/** The most edits between names that are similar. */
const mostEdits = 6

/** The values whose names are most similar to a text, at most three; none where nothing is similar. */
export const nearest = (text: string, candidates: ReadonlyArray<Candidate>): ReadonlyArray<string> => {
  if (text.length > longest) return []
  const typed = text.toLowerCase()
  const allowed = allowedFor(typed)
  const scored = candidates
    .map(({ names, value }) => ({ value, score: Math.min(...names.map((name) => score(typed, name.toLowerCase()))) }))
    .filter(({ score }) => score <= allowed)
    .toSorted((a, b) => a.score - b.score)
  const best = scored[0]?.score ?? 0
  return scored
    .filter(({ score }) => score === best)
    .slice(0, 3)
    .map(({ value }) => value)
}

/**
 * The edit distance of two names. It is 1 for a name that begins or ends with what was typed, or whose last part was
 * typed.
 */
const score = (typed: string, name: string) => {
  if (typed.length > 2 && name !== typed && (name.startsWith(typed) || name.endsWith(typed))) return 1
  const whole = distance(typed, name)
  const [last, lastTyped] = [lastPart(name), lastPart(typed)]
  return last === name || lastTyped === typed ? whole : Math.min(whole, 1 + distance(lastTyped, last))
}

const lastPart = (name: string) => name.split("/").at(-1) ?? ""

/** How many edits a text may be from a name it means. */
const allowedFor = (typed: string) => Math.min(mostEdits, Math.max(2, Math.floor(typed.length / 3)))

/** The edit distance to a similar name, and infinity to others. */
const distance = (typed: string, name: string) => {
  const allowed = allowedFor(typed)
  // Each missing letter is an edit.
  const found = Math.abs(typed.length - name.length) > allowed ? Infinity : edits(typed, name)
  return found > allowed || found >= name.length ? Infinity : found
}

/** Letters swapped are nearer than others: the same letters were meant. */
const swap = 0.9

/** The edit distance: letters to insert, delete or replace, or neighbours to swap. */
const edits = (a: string, b: string): number => {
  let before: Array<number> = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const ways = [row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)]
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(before[j - 2]! + swap)
      next.push(Math.min(...ways))
    }
    before = row
    row = next
  }
  return row[b.length]!
}
