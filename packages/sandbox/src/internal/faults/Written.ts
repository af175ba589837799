/**
 * How a spec of faults is written, over HTTP and of live streams alike: `kind=value;name=value`, several joined by commas; and the
 * count of those who met one, for `times` and `after`.
 */
import * as Result from "effect/Result"
import * as Refusal from "../request/Refusal.ts"
import { grammar, requestHeader, type Value } from "./Grammar.ts"

/** The kinds that there are, and what may follow each. */
export interface Kinds<Entry, Name extends string> {
  readonly find: (kind: string) => Entry | undefined
  readonly isName: (text: string) => text is Name
  readonly names: Readonly<Record<Name, { readonly value: Value }>>
}

/** One kind, as far as it is written. */
interface Kind<Name> {
  readonly grammar: string
  readonly value?: Value
  readonly names: ReadonlyArray<Name>
}

/** A fault as it is written. */
export interface Written<Entry, Name> {
  readonly entry: Entry
  readonly spec: string
  readonly value: string | undefined
  /** The text under a name. */
  readonly text: (name: Name) => string | undefined
  readonly number: (name: Name) => number | undefined
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

const readOne = <Entry extends Kind<Name>, Name extends string>(
  { find, isName, names }: Kinds<Entry, Name>,
  spec: string
): Result.Result<Written<Entry, Name>, Refusal.Refusal> => {
  const [first = "", ...rest] = spec.split(";")
  const [kind, value] = split(first)
  const entry = find(kind)
  if (entry === undefined) return refuse(spec, `there is no kind '${kind}'`)
  if (!fits(entry.value, value)) return refuse(spec, `it is written '${entry.grammar}'`)
  const options = new Map<string, string>()
  for (const part of rest) {
    const [name, value] = split(part)
    if (!isName(name) || !entry.names.includes(name)) return refuse(spec, `'${kind}' takes no '${name}'`)
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
export const read = <Entry extends Kind<Name>, Name extends string, Fault>(
  kinds: Kinds<Entry, Name>,
  spec: string,
  make: (written: Written<Entry, Name>) => Fault
): Result.Result<ReadonlyArray<Fault>, Refusal.Refusal> =>
  Result.all(spec.split(",").map((part) => Result.map(readOne(kinds, part.trim()), make)))

/** What is counted of a fault. */
export interface Counted {
  /** The text of the spec, which names the counter of `times` and `after`. */
  readonly spec: string
  /** How many are let through first. */
  readonly after: number
  /** How many are then met with the fault. */
  readonly times: number
}

/** Builds a counter, which tells for each fault whether it strikes this time. */
export const makeCounter = (): ((fault: Counted) => boolean) => {
  const seen = new Map<string, number>()
  return ({ after, spec, times }) => {
    const earlier = seen.get(spec) ?? 0
    seen.set(spec, earlier + 1)
    return earlier >= after && earlier < after + times
  }
}
