/**
 * Faults on request: what a caller writes to make the stand-in misbehave.
 *
 * **Details**
 *
 * A spec is `kind[=value](;name=value)*`; several, joined by commas, apply to the same reply. It is sent in the header
 * `x-sandbox-fault`, or stands in the path as `/fault/<spec>/v4/…`, where every page that follows inherits it.
 *
 * **Example** (Failing twice, then answering)
 *
 * ```ts
 * sandbox.faultUrl("status=503;body=html;times=2")
 * ```
 */
import * as Result from "effect/Result"
import * as Refusal from "./Refusal.ts"

/** The request header that carries a spec. */
export const header = "x-sandbox-fault"

// What the value of each kind must look like; null forbids one.
const values = {
  status: /^[2-5]\d\d$/,
  reset: null,
  "reset-after": /^\d{1,12}$/,
  stall: null,
  "stall-after": /^\d{1,12}$/,
  "truncate-after": /^\d{1,12}$/,
  "truncate-line": /^\d{1,12}$/,
  "cut-line": /^[1-9]\d{0,11}$/,
  "error-line": /^[1-9]\d{0,11}$/,
  "blank-lines": null,
  crlf: null,
  "split-utf8": null,
  "empty-page": null,
  "repeat-token": null,
  "error-body": null,
  "extra-fields": null,
  "wrong-type": /^.+$/,
  missing: /^.+$/,
  slow: /^\d{1,7}$/,
  deprecation: null,
  sunset: null
} satisfies Record<string, RegExp | null>

/** The kinds of fault. */
export type Kind = keyof typeof values

/** Every kind of fault. */
// Type boundary: Object.keys forgets the keys of the literal above.
export const kinds: ReadonlyArray<Kind> = Object.keys(values) as Array<Kind>

/** One fault, read from its spec. */
export interface Fault {
  readonly kind: Kind
  /** The text of the spec, which names the counter of `times` and `after`. */
  readonly spec: string
  /** The field, for `wrong-type` and `missing`; the digits, for kinds that take a number. */
  readonly value: string
  /** The number, for kinds that take one. */
  readonly amount: number
  /** How many matching requests are let through first. */
  readonly after: number
  /** How many matching requests are then met with the fault. */
  readonly times: number
  readonly body: "json" | "html" | "empty"
  readonly headers: "normal" | "none" | "malformed"
  /** Seconds for a Retry-After header. */
  readonly retryAfter: number | undefined
}

const names: Readonly<Record<string, RegExp>> = {
  times: /^\d{1,9}$/,
  after: /^\d{1,9}$/,
  page: /^[1-9]\d{0,8}$/,
  id: /^[\w.-]+$/,
  body: /^(json|html|empty)$/,
  headers: /^(none|malformed|normal)$/,
  "retry-after": /^\d{1,6}$/
}

const refuse = (spec: string) => Result.fail(Refusal.badParameter(header, `Fault '${spec}' cannot be read.`))

const isKind = (text: string): text is Kind => Object.hasOwn(values, text)

const split = (text: string): readonly [name: string, value: string | undefined] => {
  const at = text.indexOf("=")
  return at < 0 ? [text.trim(), undefined] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

const parseOne = (spec: string): Result.Result<Fault, Refusal.Refusal> => {
  const [first = "", ...rest] = spec.split(";")
  const [kind, value] = split(first)
  if (!isKind(kind)) return refuse(spec)
  const form = values[kind]
  if (form === null ? value !== undefined : value === undefined || !form.test(value)) return refuse(spec)
  const options = new Map<string, string>()
  for (const part of rest) {
    const [name, value = ""] = split(part)
    if (names[name]?.test(value) !== true || options.has(name)) return refuse(spec)
    options.set(name, value)
  }
  const number = (name: string) => {
    const text = options.get(name)
    return text === undefined ? undefined : Number(text)
  }
  const page = number("page")
  const body = options.get("body")
  const headers = options.get("headers")
  return Result.succeed({
    kind,
    spec,
    value: value ?? "",
    amount: Number(value ?? Number.NaN),
    after: page === undefined ? (number("after") ?? 0) : page - 1,
    times: number("times") ?? (page === undefined ? Number.POSITIVE_INFINITY : 1),
    body: body === "html" || body === "empty" ? body : "json",
    headers: headers === "none" || headers === "malformed" ? headers : "normal",
    retryAfter: number("retry-after")
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

/** Counts the requests that carried each fault. */
export interface Counter {
  /** Keeps the faults that this request is to meet. */
  readonly due: (faults: ReadonlyArray<Fault>) => ReadonlyArray<Fault>
}

/** Makes a counter that has seen nothing. */
export const makeCounter = (): Counter => {
  const seen = new Map<string, number>()
  return {
    due: (faults) =>
      faults.filter((fault) => {
        const earlier = seen.get(fault.spec) ?? 0
        seen.set(fault.spec, earlier + 1)
        return earlier >= fault.after && earlier < fault.after + fault.times
      })
  }
}
