/**
 * The search of the site: guides before pages of operations, these before what programs import, each with a line of text around
 * what was found. It runs in the browser.
 */

/** A place of a page, with the text below its heading. */
export interface Part {
  readonly heading: string
  /** What an address ends in to lead there; empty at the top of the page. */
  readonly place: string
  readonly text: string
}

export type Kind = "guide" | "operation" | "reference" | "design" | "package"

/** A page that can be found. */
export interface Entry {
  readonly title: string
  readonly kind: Kind
  /** Its address below that of the site. */
  readonly url: string
  /** Words that readers look for and that the page does not say, or not as its subject. */
  readonly words: string
  /** How likely it is meant: a deprecated operation less than another. */
  readonly weight: number
  readonly parts: ReadonlyArray<Part>
}

/** A page that was found, at the place that says most about what was looked for. */
export interface Found {
  readonly entry: Entry
  readonly part: Part | undefined
  /** A line of text, with what was found in it marked by being at odd positions. */
  readonly line: ReadonlyArray<string>
}

const kinds: Readonly<Record<Kind, number>> = { guide: 2, operation: 1, reference: 0.5, design: 0.4, package: 0.4 }

/** Text as words: `marketCandles` is one, and also `market` and `candles`. */
export const tokens = (text: string): ReadonlyArray<string> =>
  (text.match(/[A-Za-z]+|\d+/g) ?? []).flatMap((word) => {
    const parts = word.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [word]
    return parts.length > 1 ? [stem(word), ...parts.map(stem)] : [stem(word)]
  })

/** A word without its ending, so that `candles` finds `candle`. */
const stem = (word: string) =>
  word
    .toLowerCase()
    .replace(/(?<=\w{3})(?:ies|y)$/, "i")
    .replace(/(?<=\w{3})(?:s|es|ed|ing|e)$/, "")

const small = new Set("a an and by do for from how i in is it of on or the to with".split(" "))

const termsOf = (query: string) => {
  const all = [...new Set(tokens(query))]
  const long = all.filter((term) => !small.has(term))
  return long.length === 0 ? all : long
}

interface Counted {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

const counted = (text: string): Counted => {
  const counts = new Map<string, number>()
  const all = tokens(text)
  for (const token of all) counts.set(token, (counts.get(token) ?? 0) + 1)
  return { counts, length: all.length }
}

const countOf = ({ counts }: Counted, term: string, isLast: boolean) => {
  const exact = counts.get(term) ?? 0
  // The last word may not have been typed to its end.
  if (exact > 0 || !isLast || term.length < 3) return exact
  for (const token of counts.keys()) if (token.startsWith(term)) return 0.5
  return 0
}

interface Indexed {
  readonly entry: Entry
  readonly title: Counted
  readonly words: Counted
  readonly parts: ReadonlyArray<{
    readonly part: Part
    readonly heading: Counted
    readonly text: Counted
    readonly plain: string
  }>
}

const plainOf = (text: string) => ` ${tokens(text).join(" ")} `

/** Prepares pages for {@link find}. */
export const index = (entries: ReadonlyArray<Entry>): ReadonlyArray<Indexed> =>
  entries.map((entry) => ({
    entry,
    title: counted(entry.title),
    words: counted(entry.words),
    parts: entry.parts.map((part) => ({
      part,
      heading: counted(part.heading),
      text: counted(part.text),
      plain: plainOf(`${part.heading} ${part.text}`)
    }))
  }))

/** The pages that have these words, or at least half of them, the best first. */
export const find = (pages: ReadonlyArray<Indexed>, query: string, most = 10): ReadonlyArray<Found> => {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const phrase = terms.length > 1 ? ` ${tokens(query).join(" ")} ` : undefined
  const rarity = new Map(terms.map((term) => [term, rarityOf(pages, term)]))
  return pages
    .flatMap((page) => {
      const scored = scoreOf(page, terms, rarity, phrase)
      return scored === undefined ? [] : [{ ...scored, entry: page.entry }]
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ entry, part }) => ({ entry, part, line: lineOf(part?.text ?? entry.parts[0]?.text ?? "", terms) }))
}

const has = ({ parts, title, words }: Indexed, term: string) =>
  title.counts.has(term) ||
  words.counts.has(term) ||
  parts.some(({ heading, text }) => heading.counts.has(term) || text.counts.has(term))

/** A word of few pages says more of what is meant. */
const rarityOf = (pages: ReadonlyArray<Indexed>, term: string) =>
  1 + Math.log(pages.length / (1 + pages.filter((page) => has(page, term)).length))

const scoreOf = (
  { entry, parts, title, words }: Indexed,
  terms: ReadonlyArray<string>,
  rarity: ReadonlyMap<string, number>,
  phrase: string | undefined
) => {
  const last = terms.at(-1)
  const sum = (score: (term: string) => number) =>
    terms.reduce((total, term) => total + score(term) * (rarity.get(term) ?? 1), 0)
  const count = (where: Counted, term: string) => countOf(where, term, term === last)
  const found = new Set<string>()
  const once = (where: Counted, term: string) => {
    const times = count(where, term)
    if (times > 0) found.add(term)
    return Math.min(times, 1)
  }
  const named = sum((term) => once(title, term) * (8 + 8 / title.length))
  // A title with one of several words is less than half of what was looked for.
  const top = named * (found.size / terms.length) + sum((term) => once(words, term) * 14)
  const scores = parts.map(({ heading, plain, text }) => {
    const own =
      sum((term) => once(heading, term) * 5) +
      sum((term) => {
        const times = count(text, term)
        if (times > 0) found.add(term)
        return (4 * times) / (times + 1 + text.length / 150)
      })
    return phrase !== undefined && plain.includes(phrase) ? own * 1.7 : own
  })
  if (found.size === 0 || found.size * 2 < terms.length) return undefined
  const share = found.size / terms.length
  const best = Math.max(0, ...scores)
  const others = scores.reduce((total, score) => total + score, 0) - best
  const score = (top + best + Math.min(others * 0.25, 8)) * kinds[entry.kind] * entry.weight * share ** 3
  return { score, part: best === 0 ? undefined : parts[scores.indexOf(best)]?.part }
}

/** Letters of a line beside what was found. */
const around = 70

const lineOf = (text: string, terms: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isFound = (word: string) => tokens(word).some((token) => terms.some((term) => token.startsWith(term)))
  const first = [...text.matchAll(/[A-Za-z]+|\d+/g)].find(([word]) => isFound(word))?.index ?? 0
  const from = first <= around ? 0 : text.indexOf(" ", first - around) + 1
  const cut = text.slice(from, first + 2 * around)
  const end = from + cut.length < text.length ? cut.replace(/\s\S*$/, " …") : cut
  const line = `${from > 0 ? "… " : ""}${end}`
  return line.split(/([A-Za-z]+|\d+)/).reduce<Array<string>>(
    (pieces, piece, position) => {
      const isMarked = position % 2 === 1 && isFound(piece)
      // Odd positions are marked: an unmarked piece is added to the one before.
      if (isMarked) return [...pieces, piece, ""]
      return [...pieces.slice(0, -1), `${pieces.at(-1) ?? ""}${piece}`]
    },
    [""]
  )
}
