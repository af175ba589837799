/**
 * Kinds of fault that change what the reply says: its records, its page, its lines.
 */
import { digits, padding, ordinal, field, type Draft } from "./Grammar.ts"

/** Change records, pages and lines. */
export const dataKinds = {
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
  }
} satisfies Record<string, Draft>
