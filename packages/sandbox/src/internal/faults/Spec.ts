/**
 * How a spec of faults is written, of replies and of live streams alike: `kind=value;name=value`, several joined by commas; and the
 * count of those who met one, for `times` and `after`.
 */
import * as Result from "effect/Result"
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"
import * as Refusal from "../request/Refusal.ts"
import * as Grammar from "./Grammar.ts"
import { grammar, requestHeader, type Value } from "./Grammar.ts"
import * as Table from "./Table.ts"

export interface Written<Kind, Name> {
  readonly entry: Grammar.Entry<Kind, string, Name>
  readonly spec: string
  readonly value: string | undefined
  readonly text: (name: Name) => string | undefined
  readonly number: (name: Name) => number | undefined
}

interface Kinds<Kind, Name extends string> {
  readonly table: ReadonlyArray<Grammar.Entry<Kind, string, Name>>
  readonly names: Readonly<Record<Name, Grammar.Named>>
}

const refuse = (spec: string, why: string) =>
  Result.fail(
    Refusal.badParameter(
      requestHeader,
      `Fault '${spec}' cannot be read: ${why}. \`sluice sandbox --faults\` lists the kinds.`
    )
  )

const split = (text: string): readonly [name: string, value: string | undefined] => {
  const at = text.indexOf("=")
  return at < 0 ? [text.trim(), undefined] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

const fits = (form: Value | undefined, text: string | undefined): boolean => {
  if (form === undefined) return text === undefined
  return text === undefined ? form.otherwise !== undefined : form.form.test(text)
}

const readOne = <Kind, Name extends string>(
  { names, table }: Kinds<Kind, Name>,
  spec: string
): Result.Result<Written<Kind, Name>, Refusal.Refusal> => {
  const [first = "", ...rest] = spec.split(";")
  const [kind, value] = split(first)
  const entry = table.find((entry) => entry.kind === kind)
  if (entry === undefined) return refuse(spec, `there is no kind '${kind}'`)
  if (!fits(entry.value, value)) return refuse(spec, `it is written '${entry.grammar}'`)
  const options = new Map<Name, string>()
  for (const part of rest) {
    const [text, value] = split(part)
    const name = entry.names.find((known) => known === text)
    if (name === undefined) return refuse(spec, `'${kind}' takes no '${text}'`)
    const form = names[name].value
    if (!fits(form, value)) return refuse(spec, `'${name}' is written '${grammar(name, form)}'`)
    if (options.has(name)) return refuse(spec, `'${name}' stands twice`)
    options.set(name, value ?? "")
  }
  const text = (name: Name) => options.get(name)
  const number = (name: Name) => (options.has(name) ? Number(options.get(name)) : undefined)
  return Result.succeed({ entry, spec, value, text, number })
}

/** Reads a spec: one fault, or several joined by commas. */
export const read = <Kind, Name extends string, Fault>(
  kinds: Kinds<Kind, Name>,
  spec: string,
  make: (written: Written<Kind, Name>) => Fault
): Result.Result<ReadonlyArray<Fault>, Refusal.Refusal> =>
  Result.all(spec.split(",").map((part) => Result.map(readOne(kinds, part.trim()), make)))

const steps = ["start", "status", "result"] as const

type Step = (typeof steps)[number]

export interface Counted {
  /** The text of the spec, which names the counter of `times` and `after`. */
  readonly spec: string
  /** How many are let through first. */
  readonly after: number
  /** How many are then met with the fault. */
  readonly times: number
  /** The step of a job that it strikes alone; undefined where it strikes any request. */
  readonly on?: Step | undefined
}

/** Counts those who bring faults, and selects what strikes this one, which may be a step of a job. */
export const makeCounter = () => {
  const seen = new Map<string, number>()
  const strikes = ({ after, spec, times }: Counted) => {
    const earlier = seen.get(spec) ?? 0
    seen.set(spec, earlier + 1)
    return earlier >= after && earlier < after + times
  }
  return <Fault extends Counted>(faults: ReadonlyArray<Fault>, step?: Step): ReadonlyArray<Fault> =>
    faults.filter((fault) => (fault.on === undefined || fault.on === step) && strikes(fault))
}

export const find = <Fault extends { readonly kind: string }>(
  faults: ReadonlyArray<Fault>,
  kind: Fault["kind"]
): Fault | undefined => faults.find((fault) => fault.kind === kind)

/** A place in a body: after so many bytes, after a whole record, or within one. */
export interface Position {
  readonly unit: "byte" | "record" | "within"
  readonly count: number
}

const positionOf = (text: string): Position => {
  const [, unit, count] = Grammar.position.form.exec(text) ?? []
  return { unit: unit === "record" || unit === "within" ? unit : "byte", count: Number(count ?? Number.NaN) }
}

interface Common<Kind> {
  readonly entry: { readonly kind: Kind }
  readonly spec: string
  readonly text: (name: "body") => string | undefined
  readonly number: (name: "after" | "times") => number | undefined
}

/** What every fault has, of replies and of live streams alike; `amount` is its number, for kinds that take one. */
export const common = <Kind>({ entry, number, spec, text }: Common<Kind>, amount: number) => ({
  kind: entry.kind,
  spec,
  amount,
  after: number("after") ?? 0,
  times: number("times") ?? Number.POSITIVE_INFINITY,
  body: (["html", "empty"] as const).find((body) => body === text("body")) ?? ("json" as const)
})

const make = (written: Written<Table.Kind, Grammar.Name>) => {
  const { entry, number, text } = written
  const value = written.value ?? entry.value?.otherwise ?? ""
  const page = number("page")
  const headers = entry.kind === "rate-headers" ? value : text("headers")
  return {
    ...common(written, Number(value)),
    ...(page === undefined ? {} : { after: page - 1, times: number("times") ?? 1 }),
    /** The value as it is written, or what is meant without one. */
    value,
    /** The place, for kinds that take one. */
    position: positionOf(value),
    on: steps.find((step) => step === text("on")),
    /** The form of the X-RateLimit headers; undefined when nothing was said. */
    headers: headers !== undefined && RateLimitHeaders.isName(headers) ? headers : undefined,
    /** The wait of a Retry-After header, as it is written. */
    retryAfter: text("retry-after"),
    status: number("status") ?? 302,
    framing: (["length", "none"] as const).find((framing) => framing === text("framing")) ?? ("chunked" as const),
    /** Milliseconds between two pieces. */
    every: number("every") ?? 10,
    /** Bytes of a long header. */
    size: number("size") ?? 10_000
  }
}

export type Fault = ReturnType<typeof make>

export const parse = (spec: string) => read({ table: Table.table, names: Grammar.names }, spec, make)

export const has = (faults: ReadonlyArray<Fault>, ...kinds: ReadonlyArray<Table.Kind>): boolean =>
  faults.some((fault) => kinds.includes(fault.kind))
