/**
 * How faults are written: values, the names that may follow a kind, and what a kind is declared as.
 */
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"
import * as Position from "./Position.ts"

/** The request header that carries a spec. */
export const requestHeader = "x-sandbox-fault"

/** Something that is written after an equals sign. */
export interface Value {
  /** Stands for the value where the grammar is shown. */
  readonly name: string
  readonly form: RegExp
  /** What is meant when it is left out; absent where it must be given. */
  readonly otherwise?: string
}

/** One of these words. */
export const words = (words: ReadonlyArray<string>, otherwise?: string): Value => ({
  name: words.join("|"),
  form: new RegExp(`^(?:${words.join("|")})$`),
  ...(otherwise === undefined ? {} : { otherwise })
})

/** A whole number of at most so many digits. */
export const digits = (name: string, most: number): Value => ({ name, form: new RegExp(`^\\d{1,${most}}$`) })

/** A number of bytes. */
export const bytes = digits("BYTES", 12)
/** A number of bytes of up to eight digits. */
export const padding = digits("BYTES", 8)
/** A number that counts from 1. */
export const ordinal: Value = { name: "N", form: /^[1-9]\d{0,11}$/ }
/** Name of a field. */
export const field: Value = { name: "FIELD", form: /^.+$/ }
/** A position in a body; see `Position`. */
export const position: Value = { name: "POSITION", form: Position.form }
/** A form of the rate-limit headers. */
export const form: Value = { name: "FORM", form: words(RateLimitHeaders.names).form }

/** Something that may follow a kind under a name. */
export interface Named {
  readonly value: Value
  readonly doc: string
}

const namedValues = {
  times: { value: digits("N", 9), doc: "only the first N matching requests" },
  after: { value: digits("N", 9), doc: "not the first N" },
  page: { value: { name: "N", form: /^[1-9]\d{0,8}$/ }, doc: "short for `after=N-1;times=1`" },
  on: {
    value: words(["start", "status", "result"]),
    doc: "only requests that start a job, ask for its status, or read a file of its results"
  },
  id: { value: { name: "WORD", form: /^[\w.-]+$/ }, doc: "a counter of its own: equal specs share one" },
  headers: { value: form, doc: "the X-RateLimit headers of the reply, in one of the forms below" },
  body: { value: words(["json", "html", "empty"]), doc: "the body of the error" },
  "retry-after": {
    value: { name: "WAIT", form: /^(?:-?\d{1,21}(?:\.\d{1,3})?|date:-?\d{1,9}|soon)$/ },
    doc: "a Retry-After header: seconds as they are written, or `date:SECONDS` from now, or `soon`"
  },
  status: { value: words(["301", "302", "303", "307", "308"]), doc: "the status of the redirect" },
  framing: {
    value: words(["chunked", "length", "none"]),
    doc: "the body is chunked, or announces the length of the whole, or ends with the connection"
  },
  every: { value: digits("MS", 7), doc: "the pause between two pieces, 10 by default" },
  size: { value: digits("BYTES", 7), doc: "the length of the header, 10000 by default" }
} satisfies Record<string, Named>

/** The names that may follow a kind. */
export type Name = keyof typeof namedValues

/** What may follow a kind, by name. */
export const names: Readonly<Record<Name, Named>> = namedValues

/** The names that every kind takes. */
export const common: ReadonlyArray<Name> = ["times", "after", "page", "on", "id", "headers"]

/** The part of the reply that a kind changes. */
export type Group = "head" | "instead" | "record" | "page" | "line" | "body" | "coding" | "header"

/** A kind of fault, as it is written down in the files of kinds. */
export interface Draft {
  readonly group: Group
  readonly value?: Value
  /** The names it takes beside those of every kind. */
  readonly names?: ReadonlyArray<Name>
  /** Continues "The reply …". */
  readonly doc: string
  /** A spec that strikes any page with records, or any json_stream. */
  readonly example: string
  /** What differs in memory; absent where nothing does. */
  readonly memory?: string
}

/** Shows how a name and its value are written. */
export const grammar = (name: string, value: Value | undefined): string =>
  value === undefined ? name : value.otherwise === undefined ? `${name}=${value.name}` : `${name}[=${value.name}]`

/** Tells whether a word is a name that may follow a kind. */
export const isName = (text: string): text is Name => Object.hasOwn(namedValues, text)
