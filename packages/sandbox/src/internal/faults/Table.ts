/** Every kind of fault of a reply as data: how it is written, and what it does. */
import * as Grammar from "./Grammar.ts"
import { bytes, digits, type Draft, field, form, type Name, ordinal, padding, position, words } from "./Grammar.ts"
import * as KeyForm from "./KeyForm.ts"

/** Bodies that are JSON, or nothing at all, but no envelope. */
export const envelopes: Readonly<Record<string, string>> = {
  null: "null",
  array: "[]",
  string: '"data"',
  number: "0",
  "no-data": "{}",
  "data-null": '{"data":null}',
  "data-object": '{"data":{}}',
  nothing: ""
}

/**
 * Headers of hostile length: a beginning that is read, and then the same again and again, which costs most to whoever looks for an
 * end.
 */
export const longHeaders: Readonly<Record<string, readonly [begin: string, again: string]>> = {
  Link: ["<", "<"],
  Deprecation: ["@1", " "],
  Sunset: ["Fri, 01 Jan", " "],
  "X-RateLimit-Limit": ["10, 10;w=6", ", 10;w=6"],
  "Retry-After": ["1", "0"],
  "Content-Type": ["application/json", "; a=b"]
}

/** The kinds by the part of the reply that they change. A doc continues "The reply …". */
const drafts = {
  head: {
    reset: { doc: "never comes: the connection is reset before the headers", memory: "a `TransportError`" },
    close: {
      doc: "never comes: the connection is closed in good order before the headers",
      memory: "a `TransportError`"
    },
    garbage: { doc: "is one line that is not HTTP, and the connection is closed", memory: "a `TransportError`" },
    "content-length": {
      value: { name: "TEXT", form: /^[\w+.-]{1,30}$/, example: "5" },
      doc: "says that its eleven bytes are so many, such as `5`, `-1` or `many`, and the connection is closed",
      memory: "a `TransportError`"
    },
    stall: { doc: "never comes, and the socket stays open" },
    slow: {
      value: digits("MS", 7, "20"),
      doc: "waits before its first byte, and before each further piece of its body"
    }
  },
  instead: {
    status: {
      value: { name: "N", form: /^[2-5]\d\d$/, example: "503" },
      names: ["body", "retry-after"],
      doc: "has this status, such as 410 of a path that is gone, and an error as its body"
    },
    "error-body": { names: ["retry-after"], doc: 'is 200 with `{"error": …}`' },
    redirect: {
      value: { name: "URL", form: /^https?:\/\/\S+$/, example: "http://elsewhere.invalid" },
      names: ["status"],
      doc: "is 302 and leads to this URL; an origin alone is completed with the path and the query, the key among it"
    },
    envelope: {
      value: { name: "FORM", form: words(Object.keys(envelopes)).form, example: "data-null" },
      doc: `is 200 with a body that is no envelope: ${Object.keys(envelopes)
        .map((name) => `\`${name}\``)
        .join(", ")}`
    },
    "gzip-bomb": {
      value: bytes,
      doc: "is 200 with records without a field, so many bytes of them, compressed to a thousandth, asked for or not",
      example: "gzip-bomb=1000000",
      memory: "nothing unpacks it: the client sees the compressed bytes"
    }
  },
  record: {
    "extra-fields": { doc: "has fields that no document lists" },
    "wrong-type": { value: field, doc: "has this field as a number, or an object, in its first record" },
    missing: { value: field, doc: "lacks this field" },
    "duplicate-keys": { doc: "has the first key of every record twice; the second one is right" },
    "proto-keys": { doc: "has the keys `__proto__` and `constructor` in every record" },
    number: {
      value: { name: "NUMBER", form: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/, example: "9007199254740993" },
      doc: "has a field `sandbox_number` with this number, such as 9007199254740993 or 1e999, in every record"
    },
    deep: {
      value: digits("LEVELS", 7, "5000"),
      doc: "has a field `sandbox_deep` of so many nested arrays in its first record"
    },
    "long-line": {
      value: padding,
      doc: "has a field `sandbox_padding` that makes its first record so many bytes long"
    },
    "large-page": {
      value: padding,
      doc: "has a field `sandbox_padding` in every record, of so many bytes over all records of the reply"
    }
  },
  page: {
    "empty-page": {
      value: { ...ordinal, otherwise: "1" },
      doc: "is an empty page whose token leads to the real one, after N empty pages with a new token each"
    },
    removed: {
      value: ordinal,
      doc: "is as if the service did not have the first N records of the list: with `after=1` they are removed after the first request, with `times=1` added"
    },
    overlap: {
      value: ordinal,
      doc: "begins with the last N records of the page before, or with `paging_from=end` ends with its first"
    },
    reversed: { doc: "has its records in reverse order" },
    tail: {
      value: { name: "FIELD", form: /^[\w-]+$/, otherwise: "unsupported" },
      doc: "has, after its tokens, a list of this name, whose objects begin with the first key of the records"
    },
    "second-data": { doc: "has, after its tokens, a second `data`, with the first record once more" },
    warnings: { value: digits("N", 7, "3"), doc: "has N warnings, after its tokens" },
    "long-token": {
      value: padding,
      doc: "names a next token that is so many bytes longer, and leads to the same place",
      example: "long-token=100"
    },
    "repeat-token": { doc: "names the token it was asked with as the next (from the second page on)" },
    "cycle-token": {
      value: ordinal,
      doc: "leads from page N, or from the last one before it, back to the first page",
      example: "cycle-token=2"
    },
    "foreign-token": { doc: "names the token of another query as the next, which is refused with 400" },
    "foreign-next-url": {
      value: { name: "ORIGIN", form: /^https?:\/\/[^/?#\s]+$/, otherwise: "http://elsewhere.invalid" },
      doc: "has a `next_page_url` that leads to another origin, the key among it"
    }
  },
  line: {
    "truncate-line": { value: digits("N", 12, "1"), doc: "ends cleanly after N whole lines" },
    "cut-line": { value: ordinal, doc: "ends cleanly in the middle of line N" },
    "error-line": { value: ordinal, doc: 'has `{"error": …}` as line N, and ends' },
    "blank-lines": { doc: "has an empty line after every line" },
    crlf: { doc: "ends its lines with CR LF" },
    "bom-line": { value: ordinal, doc: "has a byte order mark at the beginning of line N", example: "bom-line=2" }
  },
  body: {
    "reset-after": {
      value: position,
      doc: "breaks off: the connection is reset there",
      memory: "a `DecodeError` of the body"
    },
    "close-after": {
      value: position,
      names: ["framing"],
      doc: "breaks off: the connection is closed there in good order, before the last chunk or the announced length",
      memory: "a `DecodeError` of the body; with `framing=none` a clean end, as over a socket"
    },
    "stall-after": { value: position, doc: "stops there, and the socket stays open" },
    "truncate-after": { value: position, doc: "ends cleanly there" },
    damage: {
      value: bytes,
      doc: "has a control character in place of the byte at this position (0 is the first), so that it is no JSON"
    },
    drip: {
      value: { name: "BYTES", form: /^[1-9]\d{0,7}$/ },
      names: ["every"],
      doc: "comes in pieces of so many bytes",
      example: "drip=1000;every=5"
    },
    endless: {
      value: words(["spaces", "lines"], "spaces"),
      doc: "goes on after its end, with blanks or with empty lines, for as long as it is read"
    }
  },
  coding: {
    bom: { doc: "has a byte order mark at its beginning" },
    "split-utf8": { doc: "has a field `sandbox_note` with characters beyond ASCII, and chunks that end within them" },
    latin1: { doc: "has a field `sandbox_note` with a byte that is not UTF-8" },
    "gzip-cut": {
      value: bytes,
      doc: "is compressed, asked for or not, and ends cleanly after so many compressed bytes",
      example: "gzip-cut=30",
      memory: "nothing unpacks it: the client sees the compressed bytes"
    },
    "gzip-corrupt": {
      value: { name: "BYTE|checksum", form: /^(?:\d{1,12}|checksum)$/, otherwise: "10" },
      doc: "is compressed, asked for or not, with eight bytes flipped: from this one on (10 is the first of the data), or the last",
      memory: "nothing unpacks it: the client sees the compressed bytes"
    },
    "content-encoding": {
      value: { name: "CODING", form: /^[\w.-]+$/, example: "gzip" },
      doc: "says that it has this coding, such as `gzip`, and is not compressed",
      memory: "nothing unpacks it: the client sees the header and the plain body"
    }
  },
  header: {
    deprecation: { doc: "has the header `Deprecation: @1767225600`" },
    sunset: { doc: "has the header `Sunset: Fri, 01 Jan 2027 00:00:00 GMT`" },
    "content-type": {
      value: { name: "TYPE", form: /^(?:none|[\w.+-]+\/[\w.+-]+)$/, example: "text/html" },
      doc: "says that it has this type, such as `text/html`, or `none`"
    },
    "large-header": { value: digits("BYTES", 7, "100000"), doc: "has a header `X-Sandbox-Padding` of so many bytes" },
    "long-header": {
      value: words(Object.keys(longHeaders)),
      names: ["size"],
      doc: "has this header at hostile length: nothing in it comes to an end",
      example: "long-header=Link"
    },
    "control-text": {
      doc: "holds what acts on a terminal in CF-RAY, and, if it is an error or has warnings, in its messages",
      example: "status=403,control-text"
    },
    "echo-key": {
      value: words(KeyForm.names, KeyForm.plain),
      doc: "holds the key in CF-RAY and X-RateLimit-Plan, and, if it is an error, the query with the key in its message, or the key in another form",
      example: "status=403,echo-key"
    },
    "rate-headers": {
      value: form,
      names: ["retry-after"],
      doc: "has X-RateLimit headers of this form",
      example: "rate-headers=absurd"
    }
  }
} satisfies Record<string, Record<string, Draft<Name>>>

/** The part of the reply that a kind changes. */
export type Group = keyof typeof drafts

/** The kinds of fault. */
export type Kind = { [G in Group]: keyof (typeof drafts)[G] }[Group]

/** Every kind of fault, with its grammar and its effect. */
export const table: ReadonlyArray<Grammar.Entry<Kind, Group, Name>> = Grammar.entries<Kind, Group, Name>(
  drafts,
  Grammar.common
)

/** The kinds that change a part of the reply. */
export const ofGroup = (group: Group): ReadonlyArray<Kind> =>
  table.filter((entry) => entry.group === group).map(({ kind }) => kind)
