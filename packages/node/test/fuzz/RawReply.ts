/** Replies as bytes on a socket, as data: what no HTTP server would send, and what a broken one does. */
import * as Schema from "effect/Schema"
import { gzipSync } from "node:zlib"
import * as ByteEdit from "../../../core/test/fuzz/ByteEdit.ts"
import { below, Choice, pick } from "../../../core/test/fuzz/Choice.ts"

const statusLines = [
  "HTTP/1.1 200 OK",
  "HTTP/1.0 200 OK",
  "HTTP/1.1 200",
  "HTTP/1.1 204 No Content",
  "HTTP/1.1 206 Partial Content",
  "HTTP/1.1 304 Not Modified",
  "HTTP/1.1 302 Found",
  "HTTP/1.1 101 Switching Protocols",
  "HTTP/1.1 403 Forbidden",
  "HTTP/1.1 503 Service Unavailable",
  "HTTP/1.1 599 ?",
  "HTTP/1.1 099 Low",
  "HTTP/1.1 1000 High",
  "HTTP/1.1 2e2 OK",
  "HTTP/2 200 OK",
  "ICY 200 OK",
  "200 OK",
  ""
] as const

const headerLines = [
  "Connection: close",
  "Connection: upgrade\r\nUpgrade: h2c",
  "Keep-Alive: timeout=0",
  "Content-Type: text/html",
  "Content-Length: 5",
  "Content-Length: -1",
  "Content-Length: 18446744073709551616",
  "Content-Length: 0x10",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Content-Encoding: br",
  "Content-Encoding: gzip, gzip",
  "Trailer: x-late",
  "Location: http://127.0.0.1:1/elsewhere",
  "X-Folded: a\r\n b",
  "X-Null: a\0b",
  "X-Bare: a\rb",
  " leading: space",
  "no colon",
  ": no name",
  "Cf-Ray : spaced",
  `X-Long: ${"x".repeat(20_000)}`,
  "Deprecation: true",
  "Sunset: never",
  "Link: <",
  "Retry-After: 1e9",
  "X-RateLimit-Limit: 0, 0;w=0"
] as const

const prefaces = [
  "",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n",
  "HTTP/1.1 102 Processing\r\n\r\n".repeat(50),
  "\r\n\r\n",
  "\0"
] as const

const few = <S extends Schema.Top>(item: S) => Schema.Array(item).check(Schema.isMaxLength(2))

/** One reply; each of its choices begins with what is right. */
export const RawReply = Schema.Struct({
  preface: below(100),
  status: below(100),
  headers: few(Schema.Union([Schema.Literals(headerLines), Schema.String])),
  framing: below(100),
  coding: below(100),
  body: few(ByteEdit.ByteEdit),
  bytes: few(ByteEdit.ByteEdit),
  /** Where the writes to the socket end. */
  cuts: Schema.Array(Choice).check(Schema.isMaxLength(4)),
  ending: below(100)
})

export type RawReply = typeof RawReply.Type

/** The first in so many of a hundred cases, else one of the others. */
const mostly = <A>(share: number, all: readonly [A, ...ReadonlyArray<A>], choice: number): A =>
  choice < share ? all[0] : pick(all, choice)

/** What the server does once all is written. */
export const endingOf = ({ ending }: RawReply) =>
  mostly(40, ["close", "keep", "end", "reset", "again"] as const, ending)

const framings = ["length", "chunked", "until close", "too short", "too long", "both", "bad chunks"] as const

const codings = ["plain", "gzip", "claimed", "cut", "damaged", "twice", "bomb"] as const

const bomb = gzipSync(Buffer.alloc(20_000_000, " "))

const code = (body: Uint8Array, coding: (typeof codings)[number]): Uint8Array => {
  switch (coding) {
    case "gzip":
      return gzipSync(body)
    case "cut":
      return gzipSync(body).subarray(0, -12)
    case "damaged":
      return gzipSync(body).map((byte, index) => (index === 25 ? byte ^ 255 : byte))
    case "twice":
      return gzipSync(gzipSync(body))
    case "bomb":
      return bomb
    case "plain":
    case "claimed":
      return body
  }
}

const chunk = (part: Uint8Array, suffix: string) => [
  Buffer.from(`${part.length.toString(16)}${suffix}\r\n`),
  part,
  Buffer.from("\r\n")
]

const chunked = (body: Uint8Array, isGood: boolean) => {
  const middle = body.length >> 1
  const parts = [body.subarray(0, middle), body.subarray(middle)].filter((part) => part.length > 0)
  const last = Buffer.from(isGood ? "0\r\n\r\n" : "0;x\r\nx-late: y\r\n")
  return Buffer.concat([...parts.flatMap((part, index) => chunk(part, isGood || index === 0 ? "" : "z")), last])
}

const length = (bytes: number) => `Content-Length: ${bytes}\r\n`

const frame = (body: Uint8Array, framing: (typeof framings)[number]): readonly [head: string, body: Uint8Array] => {
  switch (framing) {
    case "length":
      return [length(body.length), body]
    case "chunked":
      return ["Transfer-Encoding: chunked\r\n", chunked(body, true)]
    case "bad chunks":
      return ["Transfer-Encoding: chunked\r\n", chunked(body, false)]
    case "until close":
      return ["", body]
    case "too short":
      return [length(body.length >> 1), body]
    case "too long":
      return [length(body.length + 10), body]
    case "both":
      return [`${length(body.length)}Transfer-Encoding: chunked\r\n`, chunked(body, true)]
  }
}

/** The writes of a reply with this body. */
export const writesOf = (reply: RawReply, good: Uint8Array): ReadonlyArray<Uint8Array> => {
  const edit = (bytes: Uint8Array, edits: RawReply["bytes"]) =>
    edits.reduce((edited, next) => ByteEdit.apply(edited, next, () => good), bytes)
  const coding = mostly(50, codings, reply.coding)
  const [framed, body] = frame(code(edit(good, reply.body), coding), mostly(50, framings, reply.framing))
  const head = [
    mostly(80, prefaces, reply.preface) + mostly(70, statusLines, reply.status),
    ...(coding === "plain" ? [] : ["Content-Encoding: gzip"]),
    ...reply.headers,
    `${framed}\r\n`
  ].join("\r\n")
  const whole = edit(Buffer.concat([Buffer.from(head, "latin1"), body]), reply.bytes)
  const borders = reply.cuts.map((cut) => cut % (whole.length + 1)).toSorted((a, b) => a - b)
  return [0, ...borders].map((from, index) => whole.subarray(from, borders[index] ?? whole.length))
}
