/**
 * Random faults: how often each kind is drawn, and with what values.
 */
import type * as Fault from "@sluice/sandbox/Fault"
import * as Arbitrary from "effect/Arbitrary"
import * as RateLimitHeaders from "../../../sandbox/src/internal/quota/RateLimitHeaders.ts"
import * as Choice from "./Choice.ts"

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
}

type Spec = Arbitrary.Arbitrary<string>

interface Kind {
  /** How often it is drawn, against the others. */
  readonly often: number
  /** What follows the name of the kind, such as `=503;body=html`. */
  readonly value?: (context: Context) => Spec
  /** Set where it is never combined with others. */
  readonly alone?: true
  /** Set where it does not work the same in memory. */
  readonly wireOnly?: true
  /** Set where only pages can be judged under it. */
  readonly pagesOnly?: true
  /** Set where it takes real time over a socket. */
  readonly waits?: true
}

const { chance, int, pick, text } = Choice

const oneOf =
  (...values: ReadonlyArray<string | number>) =>
  (): Spec =>
    text`=${pick(values)}`

const number = (minimum: number, maximum: number) => (): Spec => text`=${int(minimum, maximum)}`

/** A field that some records have, or one that none has. */
const field = ({ fields }: Context): Spec =>
  Arbitrary.flatMap(chance(0.05), (isUnknown) => (isUnknown ? Arbitrary.Constant("=nothing") : text`=${pick(fields)}`))

const bytes = Choice.weighted([
  [1, () => Arbitrary.Constant(0)],
  [3, () => int(1, 300)],
  [6, () => int(1, 9_000)]
])

const position = (): Spec =>
  Choice.weighted([
    [7, () => text`=${bytes}`],
    [3, () => text`=${pick(["record", "within"])}:${int(1, 40)}`]
  ])

const line = (least: number) => (): Spec =>
  Choice.weighted([
    [4, () => text`=${int(least, 5)}`],
    [6, () => text`=${int(least, 60)}`]
  ])

/** Seconds as Retry-After says them. Over a socket the wait is short, because it takes real time. */
const wait = ({ world }: Context): Spec =>
  pick(world === "wire" ? ["0", "1", "-5", "0.5"] : ["0", "1", "20", "1.5", "-5", "soon", "date:3"])

const status = (context: Context): Spec => {
  const { world } = context
  const code = Choice.weighted([
    [20, () => pick([500, 502, 503, 504, 524, 408, 425, 520, 521, 522, 523, 525, 527, 530])],
    [world === "wire" ? 1 : 5, () => Arbitrary.Constant(429)],
    [2, () => pick([401, 403, 404, 410, 400, 405, 414, 418])],
    [1, () => pick([200, 204, 206, 301, 304, 501, 505, 511])]
  ])
  const body = pick(["", "", "", ";body=html", ";body=empty"])
  const retryAfter = Arbitrary.map(
    Choice.maybe(0.2, () => text`;retry-after=${wait(context)}`),
    (spec = "") => spec
  )
  return Arbitrary.flatMap(code, (code) =>
    // A 429 also says that the window is full, and the client waits until the window has passed.
    code === 429 && world === "wire"
      ? text`=429${body};retry-after=1;headers=none`
      : text`=${Arbitrary.Constant(code)}${body}${retryAfter}`
  )
}

/** Well below what the client waits for, or well beyond. */
const slow = ({ firstByte, idle }: Context): Spec =>
  Choice.weighted([
    [7, () => text`=${int(0, Math.floor(Math.min(firstByte, idle) / 8))}`],
    [3, () => Arbitrary.Constant(`=${2 * Math.max(firstByte, idle)}`)]
  ])

const padding = (): Spec =>
  Choice.weighted([
    [9, () => text`=${int(1_000, 100_000)}`],
    [1, () => Arbitrary.Constant("=3000000")]
  ])

/**
 * Some forms make the client wait for a whole window, which takes too long over a socket. A window of a month ends every
 * call of the client, including those without faults.
 */
const forms = {
  memory: RateLimitHeaders.names.filter((name) => name !== "month"),
  wire: RateLimitHeaders.names.filter((name) => !/^(zero|far|month|epoch)/.test(name))
}

const kinds: { readonly [Name in Fault.Kind]: Kind } = {
  reset: { often: 12 },
  close: { often: 6 },
  garbage: { often: 2 },
  "content-length": { often: 3, value: oneOf("0", "5", "-1", "12", "many", "1e3") },
  stall: { often: 6, waits: true },
  slow: { often: 8, value: slow, waits: true },
  status: { often: 20, value: status },
  "error-body": { often: 8 },
  redirect: {
    often: 1,
    value: () => text`=http://elsewhere.invalid;status=${pick([301, 302, 307, 308])}`
  },
  envelope: {
    often: 3,
    value: () =>
      Choice.weighted([
        [5, () => Arbitrary.Constant("=nothing")],
        [2, oneOf("null", "array", "string", "number", "no-data", "data-null", "data-object")]
      ])
  },
  "gzip-bomb": { often: 1, wireOnly: true, value: oneOf(10_000, 1_000_000, 20_000_000) },
  "extra-fields": { often: 4 },
  "wrong-type": { often: 2, value: field },
  missing: { often: 2, value: field },
  "duplicate-keys": { often: 3 },
  "proto-keys": { often: 3 },
  number: {
    often: 3,
    value: oneOf("1", "-0", "1.5", "9007199254740993", "1e999", "0.1234567890123456789", "1E2")
  },
  deep: { often: 2, value: oneOf(10, 1_000, 100_000) },
  "long-line": { often: 2, value: padding },
  "large-page": { often: 2, value: padding },
  "empty-page": { often: 8, value: () => pick(["", "=2", "=5"]) },
  // A resumed stream would not find its last record again.
  removed: { often: 2, pagesOnly: true, value: number(1, 10) },
  overlap: { often: 2, value: number(1, 3) },
  reversed: { often: 1 },
  tail: { often: 6, value: () => pick(["", "=metadata", "=__proto__"]) },
  "second-data": { often: 2 },
  warnings: { often: 3, value: oneOf(0, 1, 3, 1_000) },
  "long-token": { often: 2, value: oneOf(1, 1_000, 12_000) },
  "repeat-token": { often: 1 },
  "cycle-token": { often: 1, value: number(1, 6) },
  "foreign-token": { often: 1 },
  "foreign-next-url": { often: 3 },
  "truncate-line": { often: 2, value: line(0) },
  "cut-line": { often: 12, value: line(1) },
  "error-line": { often: 8, value: line(1) },
  "blank-lines": { often: 6 },
  crlf: { often: 6 },
  "bom-line": { often: 1, value: line(1) },
  "reset-after": { often: 16, value: position },
  "close-after": {
    often: 10,
    value: () => text`${position()}${pick(["", ";framing=length", ";framing=none"])}`
  },
  "stall-after": { often: 8, value: position, waits: true },
  "truncate-after": { often: 16, value: position },
  damage: {
    often: 12,
    value: () =>
      Choice.weighted([
        [1, number(0, 300)],
        [1, number(0, 9_000)]
      ])
  },
  drip: {
    often: 4,
    value: ({ world }) => text`=${int(300, 3_000)};every=${int(0, world === "wire" ? 2 : 20)}`
  },
  endless: {
    often: 1,
    alone: true,
    value: oneOf("spaces", "lines")
  },
  bom: { often: 3 },
  "split-utf8": { often: 4 },
  latin1: { often: 1 },
  "gzip-cut": { often: 4, wireOnly: true, value: number(0, 600) },
  "gzip-corrupt": {
    often: 4,
    wireOnly: true,
    value: () =>
      Choice.weighted([
        [1, oneOf("checksum")],
        [1, number(0, 600)]
      ])
  },
  "content-encoding": { often: 2, value: oneOf("gzip", "identity", "br") },
  deprecation: { often: 2 },
  sunset: { often: 2 },
  "content-type": { often: 3, value: oneOf("none", "text/html", "text/plain") },
  "large-header": { often: 2, value: oneOf(1_000, 10_000, 100_000) },
  "long-header": {
    often: 3,
    // The client would wait for a limit or a Retry-After without end.
    value: ({ world }) => {
      const size = pick(world === "wire" ? [1_000, 8_000] : [1_000, 8_000, 100_000])
      return text`=${pick(["Link", "Deprecation", "Sunset", "Content-Type"])};size=${size}`
    }
  },
  "control-text": { often: 3 },
  "echo-key": {
    often: 3,
    value: () => pick(["", "", "=encoded", "=lower", "=double", "=slashed", "=unicode", "=html"])
  },
  "rate-headers": { often: 6, value: ({ world }) => text`=${pick(forms[world])}` }
}

/** Whether a kind does the same in memory as over a socket. */
export const worksInMemory = (kind: Fault.Kind): boolean => kinds[kind].wireOnly !== true

// Type boundary: Object.entries forgets the keys of the literal above.
const entries = Object.entries(kinds) as ReadonlyArray<[Fault.Kind, Kind]>

/** Over a socket, kinds that take real time are drawn a third as often. */
const weightsOf = (isPaged: boolean) => {
  const all = entries.filter(([, { pagesOnly }]) => isPaged || pagesOnly !== true)
  return {
    memory: all.filter(([, { wireOnly }]) => wireOnly !== true).map((entry) => [entry[1].often, entry] as const),
    wire: all.map((entry) => [entry[1].often * (entry[1].waits ? 1 : 3), entry] as const)
  }
}

const weights = { paged: weightsOf(true), whole: weightsOf(false) }

interface Drawn {
  readonly spec: string
  readonly isAlone: boolean
}

const one = (context: Context): Arbitrary.Arbitrary<Drawn> => {
  const { isPaged, world } = context
  const withHeaders = Choice.maybe(0.05, () => text`;headers=${pick(forms[world])}`)
  return Choice.weighted(
    weights[isPaged ? "paged" : "whole"][world].map(([weight, [name, { alone, value }]]) => [
      weight,
      () =>
        Arbitrary.map(
          Arbitrary.all([value?.(context) ?? Arbitrary.Constant(""), withHeaders]),
          ([value, headers = ""]): Drawn => ({
            spec: `${name}${value}${value.includes("headers=") ? "" : headers}`,
            isAlone: alone === true
          })
        )
    ])
  )
}

/** Draws the faults of one reply: with this probability one, now and then two or three at once, otherwise none. */
export const arbitrary = (context: Context, probability: number): Spec => {
  const fault = one(context)
  return Arbitrary.map(
    Arbitrary.all([
      Choice.maybe(probability, () => fault),
      Choice.maybe(probability * 0.25, () => fault),
      Choice.maybe(probability * 0.1, () => fault)
    ]),
    (drawn) => {
      const faults = drawn.filter((fault) => fault !== undefined)
      return faults.find(({ isAlone }) => isAlone)?.spec ?? faults.map(({ spec }) => spec).join(",")
    }
  )
}
