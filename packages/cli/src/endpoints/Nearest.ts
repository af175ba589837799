/** Sentences that suggest names. */
import { nearest } from "@sluice/core/Nearest"

/** Those of some words that are spelled alike. */
export const among = (text: string, words: ReadonlyArray<string>): ReadonlyArray<string> =>
  nearest(
    text,
    words.map((value) => ({ value, names: [value] }))
  )

/** Names as a question has them: in quotes, since a name may be a word of the sentence. */
export const quoted = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(" or ")

/** The end of a sentence that names what was perhaps meant; nothing without suggestions. */
export const meant = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `; did you mean ${quoted(suggestions)}?`
