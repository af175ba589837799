/** How faults are written: values, the names that may follow a kind, and what a kind is declared as. */
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"

/** The request header that carries a spec. */
export const requestHeader = "x-sandbox-fault"

/** Something that is written after an equals sign. */
export interface Value {
  /** Stands for the value where the grammar is shown. */
  readonly name: string
  /** What a value looks like. */
  readonly form: RegExp
  /** What stands for the name, where that says too little. */
  readonly means?: string
  /** What is meant when it is left out; absent where it must be given. */
  readonly otherwise?: string
  /** What examples have. */
  readonly example?: string
}

/** One of these words. */
export const words = (words: ReadonlyArray<string>, otherwise?: string): Value => ({
  name: words.join("|"),
  form: new RegExp(`^(?:${words.join("|")})$`),
  ...(otherwise === undefined ? {} : { otherwise })
})

/** A whole number of at most so many digits. */
export const digits = (name: string, most: number, example = "1"): Value => ({
  name,
  form: new RegExp(`^\\d{1,${most}}$`),
  example
})

/** A number of bytes. */
export const bytes = digits("BYTES", 12, "40")
/** A number of bytes of up to eight digits. */
export const padding = digits("BYTES", 8, "100000")
/** A number that counts from 1. */
export const ordinal: Value = { name: "N", form: /^[1-9]\d{0,11}$/, example: "1" }
/** Name of a field. */
export const field: Value = { name: "FIELD", form: /^.+$/, example: "asset" }
/** A position in a body. */
export const position: Value = {
  name: "POSITION",
  form: /^(?:(?:(record|within):)?)(\d{1,12})$/,
  means:
    "a number of bytes before compression, or `record:3`, right after the third record, or `within:3`, in the middle of it",
  example: "40"
}
/** A form of the rate-limit headers. */
export const form: Value = {
  name: "FORM",
  form: words(RateLimitHeaders.names).form,
  means: RateLimitHeaders.names.map((name) => `\`${name}\``).join(", ")
}

/** Something that may follow a kind under a name. */
export interface Named {
  /** The value it takes. */
  readonly value: Value
  /** What it means. */
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
  headers: { value: form, doc: "the X-RateLimit headers of the reply, in a form of `rate-headers`" },
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

/** A kind of fault, as it is written down in the tables. */
export interface Draft<Name> {
  /** The value it takes; absent where it takes none. */
  readonly value?: Value
  /** The names it takes beside those of every kind. */
  readonly names?: ReadonlyArray<Name>
  /** What it does. */
  readonly doc: string
  /** A spec that strikes any page with records, or any json_stream; follows from the kind where not said. */
  readonly example?: string
  /** What differs in memory; absent where nothing does. */
  readonly memory?: string
}

/** One kind of fault. */
export interface Entry<Kind, Group, Name> extends Draft<Name> {
  /** The word that names it. */
  readonly kind: Kind
  /** The part of the reply, or of the connection, that it changes. */
  readonly group: Group
  /** How it is written, such as `status=N`. */
  readonly grammar: string
  /** The names it takes. */
  readonly names: ReadonlyArray<Name>
  /** A spec that strikes any page with records, or any json_stream. */
  readonly example: string
}

/** Shows how a name and its value are written. */
export const grammar = (name: string, value: Value | undefined): string =>
  value === undefined ? name : value.otherwise === undefined ? `${name}=${value.name}` : `${name}[=${value.name}]`

const exampleOf = (kind: string, value: Value | undefined): string =>
  value?.example === undefined || value.otherwise !== undefined ? kind : `${kind}=${value.example}`

/** Completes the kinds of a table. */
export const entries = <Kind extends string, Group extends string, Name extends string>(
  drafts: Readonly<Record<Group, Readonly<Record<string, Draft<Name>>>>>,
  common: ReadonlyArray<Name>
): ReadonlyArray<Entry<Kind, Group, Name>> =>
  Object.entries<Readonly<Record<string, Draft<Name>>>>(drafts).flatMap(([group, kinds]) =>
    Object.entries(kinds).map(([kind, draft]) => ({
      example: exampleOf(kind, draft.value),
      ...draft,
      // Type boundary: Object.entries forgets the keys of the drafts.
      kind: kind as Kind,
      group: group as Group,
      names: [...common, ...(draft.names ?? [])],
      grammar: grammar(kind, draft.value)
    }))
  )
