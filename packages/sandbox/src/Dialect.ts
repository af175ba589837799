/**
 * Dialects: how a service may speak where what is published is silent or contradicts itself.
 *
 * **Details**
 *
 * A dialect has one word for each open question. The first word of a question is the better supported one, and what the stand-in
 * does unless told otherwise. A client must be right whatever the words are.
 *
 * **Example** (A service that takes a limit from the newest records)
 *
 * ```ts
 * Sandbox.layer({ dialect: { limit: "latest" } })
 * ```
 */
import * as Result from "effect/Result"
import * as Noise from "./internal/random/Noise.ts"

/** An open question about the service. */
export interface Question {
  /** The possible answers, the better supported one first. */
  readonly words: readonly [string, ...Array<string>]
  /** What is asked. */
  readonly asks: string
  /** The section of docs/interface.md. */
  readonly section: string
}

/** Every open question, by name. */
export const questions = {
  unknownParameters: {
    words: ["reject", "ignore"],
    asks: "Is a parameter that the endpoint does not know refused with 400, or ignored?",
    section: "1.2"
  },
  disabledParameters: {
    words: ["reject", "ignore"],
    asks: "Is a parameter that the community root has disabled refused with 400, or ignored?",
    section: "1.5"
  },
  limit: {
    words: ["paging_from", "latest"],
    asks: "Does limit_per_* take the first records where paging_from is start, and with json_stream, or always the latest?",
    section: "4.6.1"
  },
  endDate: {
    words: ["day", "midnight"],
    asks: "Does a date without a time as the end of a range cover that whole day, or end at its midnight?",
    section: "14.2"
  },
  excludedDate: {
    words: ["day", "instant"],
    asks: "With end_inclusive=false, does a date as the end exclude the whole day, or only its last instant?",
    section: "14.2"
  },
  requestDigits: {
    words: ["9", "6", "3"],
    asks: "To how many digits of a second is a time parameter read, which may have nine?",
    section: "14.2"
  },
  bookUpdates: {
    words: ["enforced", "lenient"],
    asks: "Is dataset=updates refused with other depths, formats, granularities and directions than the published ones?",
    section: "4.6.4"
  },
  catalogPage: {
    words: ["100", "10000"],
    asks: "How many records has a page of catalog-v2 where page_size is absent?",
    section: "4.9"
  },
  emptyLastPage: {
    words: ["no", "yes"],
    asks: "Does an empty page follow where the records fill the pages exactly?",
    section: "2.3"
  },
  noValue: { words: ["null", "absent"], asks: "Is a metric without a value null, or absent?", section: "3.12" },
  emptySide: {
    words: ["absent", "zero"],
    asks: "Is a side of a quote without orders absent, or are its price and size 0?",
    section: "3.13"
  },
  flatCandles: { words: ["present", "absent"], asks: "Is there a candle where nothing was traded?", section: "12.4" },
  bookSnapshots: {
    words: ["amid", "redundant", "first"],
    asks: "Do snapshots come amid updates, also redundant ones of the same time and id, or only at the beginning?",
    section: "4.6.4"
  },
  constituentOrder: {
    words: ["ascending", "newest"],
    asks: "Do timeframes of constituents ascend by their start, or does the newest come first?",
    section: "4.10"
  },
  balanceUpdates: {
    words: ["array", "object"],
    asks: "Are the balance_updates of a transaction in a job's file an array, or one object?",
    section: "13.3"
  },
  lastLine: {
    words: ["open", "ended"],
    asks: "Does the last line of a job's file lack its line feed?",
    section: "13.3"
  },
  sequence: {
    words: ["zero", "one", "even", "jumps"],
    asks: "Does cm_sequence_id count from 0, from 1, in steps of 2, or with jumps now and then?",
    section: "6.4"
  },
  leavingLevels: {
    words: ["removed", "silent"],
    asks: "Is a level that leaves the hundred of a live book removed by an update, or does nothing tell of it?",
    section: "6.4"
  },
  protocolWarnings: {
    words: ["object", "array", "plural"],
    asks: "Is the warning of the protocols endpoint an object, an array, or an array named warnings?",
    section: "2.8"
  },
  rateLimitHeaders: {
    words: ["standard", "plain", "none", "malformed"],
    asks: "Is X-RateLimit-Limit `10, 10;w=6`, or `10`, is there none, or none that can be read?",
    section: "8.2"
  },
  retryAfter: { words: ["no", "yes"], asks: "Has a 429 a Retry-After?", section: "8.3" },
  countRejected: { words: ["no", "yes"], asks: "Does a rejected request count towards the window?", section: "8.3" },
  rejectedBody: { words: ["json", "html"], asks: "Is the body of a 429 an error object, or HTML?", section: "7.2" }
} as const satisfies Readonly<Record<string, Question>>

/** The name of a question. */
export type Name = keyof typeof questions

/** One answer to each open question. */
export type Dialect = { readonly [N in Name]: (typeof questions)[N]["words"][number] }

/** The names of all questions. */
// Type boundary: the names of a literal object are its keys.
export const names = Object.keys(questions) as ReadonlyArray<Name>

const from = (word: (name: Name) => string): Dialect =>
  // Type boundary: each question gets one of its words.
  Object.fromEntries(names.map((name) => [name, word(name)])) as unknown as Dialect

/** The better supported answers. */
export const usual: Dialect = from((name) => questions[name].words[0])

/** Draws a dialect; the same seed gives the same one. */
export const draw = (seed: number): Dialect => from((name) => Noise.pick(seed, Noise.seed(name), questions[name].words))

/** A text that is no dialect. */
export interface NotDialect {
  /** The text that was given. */
  readonly text: string
  /** Why it is none. */
  readonly reason: string
}

/** Parses `name=word;name=word`; commas separate too. */
export const parse = (text: string): Result.Result<Partial<Dialect>, NotDialect> => {
  const found: Record<string, string> = {}
  for (const part of text.split(/[;,]/).filter((part) => part.trim() !== "")) {
    const [name = "", word = ""] = part.split("=").map((side) => side.trim())
    const question = names.find((known) => known === name)
    if (question === undefined)
      return Result.fail({ text, reason: `there is no question ${JSON.stringify(name)}; --questions lists them` })
    const words: ReadonlyArray<string> = questions[question].words
    if (!words.includes(word)) return Result.fail({ text, reason: `${name} is one of ${words.join(", ")}` })
    found[name] = word
  }
  // Type boundary: each name was found among the questions, and its word among theirs.
  return Result.succeed(found as Partial<Dialect>)
}

/** Writes what differs from the better supported answers, as `parse` reads it; empty where nothing does. */
export const format = (dialect: Partial<Dialect>): string =>
  names
    .filter((name) => dialect[name] !== undefined && dialect[name] !== usual[name])
    .map((name) => `${name}=${dialect[name]}`)
    .join(";")
