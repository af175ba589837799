/** The words of a column whose texts repeat, and their codes. */

/** Builds a dictionary that begins with these words. */
export const make = (first: Iterable<string>) => {
  const codes = new Map<string, number>()
  const all: Array<string> = []
  const codeOf = (word: string): number => {
    const known = codes.get(word)
    if (known !== undefined) return known
    codes.set(word, all.length)
    return all.push(word) - 1
  }
  for (const word of first) codeOf(word)
  let words: ReadonlyArray<string> = all.slice()
  return {
    /** The words up to the greatest of some codes that are not null, and to that of all calls before. */
    words: (codes: Int32Array, isNull: (index: number) => boolean): ReadonlyArray<string> => {
      if (words.length === all.length) return words
      const count = codes.reduce((most, code, index) => (code < most || isNull(index) ? most : code + 1), words.length)
      // A column that was given keeps the words of its time.
      if (count > words.length) words = all.slice(0, count)
      return words
    },
    codeOf
  }
}

/** The words of a column. Those that its records bring are added, so a word keeps its code. */
export type Dictionary = ReturnType<typeof make>
