/** Every kind of fault of a live stream as data: how it is written, and what it does to the connection. */
import * as Grammar from "./Grammar.ts"
import { digits, type Draft, padding, words } from "./Grammar.ts"

/** Something that may follow a kind under a name. */
export type Name = "times" | "after" | "id" | "body" | "code" | "at"

/** After so many frames, or after so long. */
const position: Grammar.Value = {
  name: "POSITION",
  form: /^\d{1,9}(?:ms)?$/,
  means: "a number of frames, or `1500ms` after the connection was accepted",
  example: "3"
}

const nth: Grammar.Value = { ...Grammar.ordinal, example: "2" }

/** The types of errors that refuse what a connection asks for. */
export const refusals = ["bad_parameter", "unauthorized", "wrong_credentials", "forbidden"] as const

/** What may follow a kind of a live stream, by name. */
export const names: Readonly<Record<Name, Grammar.Named>> = {
  times: { ...Grammar.names.times, doc: "only the first N matching connections" },
  after: Grammar.names.after,
  id: Grammar.names.id,
  body: Grammar.names.body,
  code: {
    value: { name: "CODE", form: /^(?:1000|1001|1008|1011|1012|1013|4\d\d\d)$/ },
    doc: "the close code, 1012 by default"
  },
  at: { value: Grammar.ordinal, doc: "the frame that it happens to, the first by default" }
}

/** The kinds by the part of the connection that they change. A doc continues "The connection …". */
const drafts = {
  handshake: {
    "live-status": {
      value: { name: "N", form: /^[3-5]\d\d$/, example: "503" },
      names: ["body"],
      doc: "is refused with this status, and an error as the body"
    },
    "live-slow": { value: digits("MS", 7, "500"), doc: "is accepted after so long" },
    "live-never": { doc: "is never answered, and the socket stays open" },
    "live-reset": { doc: "is reset before it is accepted" }
  },
  end: {
    "live-close": {
      value: position,
      names: ["code"],
      doc: "is closed by the service there, as when the edge network restarts"
    },
    "live-drop": { value: position, doc: "is dropped there: the socket is gone without a close frame" },
    "live-silence": {
      value: position,
      doc: "falls silent there: no frames, no pings and no pongs, and the socket stays open"
    },
    "live-stall": { value: position, doc: "has a `stall` error there, as for a slow reader, and is closed" },
    "live-error": {
      value: words(refusals),
      doc: "is accepted, and then refused by an error of this type in place of its first frame",
      example: "live-error=forbidden"
    }
  },
  frame: {
    "live-warning": { value: nth, doc: "has a `falling_behind` warning before frame N" },
    "live-repeat": { value: nth, doc: "has every N-th frame twice, with one sequence id" },
    "live-again": { value: nth, doc: "has the record of every N-th frame twice, with a sequence id each" },
    "live-skip": { value: nth, doc: "lacks frame N, whose sequence id is missing" },
    "live-lose": { value: nth, doc: "lacks the record of frame N, and no sequence id is missing" },
    "live-reverse": { value: nth, doc: "has frame N after the one that follows it" },
    "live-garbage": { value: nth, doc: "has a text frame that is no JSON before frame N" },
    "live-time": { value: nth, doc: "has a time in frame N that does not exist" },
    "live-binary": { value: nth, doc: "has frame N as a binary one" },
    "live-huge": { value: padding, names: ["at"], doc: "has a frame with a field `sandbox_padding` of so many bytes" },
    "live-number": { doc: "has sequence ids that are numbers" },
    "live-extra": { doc: "has a field that no document lists in every frame" },
    "live-reorg": {
      value: digits("N", 3, "3"),
      doc: "has, before every new block, N blocks of its height that a `reorg` takes back"
    },
    "live-echo-key": {
      doc: "holds the key in its warnings, its errors, the reason of its close, and the body of a refused handshake",
      example: "live-stall=1,live-echo-key"
    }
  },
  http: {
    "live-late": {
      value: digits("MS", 9, "5000"),
      doc: "is not about a stream: a request over HTTP sees the records of so long ago"
    }
  }
} satisfies Record<string, Record<string, Draft<Name>>>

/** The part of a connection that a kind changes. */
export type Group = keyof typeof drafts

/** The kinds of fault of a live stream. */
export type Kind = { [G in Group]: keyof (typeof drafts)[G] }[Group]

/** Every kind of fault of a live stream, with its grammar and its effect. */
export const table: ReadonlyArray<Grammar.Entry<Kind, Group, Name>> = Grammar.entries<Kind, Group, Name>(drafts, [
  "times",
  "after",
  "id"
])
