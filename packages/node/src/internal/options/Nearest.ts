/**
 * The name of an option that was perhaps meant by another. The command has a search of its own (`@sluice/cli`), since a
 * flag may mean several things by several names; Effect does not export that of its command line.
 */

/** The longest name that is compared: the work grows with the square. */
const longest = 40

/** The name that differs least from a text, in at most a third of its letters; nothing where none is like it. */
export const nearest = (text: string, names: ReadonlyArray<string>): string | undefined => {
  const typed = plain(text)
  if (typed.length > longest) return undefined
  let found: string | undefined
  let least = Math.max(2, Math.floor(typed.length / 3)) + 1
  for (const name of names) {
    const edits = distance(typed, plain(name))
    if (edits < least && edits < name.length) [found, least] = [name, edits]
  }
  return found
}

/** `API_KEY` and `api-key` are `apiKey` in another style. */
const plain = (name: string) => name.replaceAll(/[_\s-]/g, "").toLowerCase()

/** The number of letters to insert, delete or replace. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [above, letter] of Array.from(a).entries()) {
    const next = [above + 1]
    for (const [at, other] of Array.from(b).entries()) {
      next.push(Math.min(row[at + 1]! + 1, next[at]! + 1, row[at]! + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
