/**
 * Parses a spec of faults, and counts requests for `times` and `after`.
 */
import * as Result from "effect/Result"
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"
import * as Refusal from "../request/Refusal.ts"
import * as Position from "./Position.ts"
import * as Table from "./Table.ts"

/** A step in the life of a job. */
export type Step = "start" | "status" | "result"

/** One fault, read from its spec. */
export interface Fault {
  readonly kind: Table.Kind
  /** The text of the spec, which names the counter of `times` and `after`. */
  readonly spec: string
  /** The value as it is written, or what is meant without one. */
  readonly value: string
  /** The number, for kinds that take one. */
  readonly amount: number
  /** The place, for kinds that take one. */
  readonly position: Position.Position
  /** The step of a job that it strikes alone; undefined where it strikes any request. */
  readonly on: Step | undefined
  /** How many matching requests are let through first. */
  readonly after: number
  /** How many matching requests are then met with the fault. */
  readonly times: number
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

const refuse = (spec: string, why: string) =>
  Result.fail(
    Refusal.badParameter(
      Table.requestHeader,
      `Fault '${spec}' cannot be read: ${why}. \`sluice sandbox --faults\` lists the kinds.`
    )
  )

const split = (text: string): readonly [name: string, value: string | undefined] => {
  const at = text.indexOf("=")
  return at < 0 ? [text.trim(), undefined] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

const fits = (form: Table.Value | undefined, text: string | undefined): boolean => {
  if (form === undefined) return text === undefined
  return text === undefined ? form.otherwise !== undefined : form.form.test(text)
}

const parseOne = (spec: string): Result.Result<Fault, Refusal.Refusal> => {
  const [first = "", ...rest] = spec.split(";")
  const [kind, written] = split(first)
  const entry = Table.find(kind)
  if (entry === undefined) return refuse(spec, `there is no kind '${kind}'`)
  if (!fits(entry.value, written)) return refuse(spec, `it is written '${entry.grammar}'`)
  const options = new Map<string, string>()
  for (const part of rest) {
    const [name, value] = split(part)
    if (!Table.isName(name) || !entry.names.includes(name)) return refuse(spec, `'${kind}' takes no '${name}'`)
    const form = Table.names[name].value
    if (!fits(form, value)) return refuse(spec, `'${name}' is written '${Table.grammar(name, form)}'`)
    if (options.has(name)) return refuse(spec, `'${name}' stands twice`)
    options.set(name, value ?? "")
  }
  const number = (name: Table.Name) => {
    const text = options.get(name)
    return text === undefined ? undefined : Number(text)
  }
  const value = written ?? entry.value?.otherwise ?? ""
  const page = number("page")
  const body = options.get("body")
  const headers = kind === "rate-headers" ? value : options.get("headers")
  const framing = options.get("framing")
  const on = options.get("on")
  return Result.succeed({
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
    retryAfter: options.get("retry-after"),
    status: number("status") ?? 302,
    framing: framing === "length" || framing === "none" ? framing : "chunked",
    every: number("every") ?? 10,
    size: number("size") ?? 10_000
  })
}

/** Reads a spec: one fault, or several joined by commas. */
export const parse = (spec: string): Result.Result<ReadonlyArray<Fault>, Refusal.Refusal> => {
  const faults: Array<Fault> = []
  for (const part of spec.split(",")) {
    const fault = parseOne(part.trim())
    if (Result.isFailure(fault)) return Result.fail(fault.failure)
    faults.push(fault.success)
  }
  return Result.succeed(faults)
}

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
  const seen = new Map<string, number>()
  return {
    select: (faults, step) =>
      faults.filter((fault) => {
        if (fault.on !== undefined && fault.on !== step) return false
        const earlier = seen.get(fault.spec) ?? 0
        seen.set(fault.spec, earlier + 1)
        return earlier >= fault.after && earlier < fault.after + fault.times
      })
  }
}
