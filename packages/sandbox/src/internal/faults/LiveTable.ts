/**
 * Every kind of fault of a live stream as data: how it is written, and what it does to the connection.
 */
import { digits, grammar, ordinal, padding, type Value, words } from "./Grammar.ts"

/** The part of a connection that a kind changes. */
export type LiveGroup = "handshake" | "end" | "frame" | "http"

/** Something that may follow a kind under a name. */
export type LiveName = "times" | "after" | "id" | "body" | "code" | "at"

/** After so many frames, or after so long. */
const position: Value = { name: "POSITION", form: /^\d{1,9}(?:ms)?$/ }

/** Something that may follow a kind under a name. */
export interface LiveNamed {
  readonly value: Value
  readonly doc: string
}

/** The types of errors that refuse what a connection asks for. */
export const refusals = ["bad_parameter", "unauthorized", "wrong_credentials", "forbidden"] as const

const named = {
  times: { value: digits("N", 9), doc: "only the first N matching connections" },
  after: { value: digits("N", 9), doc: "not the first N" },
  id: { value: { name: "WORD", form: /^[\w.-]+$/ }, doc: "a counter of its own: equal specs share one" },
  body: { value: words(["json", "html", "empty"]), doc: "the body of the error" },
  code: {
    value: { name: "CODE", form: /^(?:1000|1001|1008|1011|1012|1013|4\d\d\d)$/ },
    doc: "the close code, 1012 by default"
  },
  at: { value: ordinal, doc: "the frame that it happens to, the first by default" }
} satisfies Record<LiveName, LiveNamed>

/** What may follow a kind of a live stream, by name. */
export const names: Readonly<Record<LiveName, LiveNamed>> = named

const drafts = {
  "live-status": {
    group: "handshake",
    value: { name: "N", form: /^[3-5]\d\d$/ },
    names: ["body"],
    doc: "is refused with this status, and an error as the body",
    example: "live-status=503"
  },
  "live-slow": {
    group: "handshake",
    value: digits("MS", 7),
    doc: "is accepted after so long",
    example: "live-slow=500"
  },
  "live-never": { group: "handshake", doc: "is never answered, and the socket stays open", example: "live-never" },
  "live-reset": { group: "handshake", doc: "is reset before it is accepted", example: "live-reset" },
  "live-close": {
    group: "end",
    value: position,
    names: ["code"],
    doc: "is closed by the service there, as when the edge network restarts",
    example: "live-close=3"
  },
  "live-drop": {
    group: "end",
    value: position,
    doc: "is dropped there: the socket is gone without a close frame",
    example: "live-drop=3"
  },
  "live-silence": {
    group: "end",
    value: position,
    doc: "falls silent there: no frames, no pings and no pongs, and the socket stays open",
    example: "live-silence=3"
  },
  "live-stall": {
    group: "end",
    value: position,
    doc: "has a `stall` error there, as for a slow reader, and is closed",
    example: "live-stall=3"
  },
  "live-error": {
    group: "end",
    value: words(refusals),
    doc: "is accepted, and then refused by an error of this type in place of its first frame",
    example: "live-error=forbidden"
  },
  "live-warning": {
    group: "frame",
    value: ordinal,
    doc: "has a `falling_behind` warning before frame N",
    example: "live-warning=2"
  },
  "live-repeat": {
    group: "frame",
    value: ordinal,
    doc: "has every N-th frame twice, with one sequence id",
    example: "live-repeat=2"
  },
  "live-again": {
    group: "frame",
    value: ordinal,
    doc: "has the record of every N-th frame twice, with a sequence id each",
    example: "live-again=2"
  },
  "live-skip": {
    group: "frame",
    value: ordinal,
    doc: "lacks frame N, whose sequence id is missing",
    example: "live-skip=2"
  },
  "live-lose": {
    group: "frame",
    value: ordinal,
    doc: "lacks the record of frame N, and no sequence id is missing",
    example: "live-lose=2"
  },
  "live-reverse": {
    group: "frame",
    value: ordinal,
    doc: "has frame N after the one that follows it",
    example: "live-reverse=2"
  },
  "live-garbage": {
    group: "frame",
    value: ordinal,
    doc: "has a text frame that is no JSON before frame N",
    example: "live-garbage=2"
  },
  "live-time": {
    group: "frame",
    value: ordinal,
    doc: "has a time in frame N that does not exist",
    example: "live-time=2"
  },
  "live-binary": { group: "frame", value: ordinal, doc: "has frame N as a binary one", example: "live-binary=2" },
  "live-huge": {
    group: "frame",
    value: padding,
    names: ["at"],
    doc: "has a frame with a field `sandbox_padding` of so many bytes",
    example: "live-huge=100000"
  },
  "live-number": { group: "frame", doc: "has sequence ids that are numbers", example: "live-number" },
  "live-extra": { group: "frame", doc: "has a field that no document lists in every frame", example: "live-extra" },
  "live-reorg": {
    group: "frame",
    value: digits("N", 3),
    doc: "has, before every new block, N blocks of its height that a `reorg` takes back",
    example: "live-reorg=3"
  },
  "live-echo-key": {
    group: "frame",
    doc: "holds the key in its warnings, its errors, the reason of its close, and the body of a refused handshake",
    example: "live-stall=1,live-echo-key"
  },
  "live-late": {
    group: "http",
    value: digits("MS", 9),
    doc: "is not about a stream: a request over HTTP sees the records of so long ago",
    example: "live-late=5000"
  }
} satisfies Record<string, LiveDraft>

/** What a kind of fault of a live stream is declared as. */
export interface LiveDraft {
  readonly group: LiveGroup
  readonly value?: Value
  readonly names?: ReadonlyArray<LiveName>
  readonly doc: string
  readonly example: string
}

/** The kinds of fault of a live stream. */
export type LiveKind = keyof typeof drafts

/** One kind of fault of a live stream. */
export interface LiveEntry extends LiveDraft {
  readonly kind: LiveKind
  /** How it is written, such as `live-close=POSITION`. */
  readonly grammar: string
  readonly names: ReadonlyArray<LiveName>
}

const drafted: Readonly<Record<LiveKind, LiveDraft>> = drafts

/** Every kind of fault of a live stream. */
// Type boundary: Object.keys forgets the keys of the literal above.
export const kinds: ReadonlyArray<LiveKind> = Object.keys(drafts) as Array<LiveKind>

const common: ReadonlyArray<LiveName> = ["times", "after", "id"]

/** Every kind of fault of a live stream, with its grammar and its effect. */
export const table: ReadonlyArray<LiveEntry> = kinds.map((kind) => {
  const draft = drafted[kind]
  return { ...draft, kind, names: [...common, ...(draft.names ?? [])], grammar: grammar(kind, draft.value) }
})

const byKind = new Map<string, LiveEntry>(table.map((entry) => [entry.kind, entry]))

/** Finds a kind by its name. */
export const find = (kind: string): LiveEntry | undefined => byKind.get(kind)

/** Tells whether a word is a name that may follow a kind of a live stream. */
export const isName = (text: string): text is LiveName => Object.hasOwn(named, text)
