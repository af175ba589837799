/**
 * Faults as chance writes them: how often each kind, and with what values.
 */
import type * as Fault from "@sluice/sandbox/Fault"
import * as RateLimitHeaders from "../../../sandbox/src/internal/quota/RateLimitHeaders.ts"
import type { Dice } from "./Dice.ts"

/** What chance needs to know to write a fault that can do harm. */
export interface Drawing {
  readonly dice: Dice
  readonly world: "memory" | "wire"
  /** Read page by page. */
  readonly isPaged: boolean
  /** Milliseconds, each. */
  readonly firstByte: number
  readonly idle: number
  /** Columns of a record. */
  readonly fields: ReadonlyArray<string>
}

interface Kind {
  /** How often it is drawn, against the others. */
  readonly often: number
  /** Writes what follows the name of the kind, such as `=503;body=html`. */
  readonly write?: (drawing: Drawing) => string
  /** Set where it is never met together with others. */
  readonly alone?: true
  /** Set where it is not the same in memory. */
  readonly wireOnly?: true
  /** Set where only pages can be judged under it. */
  readonly pagesOnly?: true
  /** Set where it takes time, which over a socket is everybody's. */
  readonly waits?: true
}

/** A field that some records have, or that none has. */
const field = ({ dice, fields }: Drawing) => `=${dice.chance(0.95) ? dice.pick(fields) : "nothing"}`

const position = ({ dice }: Drawing) => {
  const bytes = dice.weighted([
    [1, 0],
    [3, dice.int(1, 300)],
    [6, dice.int(1, 9_000)]
  ])
  return dice.chance(0.7) ? `=${bytes}` : `=${dice.pick(["record", "within"])}:${dice.int(1, 40)}`
}

const line =
  (least: number) =>
  ({ dice }: Drawing) =>
    `=${dice.int(least, dice.chance(0.4) ? 5 : 60)}`

/** Over a socket nobody waits for long: the service says so itself, or asks for as long as its window is full. */
const wait = ({ dice, world }: Drawing) =>
  world === "wire" ? dice.pick(["0", "1", "-5", "0.5"]) : dice.pick(["0", "1", "20", "1.5", "-5", "soon", "date:3"])

const status = (drawing: Drawing) => {
  const { dice, world } = drawing
  const code = dice.weighted([
    [20, dice.pick([500, 502, 503, 504, 524, 408, 425, 520, 521, 522, 523, 525, 527, 530])],
    [world === "wire" ? 1 : 5, 429],
    [2, dice.pick([401, 403, 404, 410, 400, 405, 414, 418])],
    [1, dice.pick([200, 204, 206, 301, 304, 501, 505, 511])]
  ])
  const body = dice.pick(["", "", "", ";body=html", ";body=empty"])
  // A 429 says besides that the window is full, and that is believed for as long as the window is.
  if (code === 429 && world === "wire") return `=429${body};retry-after=1;headers=none`
  return `=${code}${body}${dice.chance(0.2) ? `;retry-after=${wait(drawing)}` : ""}`
}

/** Well below what the client waits for, or well beyond. */
const slow = ({ dice, firstByte, idle }: Drawing) =>
  `=${dice.chance(0.7) ? dice.int(0, Math.floor(Math.min(firstByte, idle) / 8)) : 2 * Math.max(firstByte, idle)}`

const padding = ({ dice }: Drawing) => `=${dice.chance(0.1) ? 3_000_000 : dice.int(1_000, 100_000)}`

/**
 * Some make the client wait for as long as the window is: over a socket nobody has the time. A window of a month ends every
 * call of the client, those too that met no fault.
 */
const forms = {
  memory: RateLimitHeaders.names.filter((name) => name !== "month"),
  wire: RateLimitHeaders.names.filter((name) => !/^(zero|far|month|epoch)/.test(name))
}

const kinds: { readonly [Name in Fault.Kind]: Kind } = {
  reset: { often: 12 },
  close: { often: 6 },
  garbage: { often: 2 },
  "content-length": { often: 3, write: ({ dice }) => `=${dice.pick(["0", "5", "-1", "12", "many", "1e3"])}` },
  stall: { often: 6, waits: true },
  slow: { often: 8, write: slow, waits: true },
  status: { often: 20, write: status },
  "error-body": { often: 8 },
  redirect: {
    often: 1,
    write: ({ dice }) => `=http://elsewhere.invalid;status=${dice.pick([301, 302, 307, 308])}`
  },
  envelope: {
    often: 3,
    write: ({ dice }) =>
      `=${dice.weighted([
        [5, "nothing"],
        [2, dice.pick(["null", "array", "string", "number", "no-data", "data-null", "data-object"])]
      ])}`
  },
  "gzip-bomb": { often: 1, wireOnly: true, write: ({ dice }) => `=${dice.pick([10_000, 1_000_000, 20_000_000])}` },
  "extra-fields": { often: 4 },
  "wrong-type": { often: 2, write: field },
  missing: { often: 2, write: field },
  "duplicate-keys": { often: 3 },
  "proto-keys": { often: 3 },
  number: {
    often: 3,
    write: ({ dice }) =>
      `=${dice.pick(["1", "-0", "1.5", "9007199254740993", "1e999", "0.1234567890123456789", "1E2"])}`
  },
  deep: { often: 2, write: ({ dice }) => `=${dice.pick([10, 1_000, 100_000])}` },
  "long-line": { often: 2, write: padding },
  "large-page": { often: 2, write: padding },
  "empty-page": { often: 8, write: ({ dice }) => dice.pick(["", "=2", "=5"]) },
  // A stream that is read on from its last record does not find it again.
  removed: { often: 2, pagesOnly: true, write: ({ dice }) => `=${dice.int(1, 10)}` },
  overlap: { often: 2, write: ({ dice }) => `=${dice.int(1, 3)}` },
  reversed: { often: 1 },
  tail: { often: 6, write: ({ dice }) => dice.pick(["", "=metadata", "=__proto__"]) },
  "second-data": { often: 2 },
  warnings: { often: 3, write: ({ dice }) => `=${dice.pick([0, 1, 3, 1_000])}` },
  "long-token": { often: 2, write: ({ dice }) => `=${dice.pick([1, 1_000, 12_000])}` },
  "repeat-token": { often: 1 },
  "cycle-token": { often: 1, write: ({ dice }) => `=${dice.int(1, 6)}` },
  "foreign-token": { often: 1 },
  "foreign-next-url": { often: 3 },
  "truncate-line": { often: 2, write: line(0) },
  "cut-line": { often: 12, write: line(1) },
  "error-line": { often: 8, write: line(1) },
  "blank-lines": { often: 6 },
  crlf: { often: 6 },
  "bom-line": { often: 1, write: line(1) },
  "reset-after": { often: 16, write: position },
  "close-after": {
    often: 10,
    write: (drawing) => `${position(drawing)}${drawing.dice.pick(["", ";framing=length", ";framing=none"])}`
  },
  "stall-after": { often: 8, write: position, waits: true },
  "truncate-after": { often: 16, write: position },
  damage: { often: 12, write: ({ dice }) => `=${dice.chance(0.5) ? dice.int(0, 300) : dice.int(0, 9_000)}` },
  drip: {
    often: 4,
    write: ({ dice, world }) => `=${dice.int(300, 3_000)};every=${dice.int(0, world === "wire" ? 2 : 20)}`
  },
  endless: {
    often: 1,
    alone: true,
    write: ({ dice }) => `=${dice.pick(["spaces", "lines"])}`
  },
  bom: { often: 3 },
  "split-utf8": { often: 4 },
  latin1: { often: 1 },
  "gzip-cut": { often: 4, wireOnly: true, write: ({ dice }) => `=${dice.int(0, 600)}` },
  "gzip-corrupt": { often: 4, wireOnly: true, write: ({ dice }) => `=${dice.pick(["checksum", dice.int(0, 600)])}` },
  "content-encoding": { often: 2, write: ({ dice }) => `=${dice.pick(["gzip", "identity", "br"])}` },
  deprecation: { often: 2 },
  sunset: { often: 2 },
  "content-type": { often: 3, write: ({ dice }) => `=${dice.pick(["none", "text/html", "text/plain"])}` },
  "large-header": { often: 2, write: ({ dice }) => `=${dice.pick([1_000, 10_000, 100_000])}` },
  "long-header": {
    often: 3,
    // A limit that is believed, and a Retry-After without end, would be waited for.
    write: ({ dice, world }) =>
      `=${dice.pick(["Link", "Deprecation", "Sunset", "Content-Type"])};size=${dice.pick(world === "wire" ? [1_000, 8_000] : [1_000, 8_000, 100_000])}`
  },
  "control-text": { often: 3 },
  "echo-key": {
    often: 3,
    write: ({ dice }) => dice.pick(["", "", "=encoded", "=lower", "=double", "=slashed", "=unicode", "=html"])
  },
  "rate-headers": { often: 6, write: ({ dice, world }) => `=${dice.pick(forms[world])}` }
}

/** Whether a kind does in memory what it does over a socket. */
export const isSame = (kind: Fault.Kind): boolean => kinds[kind].wireOnly !== true

// Type boundary: Object.entries forgets the keys of the literal above.
const entries = Object.entries(kinds) as ReadonlyArray<[Fault.Kind, Kind]>

const drawable = (isPaged: boolean) => {
  const all = entries.filter(([, { pagesOnly }]) => isPaged || pagesOnly !== true)
  return {
    memory: all.filter(([, { wireOnly }]) => wireOnly !== true).map((entry) => [entry[1].often, entry] as const),
    wire: all.map((entry) => [entry[1].often / (entry[1].waits ? 3 : 1), entry] as const)
  }
}

const weights = { paged: drawable(true), whole: drawable(false) }

const one = (drawing: Drawing): readonly [spec: string, isAlone: boolean] => {
  const { dice, isPaged, world } = drawing
  const [name, { alone, write }] = dice.weighted(weights[isPaged ? "paged" : "whole"][world])
  const spec = `${name}${write?.(drawing) ?? ""}`
  const isFree = !spec.includes("headers=") && dice.chance(0.05)
  return [isFree ? `${spec};headers=${dice.pick(forms[world])}` : spec, alone === true]
}

/** Writes what one reply meets: one fault, or several at once. */
export const draw = (drawing: Drawing): string => {
  const count = drawing.dice.weighted([
    [8, 1],
    [2, 2],
    [1, 3]
  ])
  const drawn = Array.from({ length: count }, () => one(drawing))
  const alone = drawn.find(([, isAlone]) => isAlone)
  return alone?.[0] ?? drawn.map(([spec]) => spec).join(",")
}
