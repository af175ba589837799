/** What can happen to the bytes of a body on the way. */
import * as Schema from "effect/Schema"
import { bytes as utf8 } from "../FakeApi.ts"
import { below, Choice, pick } from "./Choice.ts"
import * as Secret from "./Secret.ts"

/** Text that means something to a reader of JSON, of lines, or of this service. */
const words = [
  "\n",
  "\r",
  "\r\n",
  "\n\n  \n",
  ",",
  ":",
  "{",
  "}",
  "[",
  "]",
  "},{",
  "],[",
  '"',
  "\\",
  "\\u",
  "null",
  "-",
  "1e999",
  '{"error":{"type":"rate_limit_exceeded","message":"no"}}\n',
  '\n{"error":null}\n',
  '{"data":[',
  '"data":[],',
  "\u0000",
  "\uFEFF",
  "\u2028",
  "\u00A0",
  "/*",
  Secret.key,
  Secret.encoded
]

/** Bytes that are no UTF-8, or only in part: a byte order mark, half a character, a surrogate, too long a form. */
const sequences = ["efbbbf", "ef", "c3", "ff", "eda080", "f09f98", "c080", "f8888080", "00", "fffe"] as const

/** Bytes that hold JSON and lines together. */
const structure = [...'{}[],:"\n'].map((character) => character.charCodeAt(0))

/** One change to a body; `at` and the like are taken modulo its length. */
export const ByteEdit = Schema.Union([
  Schema.Struct({ edit: Schema.Literal("flip"), at: Choice, bit: below(8) }),
  Schema.Struct({
    edit: Schema.Literal("insert"),
    at: Choice,
    text: Schema.Union([Schema.Literals(words), Schema.String])
  }),
  Schema.Struct({ edit: Schema.Literal("insertHex"), at: Choice, hex: Schema.Literals(sequences) }),
  Schema.Struct({ edit: Schema.Literal("noise"), at: Choice, bytes: Schema.Array(below(256)) }),
  Schema.Struct({ edit: Schema.Literal("overwrite"), at: Choice, text: Schema.Literals(words) }),
  Schema.Struct({ edit: Schema.Literal("restructure"), at: Choice, to: below(structure.length) }),
  Schema.Struct({ edit: Schema.Literal("remove"), at: Choice, length: Choice }),
  Schema.Struct({ edit: Schema.Literal("repeat"), at: Choice, length: Choice, to: Choice }),
  Schema.Struct({ edit: Schema.Literal("truncate"), at: Choice }),
  Schema.Struct({ edit: Schema.Literal("splice"), at: Choice, other: Choice, from: Choice })
])

export type ByteEdit = typeof ByteEdit.Type

const concat = (...parts: ReadonlyArray<Uint8Array>) => new Uint8Array(Buffer.concat(parts))

/** Bodies do not grow without end by being repeated. */
const longest = 400_000

/** Applies one change; `others` are the bodies that may be spliced in. */
export const apply = (body: Uint8Array, edit: ByteEdit, others: (choice: number) => Uint8Array): Uint8Array => {
  const at = edit.at % (body.length + 1)
  const insert = (inner: Uint8Array) => concat(body.subarray(0, at), inner, body.subarray(at))
  switch (edit.edit) {
    case "flip":
      return body.map((byte, index) => (index === at ? byte ^ (1 << edit.bit) : byte))
    case "insert":
      return insert(utf8(edit.text))
    case "insertHex":
      return insert(new Uint8Array(Buffer.from(edit.hex, "hex")))
    case "noise":
      return insert(Uint8Array.from(edit.bytes))
    case "overwrite": {
      const text = utf8(edit.text)
      return concat(body.subarray(0, at), text, body.subarray(at + text.length))
    }
    case "restructure": {
      const places = [...body.keys()].filter((index) => structure.includes(body[index]!))
      const place = places.length === 0 ? -1 : pick(places, edit.at)
      return body.map((byte, index) => (index === place ? structure[edit.to]! : byte))
    }
    case "remove":
      return concat(body.subarray(0, at), body.subarray(at + (edit.length % (body.length - at + 1))))
    case "repeat": {
      const slice = body.subarray(at, at + (edit.length % (body.length - at + 1)))
      const to = edit.to % (body.length + 1)
      return concat(body.subarray(0, to), slice, body.subarray(to)).subarray(0, longest)
    }
    case "truncate":
      return body.subarray(0, at)
    case "splice": {
      const other = others(edit.other)
      return concat(body.subarray(0, at), other.subarray(edit.from % (other.length + 1))).subarray(0, longest)
    }
  }
}
