/**
 * Parses the faults of live streams, which share a spec with those of HTTP and begin with `live-`.
 */
import * as Result from "effect/Result"
import * as Refusal from "../request/Refusal.ts"
import type { Value } from "./Grammar.ts"
import * as LiveTable from "./LiveTable.ts"
import { requestHeader } from "./Table.ts"

/** After so many frames, or after so long. */
export interface LivePosition {
  readonly unit: "frame" | "ms"
  readonly amount: number
}

/** One fault of a live stream, read from its spec. */
export interface LiveFault {
  readonly kind: LiveTable.LiveKind
  /** The text of the spec, which names the counter of `times` and `after`. */
  readonly spec: string
  readonly amount: number
  readonly position: LivePosition
  readonly after: number
  readonly times: number
  readonly body: "json" | "html" | "empty"
  readonly code: number
  /** The frame that it happens to. */
  readonly at: number
  /** The type of the error that refuses the connection. */
  readonly refused: (typeof LiveTable.refusals)[number] | undefined
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

const fits = (form: Value | undefined, text: string | undefined): boolean =>
  form === undefined ? text === undefined : text !== undefined && form.form.test(text)

const parseOne = (spec: string): Result.Result<LiveFault, Refusal.Refusal> => {
  const [first = "", ...rest] = spec.split(";")
  const [kind, value] = split(first)
  const entry = LiveTable.find(kind)
  if (entry === undefined) return refuse(spec, `there is no kind '${kind}'`)
  if (!fits(entry.value, value)) return refuse(spec, `it is written '${entry.grammar}'`)
  const options = new Map<string, string>()
  for (const part of rest) {
    const [name, value] = split(part)
    if (!LiveTable.isName(name) || !entry.names.includes(name)) return refuse(spec, `'${kind}' takes no '${name}'`)
    const form = LiveTable.names[name].value
    if (!fits(form, value)) return refuse(spec, `'${name}' is written '${name}=${form.name}'`)
    if (options.has(name)) return refuse(spec, `'${name}' stands twice`)
    options.set(name, value ?? "")
  }
  const number = (name: LiveTable.LiveName, otherwise: number) => Number(options.get(name) ?? otherwise)
  const body = options.get("body")
  const isTime = value?.endsWith("ms") ?? false
  const amount = Number((value ?? "").replace("ms", ""))
  return Result.succeed({
    kind: entry.kind,
    spec,
    amount,
    position: { unit: isTime ? "ms" : "frame", amount },
    after: number("after", 0),
    times: number("times", Number.POSITIVE_INFINITY),
    body: body === "html" || body === "empty" ? body : "json",
    code: number("code", 1012),
    at: number("at", 1),
    refused: LiveTable.refusals.find((type) => type === value)
  })
}

/** A spec, of which one part is about HTTP and the other about live streams. */
export interface Parts {
  readonly http: string
  readonly live: string
}

const isLive = (part: string): boolean => part.trim().startsWith("live-")

/** Takes a spec apart. */
export const separate = (spec: string): Parts => {
  const parts = spec.split(",").filter((part) => part.trim() !== "")
  return { http: parts.filter((part) => !isLive(part)).join(","), live: parts.filter(isLive).join(",") }
}

/** Reads the faults of a live stream. */
export const parse = (spec: string): Result.Result<ReadonlyArray<LiveFault>, Refusal.Refusal> => {
  const faults: Array<LiveFault> = []
  for (const part of spec === "" ? [] : spec.split(",")) {
    const fault = parseOne(part.trim())
    if (Result.isFailure(fault)) return Result.fail(fault.failure)
    faults.push(fault.success)
  }
  return Result.succeed(faults)
}

/** Finds the fault of a kind among those that a connection meets. */
export const find = (faults: ReadonlyArray<LiveFault>, kind: LiveTable.LiveKind): LiveFault | undefined =>
  faults.find((fault) => fault.kind === kind)

/** Selects the faults that a connection meets, and counts for `times` and `after`. */
export interface LiveCounter {
  readonly select: (faults: ReadonlyArray<LiveFault>) => ReadonlyArray<LiveFault>
}

/** Builds a counter. */
export const makeCounter = (): LiveCounter => {
  const seen = new Map<string, number>()
  return {
    select: (faults) =>
      faults.filter(({ after, spec, times }) => {
        const earlier = seen.get(spec) ?? 0
        seen.set(spec, earlier + 1)
        return earlier >= after && earlier < after + times
      })
  }
}
