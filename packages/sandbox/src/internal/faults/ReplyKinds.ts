/**
 * Kinds of fault that keep the reply back, or send another in its place.
 */
import * as NotEnvelope from "./NotEnvelope.ts"
import { words, digits, bytes, type Draft } from "./Grammar.ts"

/** Keep or replace the reply. */
export const replyKinds = {
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
    value: { name: "FORM", form: words(NotEnvelope.names).form },
    doc: `is 200 with a body that is no envelope: ${NotEnvelope.names.map((name) => `\`${name}\``).join(", ")}`,
    example: "envelope=data-null"
  },
  "gzip-bomb": {
    group: "instead",
    value: bytes,
    doc: "is 200 with records without a field, so many bytes of them, compressed to a thousandth, asked for or not",
    example: "gzip-bomb=1000000",
    memory: "nothing unpacks it: the client sees the compressed bytes"
  }
} satisfies Record<string, Draft>
