/**
 * Judges a schedule: its streams must give the records of the undisturbed run, or a prefix of them and an error that the faults
 * explain.
 */
import type { ApiError } from "@sluice/core"
import type * as Fault from "@sluice/sandbox/Fault"
import * as Redacted from "effect/Redacted"
import { apiKey, type Expected } from "./Expected.ts"
import * as ObservedRequest from "./ObservedRequest.ts"
import * as Order from "./Order.ts"
import type { Observed, Request } from "./Reader.ts"
import * as Rows from "./Rows.ts"
import type { Setting, Tag } from "./Rules.ts"
import type { Reading, Schedule } from "./Schedule.ts"
import * as Targets from "./Targets.ts"

/** A stream to be judged. */
interface Case {
  readonly reading: Reading
  readonly seen: Observed
  readonly expected: Expected
  readonly setting: Setting
  readonly requests: ReadonlyArray<ObservedRequest.ObservedRequest>
  /** Positions of the records in the order they have to come. */
  readonly order: ReadonlyArray<number>
  /** How often a request may be repeated. */
  readonly times: number
  /** Errors that do not depend on any fault. */
  readonly fails: ReadonlyArray<Tag>
}

type Findings = ReadonlyArray<string>

const caseOf = (schedule: Schedule, reading: Reading, seen: Observed, expected: Expected): Case => {
  const setting = ObservedRequest.settingOf(schedule, reading, expected)
  const requests = seen.requests.map(ObservedRequest.observe(setting))
  const { deprecated } = Targets.endpointOf(reading.target)
  return {
    reading,
    seen,
    expected,
    setting,
    requests,
    order: Order.of({ reading, rows: seen.rows, expected, setting, requests }),
    times: schedule.client.retry.times,
    fails: [
      ...(deprecated !== undefined && setting.deprecated === "fail" ? ["Deprecated" as const] : []),
      ...(expected.error === undefined ? [] : [expected.error])
    ]
  }
}

const judgeRecords = ({ expected, requests, order, seen }: Case): Findings => {
  const difference = Rows.firstDifference(seen.rows, order, expected, ObservedRequest.alterationsOf(requests))
  return difference === undefined || ObservedRequest.any(requests, "corrupts") ? [] : [difference]
}

/** After a reply that must fail the stream, no request follows, and the stream does not complete. */
const judgeEnds = ({ requests, reading, seen }: Case): Findings => {
  const at = requests.findIndex(({ faults, effects }) => faults.length === 1 && effects[0]?.mustFail === true)
  if (at === -1) return []
  const had = `request ${at} had to end the stream with ${ObservedRequest.fatal(requests[at]!).join(" or ")}`
  if (at < requests.length - 1) return [`${had}, and another followed`]
  const isCut = reading.consumer._tag === "Take"
  return seen.end._tag === "Complete" && !isCut ? [`${had}, and it ended without an error`] : []
}

const judgeComplete = ({ expected, fails, requests, order, reading: { consumer }, seen, setting }: Case): Findings => {
  const wrong: Array<string> = []
  const { length } = seen.rows
  const most = consumer._tag === "Take" ? consumer.count : Infinity
  if (length > most) return [`${length} records came where ${most} were taken`]
  if (length === most) return []
  if (length < order.length && !(setting.isLines && ObservedRequest.mayEndAt(length, requests, expected))) {
    wrong.push(`ended without an error after ${length} of ${order.length} records`)
  }
  // A reply that looks like an empty list stands in the place of the refusal.
  if (fails.length > 0 && !ObservedRequest.any(requests, "shortens"))
    wrong.push(`ended without an error, but has to fail with ${fails.join(" or ")}`)
  const isMore = seen.pages.map(({ next_page_token }) => next_page_token !== undefined)
  if (isMore.some((isMore, page) => isMore !== page < seen.pages.length - 1)) {
    wrong.push(`its pages say ${JSON.stringify(isMore)} of whether another follows`)
  }
  if (seen.pages.some(({ page }, index) => page !== index + 1)) wrong.push("its pages are not counted from 1")
  return wrong
}

/** Kinds that change where a page leads. */
const movesOn = new Set<Fault.Kind>(["empty-page", "removed", "long-token", "foreign-token", "repeat-token"])

/** A number is exact or refused. In JSON that nests deeper than the stack, the text of a number cannot be found. */
const refusedNumber = ({ faults }: ObservedRequest.ObservedRequest): ReadonlyArray<Tag> =>
  ["number", "deep"].every((kind) => faults.some((fault) => fault.kind === kind)) ? ["Decode"] : []

/** The errors that the last request, or an effect of an earlier one, explains. */
const explained = ({ fails, requests, setting }: Case, error: ApiError.ApiError): ReadonlyArray<Tag> => {
  const last = requests.at(-1)
  if (last === undefined) return fails.slice(0, 1)
  const earlier = requests.slice(0, -1).flatMap(({ effects }) => effects.flatMap(({ fatalLater }) => fatalLater ?? []))
  const isChanged =
    setting.isLines &&
    requests.length > 1 &&
    (ObservedRequest.any(requests, "alters") || ObservedRequest.any(requests, "shortens"))
  const changed = isChanged && error._tag === "Unavailable" && !error.transient ? [error._tag] : []
  // Asked for once more, a page has to lead where its damaged copy led.
  const isReread =
    setting.isPaged &&
    requests.some((one) => [...ObservedRequest.retryable(one), ...ObservedRequest.fatal(one)].includes("Decode"))
  const moved = isReread && last.faults.some(({ kind }) => movesOn.has(kind)) ? (["Decode"] as const) : []
  return [
    ...fails,
    ...ObservedRequest.retryable(last),
    ...ObservedRequest.fatal(last),
    ...earlier,
    ...changed,
    ...moved,
    ...refusedNumber(last)
  ]
}

/** Control characters, and those that change the direction of writing. */
const actsOnTerminal = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

const judgeFailed = (one: Case, error: ApiError.ApiError): Findings => {
  const { requests, reading, seen, times } = one
  const wrong: Array<string> = []
  const allowed = explained(one, error)
  if (!allowed.includes(error._tag)) {
    wrong.push(`failed with ${error._tag}, where its requests allow [${allowed.join(", ")}]: ${error.message}`)
  }
  if (error._tag === "RateLimited" || (error._tag === "Unavailable" && error.transient)) {
    const attempts = requests.slice(-times - 1)
    // Read on from its last record, a stream has to begin with that record as it was.
    const mayFail = (attempt: ObservedRequest.ObservedRequest) =>
      ObservedRequest.retryable(attempt).length > 0 || (one.setting.isLines && ObservedRequest.any([attempt], "alters"))
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
  !setting.isPaged &&
  first !== undefined &&
  second !== undefined &&
  ObservedRequest.retryable(first).length + ObservedRequest.fatal(first).length === 0
    ? ["a second request was sent although nothing was wrong with the first"]
    : []

/** Judges one stream. */
export const stream = (schedule: Schedule, reading: Reading, seen: Observed, expected: Expected): Findings => {
  const one = caseOf(schedule, reading, seen, expected)
  return [...judgeRecords(one), ...judgeRequests(one), ...judgeEnds(one), ...judgeEnd(one)]
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

const hasty = ({ reply }: Request, later: ReadonlyArray<Request>, until: number): Findings =>
  later
    .filter(({ at }) => reply !== undefined && at > reply.at && at < until)
    .map(({ at }) => `a request was sent ${until - at} ms before a reply with ${reply?.status} allowed it`)

/** Checks that the client waited as asked: all its streams after a 429, otherwise the stream that met the fault. */
const patience = (seen: ReadonlyArray<Observed>): Findings =>
  seen.flatMap(({ requests }) =>
    requests.flatMap((request, index) => {
      const isForAll = request.reply?.status === 429
      const later = isForAll ? seen.flatMap(({ requests }) => requests) : requests.slice(index + 1)
      return request.reply?.status === 200 ? [] : hasty(request, later, askedUntil(request))
    })
  )

/** Checks that the client kept the limits of its plan. */
export const pace = (schedule: Schedule, seen: ReadonlyArray<Observed>): Findings => {
  const rejected = seen
    .flatMap(({ requests }) => requests)
    .filter(({ faults, reply }) => reply?.status === 429 && !faults.includes("status=429"))
  return [
    ...patience(seen),
    ...(isHonest(schedule) && rejected.length > 0
      ? [`${rejected.length} requests were refused by a window the client knows`]
      : [])
  ]
}
