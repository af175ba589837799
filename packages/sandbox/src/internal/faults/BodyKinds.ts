/**
 * Kinds of fault that change how the reply is sent: its body, its coding, its headers.
 */
import * as KeyForm from "./KeyForm.ts"
import * as LongHeader from "./LongHeader.ts"
import { words, digits, bytes, position, form, type Draft } from "./Grammar.ts"

/** Change the body, its coding and the headers. */
export const wireKinds = {
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
    value: words(LongHeader.names),
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
