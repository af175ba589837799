/**
 * Parses a spec of faults, and counts requests for `times` and `after`.
 */
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"
import * as Position from "./Position.ts"
import * as Table from "./Table.ts"
import * as Written from "./Written.ts"

/** A step in the life of a job. */
export type Step = "start" | "status" | "result"

/** One fault, read from its spec. */
export interface Fault extends Written.Counted {
  readonly kind: Table.Kind
  /** The value as it is written, or what is meant without one. */
  readonly value: string
  /** The number, for kinds that take one. */
  readonly amount: number
  /** The place, for kinds that take one. */
  readonly position: Position.Position
  /** The step of a job that it strikes alone; undefined where it strikes any request. */
  readonly on: Step | undefined
  readonly body: "json" | "html" | "empty"
  /** The form of the X-RateLimit headers; undefined when nothing was said. */
  readonly headers: RateLimitHeaders.Name | undefined
  /** The wait of a Retry-After header, as it is written. */
  readonly retryAfter: string | undefined
  /** The status of a redirect. */
  readonly status: number
  readonly framing: "chunked" | "length" | "none"
  /** Milliseconds between two pieces. */
  readonly every: number
  /** Bytes of a long header. */
  readonly size: number
}

const make = ({ entry, number, spec, text, value: written }: Written.Written<Table.Entry, Table.Name>): Fault => {
  const value = written ?? entry.value?.otherwise ?? ""
  const page = number("page")
  const body = text("body")
  const headers = entry.kind === "rate-headers" ? value : text("headers")
  const framing = text("framing")
  const on = text("on")
  return {
    kind: entry.kind,
    spec,
    value,
    amount: Number(value),
    position: Position.parse(value),
    on: on === "start" || on === "status" || on === "result" ? on : undefined,
    after: page === undefined ? (number("after") ?? 0) : page - 1,
    times: number("times") ?? (page === undefined ? Number.POSITIVE_INFINITY : 1),
    body: body === "html" || body === "empty" ? body : "json",
    headers: headers !== undefined && RateLimitHeaders.isName(headers) ? headers : undefined,
    retryAfter: text("retry-after"),
    status: number("status") ?? 302,
    framing: framing === "length" || framing === "none" ? framing : "chunked",
    every: number("every") ?? 10,
    size: number("size") ?? 10_000
  }
}

/** Reads a spec: one fault, or several joined by commas. */
export const parse = (spec: string) => Written.read(Table, spec, make)

/** Finds the fault of a kind among those that a request meets. */
export const find = (faults: ReadonlyArray<Fault>, kind: Table.Kind): Fault | undefined =>
  faults.find((fault) => fault.kind === kind)

/** Tells whether a request meets a fault of one of these kinds. */
export const has = (faults: ReadonlyArray<Fault>, ...kinds: ReadonlyArray<Table.Kind>): boolean =>
  faults.some((fault) => kinds.includes(fault.kind))

/** Counts the requests that carried each fault. */
export interface FaultCounter {
  /** Selects the faults that apply to this request, which may be a step of a job. */
  readonly select: (faults: ReadonlyArray<Fault>, step: Step | undefined) => ReadonlyArray<Fault>
}

/** Builds a counter. */
export const makeCounter = (): FaultCounter => {
  const strikes = Written.makeCounter()
  return {
    select: (faults, step) => faults.filter((fault) => (fault.on === undefined || fault.on === step) && strikes(fault))
  }
}
