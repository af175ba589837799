/**
 * Every kind of fault as data: how it is written, and what it does to the reply.
 */
import * as RateHeaders from "../RateHeaders.ts"
import * as Envelope from "./Envelope.ts"
import * as Headers from "./Headers.ts"
import * as KeyForm from "./KeyForm.ts"
import * as Position from "./Position.ts"

/** Something that is written after an equals sign. */
export interface Value {
  /** Stands for the value where the grammar is shown. */
  readonly name: string
  readonly form: RegExp
  /** What is meant when it is left out; absent where it must be given. */
  readonly otherwise?: string
}

const words = (words: ReadonlyArray<string>, otherwise?: string): Value => ({
  name: words.join("|"),
  form: new RegExp(`^(?:${words.join("|")})$`),
  ...(otherwise === undefined ? {} : { otherwise })
})

const digits = (name: string, most: number): Value => ({ name, form: new RegExp(`^\\d{1,${most}}$`) })

const bytes = digits("BYTES", 12)
const padding = digits("BYTES", 8)
const ordinal: Value = { name: "N", form: /^[1-9]\d{0,11}$/ }
const field: Value = { name: "FIELD", form: /^.+$/ }
const position: Value = { name: "POSITION", form: Position.form }
const form: Value = { name: "FORM", form: words(RateHeaders.names).form }

/** Something that may follow a kind under a name. */
export interface Named {
  readonly value: Value
  readonly doc: string
}

const namedValues = {
  times: { value: digits("N", 9), doc: "only the first N matching requests" },
  after: { value: digits("N", 9), doc: "not the first N" },
  page: { value: { name: "N", form: /^[1-9]\d{0,8}$/ }, doc: "short for `after=N-1;times=1`" },
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
export const common: ReadonlyArray<Name> = ["times", "after", "page", "id", "headers"]

/** The part of the reply that a kind changes. */
export type Group = "head" | "instead" | "record" | "page" | "line" | "body" | "coding" | "header"

interface Draft {
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

const drafts = {
  reset: {
    group: "head",
    doc: "never comes: the connection is reset before the headers",
    example: "reset",
    memory: "a `TransportError`"
  },
  close: {
    group: "head",
    doc: "never comes: the connection is closed in good order before the headers",
    example: "close",
    memory: "a `TransportError`"
  },
  garbage: {
    group: "head",
    doc: "is one line that is not HTTP, and the connection is closed",
    example: "garbage",
    memory: "a `TransportError`"
  },
  "content-length": {
    group: "head",
    value: { name: "TEXT", form: /^[\w+.-]{1,30}$/ },
    doc: "says that its eleven bytes are so many, such as `5`, `-1` or `many`, and the connection is closed",
    example: "content-length=5",
    memory: "a `TransportError`"
  },
  stall: { group: "head", doc: "never comes, and the socket stays open", example: "stall" },
  slow: {
    group: "head",
    value: digits("MS", 7),
    doc: "waits before its first byte, and before each further piece of its body",
    example: "slow=20"
  },
  status: {
    group: "instead",
    value: { name: "N", form: /^[2-5]\d\d$/ },
    names: ["body", "retry-after"],
    doc: "has this status, such as 410 of a path that is gone, and an error as its body",
    example: "status=503"
  },
  "error-body": {
    group: "instead",
    names: ["retry-after"],
    doc: 'is 200 with `{"error": …}`',
    example: "error-body"
  },
  redirect: {
    group: "instead",
    value: { name: "URL", form: /^https?:\/\/\S+$/ },
    names: ["status"],
    doc: "is 302 and leads to this URL; an origin alone is completed with the path and the query, the key among it",
    example: "redirect=http://elsewhere.invalid"
  },
  envelope: {
    group: "instead",
    value: { name: "FORM", form: words(Envelope.names).form },
    doc: `is 200 with a body that is no envelope: ${Envelope.names.map((name) => `\`${name}\``).join(", ")}`,
    example: "envelope=data-null"
  },
  "gzip-bomb": {
    group: "instead",
    value: bytes,
    doc: "is 200 with records without a field, so many bytes of them, compressed to a thousandth, asked for or not",
    example: "gzip-bomb=1000000",
    memory: "nothing unpacks it: the client sees the compressed bytes"
  },
  "extra-fields": {
    group: "record",
    doc: "has fields that no document lists",
    example: "extra-fields"
  },
  "wrong-type": {
    group: "record",
    value: field,
    doc: "has this field as a number, or an object, in its first record",
    example: "wrong-type=asset"
  },
  missing: { group: "record", value: field, doc: "lacks this field", example: "missing=asset" },
  "duplicate-keys": {
    group: "record",
    doc: "has the first key of every record twice; the second one is right",
    example: "duplicate-keys"
  },
  "proto-keys": {
    group: "record",
    doc: "has the keys `__proto__` and `constructor` in every record",
    example: "proto-keys"
  },
  number: {
    group: "record",
    value: { name: "NUMBER", form: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/ },
    doc: "has a field `sandbox_number` with this number, such as 9007199254740993 or 1e999, in every record",
    example: "number=9007199254740993"
  },
  deep: {
    group: "record",
    value: digits("LEVELS", 7),
    doc: "has a field `sandbox_deep` of so many nested arrays in its first record",
    example: "deep=5000"
  },
  "long-line": {
    group: "record",
    value: padding,
    doc: "has a field `sandbox_padding` that makes its first record so many bytes long",
    example: "long-line=100000"
  },
  "large-page": {
    group: "record",
    value: padding,
    doc: "has a field `sandbox_padding` in every record, of so many bytes over all records of the reply",
    example: "large-page=100000"
  },
  "empty-page": {
    group: "page",
    value: { ...ordinal, otherwise: "1" },
    doc: "is an empty page whose token leads to the real one, after N empty pages with a new token each",
    example: "empty-page"
  },
  removed: {
    group: "page",
    value: ordinal,
    doc: "is as if the service did not have the first N records of the list: with `after=1` they are removed after the first request, with `times=1` added",
    example: "removed=1"
  },
  overlap: {
    group: "page",
    value: ordinal,
    doc: "begins with the last N records of the page before, or with `paging_from=end` ends with its first",
    example: "overlap=1"
  },
  reversed: { group: "page", doc: "has its records in reverse order", example: "reversed" },
  tail: {
    group: "page",
    value: { name: "FIELD", form: /^[\w-]+$/, otherwise: "unsupported" },
    doc: "has, after its tokens, a list of this name, whose objects begin with the first key of the records",
    example: "tail"
  },
  "second-data": {
    group: "page",
    doc: "has, after its tokens, a second `data`, with the first record once more",
    example: "second-data"
  },
  warnings: {
    group: "page",
    value: digits("N", 7),
    doc: "has N warnings, after its tokens",
    example: "warnings=3"
  },
  "long-token": {
    group: "page",
    value: padding,
    doc: "names a next token that is so many bytes longer, and leads to the same place",
    example: "long-token=100"
  },
  "repeat-token": {
    group: "page",
    doc: "names the token it was asked with as the next (from the second page on)",
    example: "repeat-token"
  },
  "cycle-token": {
    group: "page",
    value: ordinal,
    doc: "leads from page N, or from the last one before it, back to the first page",
    example: "cycle-token=2"
  },
  "foreign-token": {
    group: "page",
    doc: "names the token of another query as the next, which is refused with 400",
    example: "foreign-token"
  },
  "foreign-next-url": {
    group: "page",
    value: { name: "ORIGIN", form: /^https?:\/\/[^/?#\s]+$/, otherwise: "http://elsewhere.invalid" },
    doc: "has a `next_page_url` that leads to another origin, the key among it",
    example: "foreign-next-url"
  },
  "truncate-line": {
    group: "line",
    value: digits("N", 12),
    doc: "ends cleanly after N whole lines",
    example: "truncate-line=1"
  },
  "cut-line": { group: "line", value: ordinal, doc: "ends cleanly in the middle of line N", example: "cut-line=1" },
  "error-line": {
    group: "line",
    value: ordinal,
    doc: 'has `{"error": …}` as line N, and ends',
    example: "error-line=1"
  },
  "blank-lines": { group: "line", doc: "has an empty line after every line", example: "blank-lines" },
  crlf: { group: "line", doc: "ends its lines with CR LF", example: "crlf" },
  "bom-line": {
    group: "line",
    value: ordinal,
    doc: "has a byte order mark at the beginning of line N",
    example: "bom-line=2"
  },
  "reset-after": {
    group: "body",
    value: position,
    doc: "breaks off: the connection is reset there",
    example: "reset-after=40",
    memory: "a `DecodeError` of the body"
  },
  "close-after": {
    group: "body",
    value: position,
    names: ["framing"],
    doc: "breaks off: the connection is closed there in good order, before the last chunk or the announced length",
    example: "close-after=40",
    memory: "a `DecodeError` of the body; with `framing=none` a clean end, as over a socket"
  },
  "stall-after": {
    group: "body",
    value: position,
    doc: "stops there, and the socket stays open",
    example: "stall-after=40"
  },
  "truncate-after": { group: "body", value: position, doc: "ends cleanly there", example: "truncate-after=40" },
  damage: {
    group: "body",
    value: bytes,
    doc: "has a control character in place of the byte at this position (0 is the first), so that it is no JSON",
    example: "damage=40"
  },
  drip: {
    group: "body",
    value: { name: "BYTES", form: /^[1-9]\d{0,7}$/ },
    names: ["every"],
    doc: "comes in pieces of so many bytes",
    example: "drip=1000;every=5"
  },
  endless: {
    group: "body",
    value: words(["spaces", "lines"], "spaces"),
    doc: "goes on after its end, with blanks or with empty lines, for as long as it is read",
    example: "endless"
  },
  bom: { group: "coding", doc: "has a byte order mark at its beginning", example: "bom" },
  "split-utf8": {
    group: "coding",
    doc: "has a field `sandbox_note` with characters beyond ASCII, and chunks that end within them",
    example: "split-utf8"
  },
  latin1: {
    group: "coding",
    doc: "has a field `sandbox_note` with a byte that is not UTF-8",
    example: "latin1"
  },
  "gzip-cut": {
    group: "coding",
    value: bytes,
    doc: "is compressed, asked for or not, and ends cleanly after so many compressed bytes",
    example: "gzip-cut=30",
    memory: "nothing unpacks it: the client sees the compressed bytes"
  },
  "gzip-corrupt": {
    group: "coding",
    value: { name: "BYTE|checksum", form: /^(?:\d{1,12}|checksum)$/, otherwise: "10" },
    doc: "is compressed, asked for or not, with eight bytes flipped: from this one on (10 is the first of the data), or the last",
    example: "gzip-corrupt",
    memory: "nothing unpacks it: the client sees the compressed bytes"
  },
  "content-encoding": {
    group: "coding",
    value: { name: "CODING", form: /^[\w.-]+$/ },
    doc: "says that it has this coding, such as `gzip`, and is not compressed",
    example: "content-encoding=gzip",
    memory: "nothing unpacks it: the client sees the header and the plain body"
  },
  deprecation: { group: "header", doc: "has the header `Deprecation: @1767225600`", example: "deprecation" },
  sunset: { group: "header", doc: "has the header `Sunset: Fri, 01 Jan 2027 00:00:00 GMT`", example: "sunset" },
  "content-type": {
    group: "header",
    value: { name: "TYPE", form: /^(?:none|[\w.+-]+\/[\w.+-]+)$/ },
    doc: "says that it has this type, such as `text/html`, or `none`",
    example: "content-type=text/html"
  },
  "large-header": {
    group: "header",
    value: digits("BYTES", 7),
    doc: "has a header `X-Sandbox-Padding` of so many bytes",
    example: "large-header=100000"
  },
  "long-header": {
    group: "header",
    value: words(Headers.longNames),
    names: ["size"],
    doc: "has this header at hostile length: nothing in it comes to an end",
    example: "long-header=Link"
  },
  "control-text": {
    group: "header",
    doc: "holds what acts on a terminal in CF-RAY, and, if it is an error or has warnings, in its messages",
    example: "status=403,control-text"
  },
  "echo-key": {
    group: "header",
    value: words(KeyForm.names, KeyForm.plain),
    doc: "holds the key in CF-RAY and X-RateLimit-Plan, and, if it is an error, the query with the key in its message, or the key in another form",
    example: "status=403,echo-key"
  },
  "rate-headers": {
    group: "header",
    value: form,
    names: ["retry-after"],
    doc: "has X-RateLimit headers of one of the forms below",
    example: "rate-headers=absurd"
  }
} satisfies Record<string, Draft>

/** The kinds of fault. */
export type Kind = keyof typeof drafts

/** One kind of fault. */
export interface Entry extends Draft {
  readonly kind: Kind
  /** How it is written, such as `status=N`. */
  readonly grammar: string
  readonly names: ReadonlyArray<Name>
}

const drafted: Readonly<Record<Kind, Draft>> = drafts

/** Shows how a name and its value are written. */
export const grammar = (name: string, value: Value | undefined): string =>
  value === undefined ? name : value.otherwise === undefined ? `${name}=${value.name}` : `${name}[=${value.name}]`

/** Every kind of fault. */
// Type boundary: Object.keys forgets the keys of the literal above.
export const kinds: ReadonlyArray<Kind> = Object.keys(drafts) as Array<Kind>

/** Every kind of fault, with its grammar and its effect. */
export const table: ReadonlyArray<Entry> = kinds.map((kind) => {
  const draft = drafted[kind]
  return { ...draft, kind, names: [...common, ...(draft.names ?? [])], grammar: grammar(kind, draft.value) }
})

const byKind = new Map<string, Entry>(table.map((entry) => [entry.kind, entry]))

/** Finds a kind by its name. */
export const find = (kind: string): Entry | undefined => byKind.get(kind)

/** Tells whether a word is a name that may follow a kind. */
export const isName = (text: string): text is Name => Object.hasOwn(namedValues, text)
