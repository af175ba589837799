/**
 * The kinds of fault: how often each is drawn, with what values, and what it may do to the stream whose request meets it.
 */
import type { Account, ApiError } from "@sluice/core"
import * as Fault from "@sluice/sandbox/Fault"
import { Result } from "effect"
import type { Draw } from "../../../core/test/Draw.ts"
import * as Spec from "../../../sandbox/src/internal/faults/Spec.ts"
import * as RateLimitHeaders from "../../../sandbox/src/internal/quota/RateLimitHeaders.ts"
import * as Choice from "./Choice.ts"

/** Name of an error. */
export type Tag = ApiError.ApiError["_tag"]

/** What the values of a fault depend on, so that it can do harm. */
export interface Context {
  readonly world: "memory" | "wire"
  /** Read page by page. */
  readonly isPaged: boolean
  /** Milliseconds, each. */
  readonly firstByte: number
  readonly idle: number
  /** Columns of a record. */
  readonly fields: ReadonlyArray<string>
  /** How many times as far into a body as into one of some hundred records; once when absent. */
  readonly reach?: number
}

/** What the effects of a fault depend on. */
export interface Setting extends Omit<Context, "fields"> {
  /** Read as json_stream. */
  readonly isLines: boolean
  /** Whether the client asks for compressed replies, and unpacks them. */
  readonly gzip: boolean
  readonly latency: number
  /** Bytes, each. */
  readonly limits: { readonly maxPageBytes: number; readonly maxLineBytes: number }
  readonly deprecated: Account.DeprecatedPolicy
  /** Whether a record that this fault was at is none. */
  readonly breaks: (fault: Spec.Fault) => boolean
}

/** What a fault may do. One without any effect must not change the result. */
export interface Effects {
  /** The attempt may fail with this error and be made again. The stream ends with it when the policy allows no more. */
  readonly retry?: Tag
  /** The stream may fail with one of these, at this request or a later one. */
  readonly fails?: ReadonlyArray<Tag>
  /** The stream must fail with one of them at this request, if the reply has no other fault. */
  readonly must?: true
  /**
   * The records may be fewer without a sign, come again or in another order, hold what the fault has put there, or be wrong until
   * the damage is noticed.
   */
  readonly records?: "fewer" | "disordered" | "altered" | "wrong"
}

type Rule = (fault: Spec.Fault, setting: Setting) => Effects

interface Kind {
  /** How often it is drawn, against the others. */
  readonly often: number
  /** What follows the name of the kind, such as `=503;body=html`. When absent, what its example has. */
  readonly value?: (draw: Draw, context: Context) => string
  /** When absent, what its `again` in the stand-in's table says. */
  readonly may?: Effects | Rule
  /** Set where it is never combined with others. */
  readonly alone?: true
  /** Set where it does not work the same in memory. */
  readonly wireOnly?: true
  /** Set where only pages can be judged under it. */
  readonly pagesOnly?: true
  /** Set where it takes real time over a socket. */
  readonly waits?: true
}

const oneOf =
  (...values: ReadonlyArray<string | number>) =>
  (draw: Draw) =>
    `=${draw.one(values)}`

const number = (minimum: number, maximum: number) => (draw: Draw) => `=${Choice.int(draw, minimum, maximum)}`

/** A field that some records have, or one that none has. */
const field = (draw: Draw, { fields }: Context) => (draw.chance(0.05) ? "=nothing" : `=${draw.one(fields)}`)

const position = (draw: Draw, { reach = 1 }: Context) =>
  Choice.weighted(draw, [
    [1, () => "=0"],
    [2, () => number(1, 300)(draw)],
    [4, () => number(1, 9_000 * reach)(draw)],
    [3, () => `=${draw.one(["record", "within"])}:${Choice.int(draw, 1, 40 * reach)}`]
  ])

const line =
  (least: number) =>
  (draw: Draw, { reach = 1 }: Context) =>
    number(least, draw.chance(0.4) ? 5 : 60 * reach)(draw)

/** Seconds as Retry-After says them. Over a socket the wait is short, because it takes real time. */
const wait = (draw: Draw, { world }: Context) =>
  draw.one(world === "wire" ? ["0", "1", "-5", "0.5"] : ["0", "1", "20", "1.5", "-5", "soon", "date:3"])

const transient = [500, 502, 503, 504, 524, 408, 425, 520, 521, 522, 523, 525, 527, 530]

const drawStatus = (draw: Draw, context: Context) => {
  const isWire = context.world === "wire"
  const code = Choice.weighted(draw, [
    [20, () => draw.one(transient)],
    [isWire ? 1 : 5, () => 429],
    [2, () => draw.one([401, 403, 404, 410, 400, 405, 414, 418])],
    [1, () => draw.one([200, 204, 206, 301, 304, 501, 505, 511])]
  ])
  const body = draw.one(["", "", "", ";body=html", ";body=empty"])
  // A 429 also says that the window is full, and the client waits until the window has passed.
  if (code === 429 && isWire) return `=429${body};retry-after=1;headers=none`
  return `=${code}${body}${draw.chance(0.2) ? `;retry-after=${wait(draw, context)}` : ""}`
}

const padding = (draw: Draw) => (draw.chance(0.1) ? "=3000000" : number(1_000, 100_000)(draw))

/**
 * Some forms make the client wait for a whole window, which takes too long over a socket. A window of a month ends every
 * call of the client, including those without faults.
 */
const forms = {
  memory: RateLimitHeaders.names.filter((name) => name !== "month"),
  wire: RateLimitHeaders.names.filter((name) => !/^(zero|far|month|epoch)/.test(name))
}

const retried: Effects = { retry: "Unavailable" }

/** A page that is asked for once more has to lead to the same place. */
const isRefused: Effects = { fails: ["Decode"] }

/** The end of a body cannot be told from a cut between two lines. */
const fewer: Effects = { ...retried, records: "fewer" }

const tagOf: Readonly<Record<number, Tag>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  410: "Deprecated"
}

const status: Rule = ({ amount, body }, { isLines }) => {
  if (amount === 429) return { retry: "RateLimited" }
  // Another attempt may help (docs/interface.md 7.2).
  if (transient.includes(amount)) return retried
  // The token of a page may be what made the address too long.
  if (amount === 414) return { fails: ["InvalidRequest", "Decode"], must: true }
  const other: Tag = amount >= 400 && amount < 500 ? "InvalidRequest" : "Unavailable"
  if (amount !== 200) return { fails: [tagOf[amount] ?? other], must: true }
  // An error object of a type that nobody knows: the service broke off. Nothing at all, as lines, is a list of none.
  if (body === "html") return { retry: "Decode", fails: ["Decode", "Unavailable"] }
  return body === "empty" && isLines ? fewer : retried
}

/** No line at first, for it lacks its end; then, the same again, a line that is no record. */
const envelope: Rule = ({ value }, { isLines }) => {
  if (value === "nothing") return isLines ? fewer : retried
  return isLines ? { ...retried, fails: ["Decode", "Unavailable"] } : { fails: ["Decode"], must: true }
}

/** A body that ends properly before its end: between two lines nobody can tell, within a record everybody can. */
const truncates: Rule = ({ position: { unit } }, { isLines }) => (isLines && unit !== "within" ? fewer : retried)

const alters: Rule = (fault, setting) => ({
  records: "altered",
  ...(setting.breaks(fault) ? { fails: ["Decode"], ...(setting.isLines ? { retry: "Decode" as const } : {}) } : {})
})

/** A record with so many bytes more, or all records of a reply, be it one. */
const pads: Rule = ({ amount }, { isLines, limits }) => ({
  records: "altered",
  fails: amount >= (isLines ? limits.maxLineBytes : limits.maxPageBytes) ? ["Decode"] : []
})

/**
 * Damaged where it is unpacked; where it is not, no text. The checksum stands at the end: lines of a body that is longer
 * than what is unpacked at once are read before anybody can know.
 */
const damages: Rule = ({ kind }, { gzip, isLines, world }) => ({
  ...retried,
  ...(world === "wire" && gzip && isLines && kind === "gzip-corrupt" ? { records: "wrong" } : {}),
  fails: ["Decode", "Unavailable"]
})

const announced: Rule = (_, { deprecated }) => (deprecated === "fail" ? { fails: ["Deprecated"], must: true } : {})

const lines =
  (effects: Effects): Rule =>
  (_, { isLines }) =>
    isLines ? effects : {}

const pages =
  (effects: Effects): Rule =>
  (_, { isPaged }) =>
    isPaged ? effects : {}

/** Of a reply, whether it is a page or not. */
const disorders: Rule = (_, { isLines }) => (isLines ? {} : { ...isRefused, records: "disordered" })

/** What the stand-in's table does not say of its kinds. */
const rules: { readonly [Name in Fault.Kind]?: Kind } = {
  reset: { often: 12 },
  close: { often: 6 },
  "content-length": {
    often: 3,
    value: oneOf("0", "5", "-1", "12", "many", "1e3"),
    // Nothing at all, as lines, is a list of none.
    may: ({ value }, { isLines }) => (isLines && value === "0" ? fewer : retried)
  },
  stall: { often: 6, waits: true },
  slow: {
    often: 8,
    waits: true,
    // Well below what the client waits for, or well beyond.
    value: (draw, { firstByte, idle }) =>
      draw.chance(0.3)
        ? `=${2 * Math.max(firstByte, idle)}`
        : number(0, Math.floor(Math.min(firstByte, idle) / 8))(draw),
    // Several in one reply add up.
    may: ({ amount }, { firstByte, idle, latency }) => (3 * amount + latency < Math.min(firstByte, idle) ? {} : retried)
  },
  status: { often: 20, value: drawStatus, may: status },
  "error-body": { often: 8 },
  redirect: {
    often: 1,
    value: (draw) => `=http://elsewhere.invalid;status=${draw.one([301, 302, 307, 308])}`,
    // Never followed: the key would go along.
    may: { fails: ["Unavailable"], must: true }
  },
  envelope: {
    often: 3,
    value: (draw) =>
      draw.chance(0.7)
        ? "=nothing"
        : oneOf("null", "array", "string", "number", "no-data", "data-null", "data-object")(draw),
    may: envelope
  },
  // Records without a field, or, where nothing unpacks them, no text.
  "gzip-bomb": {
    often: 1,
    wireOnly: true,
    value: oneOf(10_000, 1_000_000, 20_000_000),
    may: { ...retried, fails: ["Decode", "Unavailable"] }
  },
  "extra-fields": { often: 4, may: alters },
  "wrong-type": { often: 2, value: field, may: alters },
  missing: { often: 2, value: field, may: alters },
  "duplicate-keys": { often: 3, may: { records: "altered" } },
  "proto-keys": { often: 3, may: alters },
  number: {
    often: 3,
    value: oneOf("1", "-0", "1.5", "9007199254740993", "1e999", "0.1234567890123456789", "1E2"),
    may: alters
  },
  deep: { often: 2, value: oneOf(10, 1_000, 100_000), may: alters },
  "long-line": { often: 2, value: padding, may: pads },
  "large-page": { often: 2, value: padding, may: pads },
  "empty-page": { often: 8, value: oneOf("1", "2", "5") },
  // A resumed stream would not find its last record again.
  removed: { often: 2, pagesOnly: true, value: number(1, 10), may: { records: "fewer" } },
  overlap: { often: 2, value: number(1, 3), may: disorders },
  reversed: { often: 1, may: disorders },
  tail: { often: 6, value: (draw) => draw.one(["", "=metadata", "=__proto__"]) },
  "second-data": { often: 2, may: (_, { isLines }) => (isLines ? {} : isRefused) },
  warnings: { often: 3, value: oneOf(0, 1, 3, 1_000) },
  // Beyond 10,000 characters the service would refuse what it asks for itself.
  "long-token": { often: 2, value: oneOf(1, 1_000, 12_000), may: pages(isRefused) },
  // The first page, asked for by a token, is not known to have been there.
  "repeat-token": { often: 1, may: pages({ ...isRefused, records: "disordered" }) },
  "cycle-token": { often: 1, value: number(1, 6), may: pages({ ...isRefused, records: "disordered" }) },
  "foreign-token": { often: 1, may: pages({ fails: ["InvalidRequest", "Decode"] }) },
  "foreign-next-url": { often: 3 },
  "truncate-line": { often: 2, value: line(0), may: lines(fewer) },
  "cut-line": { often: 12, value: line(1) },
  "error-line": { often: 8, value: line(1) },
  "blank-lines": { often: 6 },
  crlf: { often: 6 },
  "bom-line": { often: 1, value: line(1), may: lines({ fails: ["Decode"], records: "altered" }) },
  "reset-after": { often: 16, value: position },
  "close-after": {
    often: 10,
    value: (draw, context) => `${position(draw, context)}${draw.one(["", ";framing=length", ";framing=none"])}`,
    may: (fault, setting) => (fault.framing === "none" ? truncates(fault, setting) : retried)
  },
  "stall-after": { often: 8, value: position, waits: true },
  "truncate-after": { often: 16, value: position, may: truncates },
  // A page without its end is taken for one that was cut; any other is asked for once more.
  damage: {
    often: 12,
    value: (draw, { reach = 1 }) => number(0, draw.one([300, 9_000 * reach]))(draw),
    may: { ...retried, fails: ["Decode"] }
  },
  drip: {
    often: 4,
    value: (draw, { world }) => `${number(300, 3_000)(draw)};every=${Choice.int(draw, 0, world === "wire" ? 2 : 20)}`
  },
  endless: { often: 1, alone: true, value: oneOf("spaces", "lines"), may: { fails: ["Decode"], must: true } },
  "split-utf8": { often: 4, may: { records: "altered" } },
  latin1: { often: 1, may: { retry: "Decode", fails: ["Decode"], records: "altered" } },
  "gzip-cut": { often: 4, wireOnly: true, value: number(0, 600), may: damages },
  "gzip-corrupt": {
    often: 4,
    wireOnly: true,
    value: (draw) => (draw.chance(0.5) ? "=checksum" : number(0, 600)(draw)),
    may: damages
  },
  // Unpacked in vain, or not at all.
  "content-encoding": {
    often: 2,
    value: oneOf("gzip", "identity", "br"),
    may: ({ value }, { world }) => (world === "wire" && value !== "identity" ? retried : {})
  },
  deprecation: { often: 2, may: announced },
  sunset: { often: 2, may: announced },
  "content-type": { often: 3, value: oneOf("none", "text/html", "text/plain") },
  "large-header": {
    often: 2,
    value: oneOf(1_000, 10_000, 100_000),
    may: ({ amount }, { world }) => (world === "wire" && amount > 12_000 ? { fails: ["Unavailable"] } : {})
  },
  "long-header": {
    often: 3,
    // The client would wait for a limit or a Retry-After without end.
    value: (draw, { world }) => {
      const size = draw.one(world === "wire" ? [1_000, 8_000] : [1_000, 8_000, 100_000])
      return `=${draw.one(["Link", "Deprecation", "Sunset", "Content-Type"])};size=${size}`
    },
    may: ({ value }, { deprecated }) =>
      /Deprecation|Sunset/.test(value) && deprecated === "fail" ? { fails: ["Deprecated"] } : {}
  },
  "echo-key": {
    often: 3,
    value: (draw) => draw.one(["", "", "=encoded", "=lower", "=double", "=slashed", "=unicode", "=html"])
  },
  "rate-headers": { often: 6, value: (draw, { world }) => `=${draw.one(forms[world])}` }
}

const kinds = new Map(
  Fault.table.map(({ again, example, group, kind, value }): readonly [Fault.Kind, Kind] => {
    const usual = value === undefined ? "" : (/=[^,;]*/.exec(example)?.[0] ?? "")
    const may = again === undefined ? {} : group === "line" ? lines(retried) : retried
    return [kind, { often: 3, value: () => usual, may, ...rules[kind] }]
  })
)

// Type boundary: the table has every kind.
const kindOf = (kind: Fault.Kind) => kinds.get(kind)!

/** Whether a kind does the same in memory as over a socket. */
export const worksInMemory = (kind: Fault.Kind): boolean => kindOf(kind).wireOnly !== true

/** What a fault may do to a stream. */
export const effectsOf = (fault: Spec.Fault, setting: Setting): Effects => {
  const { may = {} } = kindOf(fault.kind)
  return typeof may === "function" ? may(fault, setting) : may
}

/** The faults of a spec. */
export const parse = (spec: string): ReadonlyArray<Spec.Fault> =>
  spec === "" ? [] : Result.getOrThrowWith(Spec.parse(spec), () => new Error(`'${spec}' is no fault`))

const one = (draw: Draw, context: Context) => {
  const { isPaged, world } = context
  const possible = Fault.kinds.filter(
    (name) => (isPaged || kindOf(name).pagesOnly !== true) && (world === "wire" || worksInMemory(name))
  )
  const name = Choice.weighted(
    draw,
    // Over a socket, kinds that take real time are drawn a third as often.
    possible.map((name) => [kindOf(name).often * (world === "wire" && kindOf(name).waits !== true ? 3 : 1), () => name])
  )
  const value = kindOf(name).value?.(draw, context) ?? ""
  const isSaid = name === "rate-headers" || value.includes("headers=")
  const headers = draw.chance(0.05) && !isSaid ? `;headers=${draw.one(forms[world])}` : ""
  return { name, spec: `${name}${value}${headers}` }
}

/** Draws the faults of one reply: with this probability one, now and then two or three at once, otherwise none. */
export const draw = (draw: Draw, context: Context, probability: number): string => {
  const drawn = [1, 0.25, 0.1].flatMap((share) => (draw.chance(probability * share) ? [one(draw, context)] : []))
  return drawn.find(({ name }) => kindOf(name).alone)?.spec ?? drawn.map(({ spec }) => spec).join(",")
}
