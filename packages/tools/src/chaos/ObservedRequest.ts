/**
 * The requests of a stream, and the effects their faults may have had.
 */
import type * as Fault from "@sluice/sandbox/Fault"
import * as Spec from "../../../sandbox/src/internal/faults/Spec.ts"
import * as Result from "effect/Result"
import type { Expected, Row } from "./Expected.ts"
import type { Request } from "./Reader.ts"
import * as Rows from "./Rows.ts"
import * as Rules from "./Rules.ts"
import type { Reading, Schedule } from "./Schedule.ts"
import * as Targets from "./Targets.ts"

/** A request, and the possible effects of its faults. */
export interface ObservedRequest {
  readonly faults: ReadonlyArray<Spec.Fault>
  readonly effects: ReadonlyArray<Rules.AllowedEffects>
  /** Refused by the window, before any fault. */
  readonly isRejected: boolean
}

/** The faults of a spec. */
export const faultsOf = (spec: string): ReadonlyArray<Spec.Fault> =>
  spec === "" ? [] : Result.getOrThrowWith(Spec.parse(spec), () => new Error(`'${spec}' is no fault`))

/** What the faults of a stream depend on. */
export const settingOf = (schedule: Schedule, { target }: Reading, { isRecord, rows }: Expected): Rules.Setting => {
  const breaks = (field: string, alter: (row: Row) => Row) =>
    rows.some((row) => Object.hasOwn(row, field) && !isRecord(alter(row)))
  return {
    ...schedule.client,
    world: schedule.world,
    latency: schedule.sandbox.latency,
    isLines: target.paging.format === "json_stream",
    isPaged: Targets.isPaged(target),
    needs: (field) => breaks(field, (row) => Rows.without(row, field)),
    refuses: (field) => breaks(field, (row) => ({ ...row, [field]: Rows.wrong(row[field]) })),
    isOpenMap: rows.some((row) => !isRecord({ ...row, sandbox_nested: {} }))
  }
}

/** Looks up the possible effects of the faults of a request. */
export const observe =
  (setting: Rules.Setting) =>
  ({ faults: spec, reply }: Request): ObservedRequest => {
    const faults = faultsOf(spec)
    const isRejected = reply?.status === 429 && !faults.some(({ amount, kind }) => kind === "status" && amount === 429)
    return {
      faults,
      isRejected,
      effects: isRejected ? [] : faults.map((fault) => Rules.rules[fault.kind](fault, setting))
    }
  }

/** Errors of a request after which a retry may help. */
export const retryable = ({ isRejected, effects }: ObservedRequest): ReadonlyArray<Rules.Tag> =>
  isRejected ? ["RateLimited"] : effects.flatMap(({ retryable }) => retryable ?? [])

/** Errors with which a request may have ended the stream. */
export const fatal = ({ effects }: ObservedRequest): ReadonlyArray<Rules.Tag> =>
  effects.flatMap(({ fatal }) => fatal ?? [])

type Effect = "shortens" | "repeats" | "alters" | "corrupts"

/** How many replies may have done this. */
export const count = (requests: ReadonlyArray<ObservedRequest>, effect: Effect): number =>
  requests.filter(({ effects }) => effects.some((verdict) => verdict[effect] === true)).length

/** Whether any reply may have done this. */
export const any = (requests: ReadonlyArray<ObservedRequest>, effect: Effect): boolean => count(requests, effect) > 0

/** What the replies may have done to single records. */
export const alterationsOf = (requests: ReadonlyArray<ObservedRequest>): Rows.Alterations => {
  const faults = requests.flatMap(({ faults }) => faults)
  const fields = (kind: Fault.Kind) => new Set(faults.filter((fault) => fault.kind === kind).map(({ value }) => value))
  return {
    kinds: new Set(faults.map(({ kind }) => kind)),
    missing: fields("missing"),
    wrong: fields("wrong-type")
  }
}

/** Kinds that leave the lines of a body as they are, or cut them by bytes. */
const measured = new Set<Fault.Kind>([
  "truncate-after",
  "close-after",
  "slow",
  "drip",
  "content-type",
  "content-encoding",
  "large-header",
  "echo-key",
  "rate-headers"
])

const isMeasured = (faults: ReadonlyArray<Spec.Fault>) =>
  faults.every(({ kind, position }) => measured.has(kind) && position.unit !== "record" && position.unit !== "within")

const encoder = new TextEncoder()

/**
 * Whether a json_stream may have been cut unnoticed after `count` records: at the end of a line, or, twice in a row, just
 * before the line feed; anywhere if a fault counts or changes lines.
 */
export const mayEndAt = (count: number, requests: ReadonlyArray<ObservedRequest>, { texts }: Expected): boolean => {
  const short = requests.filter((one) => any([one], "shortens")).map(({ faults }) => faults)
  if (!short.every(isMeasured)) return true
  const cuts = short.flat().filter(({ kind }) => kind === "truncate-after" || kind === "close-after")
  const distances = new Set([0])
  let bytes = 0
  // Counted backwards from the end, for a resumed reply may begin at any record.
  for (let at = count - 1; at >= 0; at--) {
    bytes += encoder.encode(texts[at]).length + 1
    distances.add(bytes).add(bytes - 1)
  }
  return cuts.some(({ position }) => distances.has(position.count))
}
