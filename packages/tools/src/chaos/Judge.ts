/**
 * Judges a schedule by what came of it: its streams must give the records of the undisturbed run, each once and in their order,
 * or a prefix of them and an error that the faults explain.
 */
import type { ApiError } from "@sluice/core"
import { Redacted } from "effect"
import type * as Spec from "../../../sandbox/src/internal/faults/Spec.ts"
import { apiKey, type Expected } from "./Expected.ts"
import * as Faults from "./Faults.ts"
import type { Observed, Request } from "./Reader.ts"
import * as Records from "./Records.ts"
import type { Reading, Schedule } from "./Schedule.ts"
import * as Targets from "./Targets.ts"

type Findings = ReadonlyArray<string>

/** A request, and what its faults may have done. */
interface Met {
  readonly faults: ReadonlyArray<Spec.Fault>
  readonly effects: ReadonlyArray<Faults.Effects>
  /** Errors after which the request may be made again. */
  readonly retry: ReadonlyArray<Faults.Tag>
  /** Errors that may end the stream. */
  readonly fails: ReadonlyArray<Faults.Tag>
}

/** A stream to be judged. */
interface Case {
  readonly reading: Reading
  readonly seen: Observed
  readonly expected: Expected
  readonly setting: Faults.Setting
  readonly requests: ReadonlyArray<Met>
  readonly placed: Records.Placed
  /** Whether a request may have had an effect on the records. */
  readonly may: (records: Faults.Effects["records"]) => boolean
  /** How often a request may be repeated. */
  readonly times: number
  /** Errors that do not depend on any fault. */
  readonly fails: ReadonlyArray<Faults.Tag>
}

const isRejected = ({ faults, reply }: Request) => reply?.status === 429 && !faults.includes("status=429")

const meet =
  (setting: Faults.Setting) =>
  (request: Request): Met => {
    // The window refuses before any fault.
    if (isRejected(request)) return { faults: [], effects: [], retry: ["RateLimited"], fails: [] }
    const faults = Faults.parse(request.faults)
    const effects = faults.map((fault) => Faults.effectsOf(fault, setting))
    // In JSON that nests deeper than the stack, the text of a number cannot be found: then it is refused.
    const isLost = ["number", "deep"].every((kind) => faults.some((fault) => fault.kind === kind))
    return {
      faults,
      effects,
      retry: effects.flatMap(({ retry }) => retry ?? []),
      fails: [...effects.flatMap(({ fails }) => fails ?? []), ...(isLost ? (["Decode"] as const) : [])]
    }
  }

const caseOf = (schedule: Schedule, reading: Reading, seen: Observed, expected: Expected): Case => {
  const { target } = reading
  const isLines = target.paging.format === "json_stream"
  const isPaged = Targets.isPaged(target)
  const setting: Faults.Setting = {
    ...schedule.client,
    world: schedule.world,
    latency: schedule.sandbox.latency,
    isLines,
    isPaged,
    breaks: (fault) => expected.rows.some((row) => !expected.isRecord(Records.altered(row, fault)))
  }
  const requests = seen.requests.map(meet(setting))
  const may: Case["may"] = (records) => requests.some(({ effects }) => effects.some((one) => one.records === records))
  const way = may("disordered") ? "disordered" : may("fewer") ? "fewer" : "whole"
  const isReversed = isPaged && target.paging.paging_from === "end"
  const { deprecated } = Targets.endpointOf(target)
  return {
    reading,
    seen,
    expected,
    setting,
    requests,
    placed: Records.place(
      seen.rows,
      expected,
      isReversed,
      way,
      requests.flatMap(({ faults }) => faults)
    ),
    may,
    times: schedule.client.retry.times,
    fails: [
      ...(deprecated !== undefined && setting.deprecated === "fail" ? (["Deprecated"] as const) : []),
      ...(expected.error === undefined ? [] : [expected.error])
    ]
  }
}

/** After a reply that must fail the stream, no request follows, and the stream does not complete. */
const judgeEnds = ({ requests, reading, seen }: Case): Findings => {
  const at = requests.findIndex(({ faults, effects }) => faults.length === 1 && effects[0]?.must === true)
  if (at === -1) return []
  const had = `request ${at} had to end the stream with ${requests[at]!.fails.join(" or ")}`
  if (at < requests.length - 1) return [`${had}, and another followed`]
  const isCut = reading.consumer._tag === "Take"
  return seen.end._tag === "Complete" && !isCut ? [`${had}, and it ended without an error`] : []
}

/** How many records may be missing without a sign: of lines any number, of pages those that the service has removed meanwhile. */
const mostMissing = ({ may, requests, setting }: Case) => {
  if (setting.isLines) return may("fewer") ? Number.POSITIVE_INFINITY : 0
  const removed = requests.flatMap(({ faults }) => faults).filter(({ kind }) => kind === "removed")
  return removed.reduce((sum, { amount }) => sum + amount, 0)
}

const judgeComplete = (one: Case): Findings => {
  const { expected, fails, placed, reading, seen } = one
  const { length } = seen.rows
  const most = reading.consumer._tag === "Take" ? reading.consumer.count : Infinity
  if (length > most) return [`${length} records came where ${most} were taken`]
  if (length === most) return []
  const wrong: Array<string> = []
  const all = expected.rows.length
  if (all - placed.places.size > mostMissing(one))
    wrong.push(`ended without an error after ${length} of ${all} records`)
  // A reply that looks like an empty list stands in the place of the refusal.
  if (fails.length > 0 && !one.may("fewer"))
    wrong.push(`ended without an error, but has to fail with ${fails.join(" or ")}`)
  const isMore = seen.pages.map(({ next_page_token }) => next_page_token !== undefined)
  if (isMore.some((isMore, page) => isMore !== page < seen.pages.length - 1)) {
    wrong.push(`its pages say ${JSON.stringify(isMore)} of whether another follows`)
  }
  if (seen.pages.some(({ page }, index) => page !== index + 1)) wrong.push("its pages are not counted from 1")
  return wrong
}

/** Control characters, and those that change the direction of writing. */
const actsOnTerminal = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

const judgeFailed = (one: Case, error: ApiError.ApiError): Findings => {
  const { fails, may, requests, reading, seen, setting, times } = one
  const wrong: Array<string> = []
  // Lines read again after a cut must be the same; otherwise the stream fails.
  const mayDiffer = setting.isLines && requests.length > 1 && (may("altered") || may("fewer"))
  const allowed = [
    ...fails,
    ...requests.flatMap(({ fails }) => fails),
    ...(requests.at(-1)?.retry ?? []),
    ...(mayDiffer && error._tag === "Unavailable" && !error.transient ? ["Unavailable"] : [])
  ]
  if (!allowed.includes(error._tag)) {
    wrong.push(`failed with ${error._tag}, where its requests allow [${allowed.join(", ")}]: ${error.message}`)
  }
  if (error._tag === "RateLimited" || (error._tag === "Unavailable" && error.transient)) {
    const attempts = requests.slice(-times - 1)
    // Read on from its last record, a stream has to begin with that record as it was.
    const mayFail = ({ effects, retry }: Met) =>
      retry.length > 0 || (setting.isLines && effects.some(({ records }) => records === "altered"))
    if (attempts.length <= times || !attempts.every(mayFail)) {
      wrong.push(`gave up although fewer than ${times + 1} requests in a row failed: ${error.message}`)
    } else if (error.attempts !== times + 1) {
      wrong.push(`its error tells of ${error.attempts} attempts, and there were ${times + 1}`)
    }
  }
  if (error.endpoint !== reading.target.path) wrong.push(`its error speaks of ${error.endpoint}`)
  const delivered = error._tag === "Unavailable" ? error.delivered : undefined
  if (delivered !== undefined && delivered !== seen.rows.length) {
    wrong.push(`its error tells of ${delivered} records, and there were ${seen.rows.length}`)
  }
  const key = Redacted.value(apiKey)
  if (`${error.message}${JSON.stringify(error)}`.includes(key)) wrong.push(`its error shows the key: ${error.message}`)
  if (actsOnTerminal.test(error.message)) wrong.push(`its error acts on a terminal: ${JSON.stringify(error.message)}`)
  return wrong
}

const judgeEnd = (one: Case): Findings => {
  const { end } = one.seen
  switch (end._tag) {
    case "Complete":
      return judgeComplete(one)
    case "Failed":
      return judgeFailed(one, end.error)
    case "Interrupted":
      return []
    case "Defect":
      return [`died: ${end.text}`]
    case "Unfinished":
      return ["never ended"]
  }
}

/** Where all records come in one reply, no second request is sent unless the first reply had a fault. */
const judgeRequests = ({ requests: [first, second], setting }: Case): Findings =>
  !setting.isPaged && first !== undefined && second !== undefined && first.retry.length + first.fails.length === 0
    ? ["a second request was sent although nothing was wrong with the first"]
    : []

/** Judges one stream. */
export const stream = (schedule: Schedule, reading: Reading, seen: Observed, expected: Expected): Findings => {
  const one = caseOf(schedule, reading, seen, expected)
  const { finding } = one.placed
  return [
    ...(finding === undefined || one.may("wrong") ? [] : [finding]),
    ...judgeRequests(one),
    ...judgeEnds(one),
    ...judgeEnd(one)
  ]
}

/** Whether the client knew its limit, so that none of its requests may have been refused. */
const isHonest = ({ client, sandbox, streams }: Schedule): boolean =>
  (sandbox.dialect?.rateLimitHeaders ?? "standard") === "standard" &&
  (client.plan === undefined || (client.root === "paid" && client.plan === sandbox.plan)) &&
  // A 429 that was asked for is counted by the service, and not by the client.
  !streams.some(({ faults, always }) => [...faults, always].some((fault) => /headers=|status=429/.test(fault)))

/** The end of the wait that a reply asks for in seconds. */
const askedUntil = ({ reply }: Request): number =>
  reply?.retryAfter !== undefined && /^\d+$/.test(reply.retryAfter) ? reply.at + 1000 * Number(reply.retryAfter) : 0

/** Checks that the client waited as asked: all its streams after a 429, otherwise the stream that met the fault. */
const patience = (seen: ReadonlyArray<Observed>): Findings =>
  seen.flatMap(({ requests }) =>
    requests.flatMap((request, index) => {
      const { reply } = request
      if (reply === undefined || reply.status === 200) return []
      const later = reply.status === 429 ? seen.flatMap(({ requests }) => requests) : requests.slice(index + 1)
      const until = askedUntil(request)
      return later
        .filter(({ at }) => at > reply.at && at < until)
        .map(({ at }) => `a request was sent ${until - at} ms before a reply with ${reply.status} allowed it`)
    })
  )

/** Checks that the client kept the limits of its plan. */
export const pace = (schedule: Schedule, seen: ReadonlyArray<Observed>): Findings => {
  const rejected = seen.flatMap(({ requests }) => requests).filter(isRejected)
  return [
    ...patience(seen),
    ...(isHonest(schedule) && rejected.length > 0
      ? [`${rejected.length} requests were refused by a window the client knows`]
      : [])
  ]
}
