/**
 * Writes the table as a page of Markdown that does not depend on time, machine or chance.
 */
import type { ApiError } from "@sluice/core"
import * as List from "./List.ts"
import * as Page from "./Page.ts"
import * as Row from "./Row.ts"
import * as Run from "./Run.ts"
import type { Case } from "./Verdict.ts"

/** What the page is made from. */
export interface Report {
  readonly groups: ReadonlyArray<Row.Group>
  readonly attacks: ReadonlyArray<Row.Hostile>
  readonly cases: ReadonlyArray<Case>
  /** Records of the list that was read. */
  readonly total: number
  /** Requests without a fault. */
  readonly undisturbed: { readonly [format in Row.Format]: number }
}

/** Prints the page. */
export const print = (report: Report): string =>
  Page.paragraphs(
    introduction(report),
    ...report.groups.flatMap((group) => [`## ${group.title}`, group.prose, table(group, report)]),
    unseen,
    hostile,
    ...report.attacks.flatMap((group) => [`## ${group.title}`, group.prose, attacked(group, report)])
  )

const introduction = ({ cases, total, undisturbed }: Report) =>
  Page.paragraphs(
    "# Faults",
    `What a user of Sluice sees when something goes wrong: ${cases.length} runs, each with a fault of the stand-in ` +
      "service. `pnpm faults` runs all of them and writes this page. It stops when a record is lost or repeated, when a " +
      "call neither completes nor fails with a typed error, or when the key is visible. To change the page, change " +
      "`packages/tools/src/faults`. Records are lost or repeated in two cases only, and their rows say so: a json_stream " +
      "that is closed between two lines and read without `checkEnd`, and a service that repeats records itself under " +
      '`onDisorder: "warn"`, which logs a warning.',
    tags,
    "**What is read.** Daily values of three assets over a year, " +
      `${total} records: as pages of ${List.pageSize}, which is ${undisturbed.pages} requests, or as one json_stream, which is ` +
      `${undisturbed.json_stream}. The client is the real one, over real sockets with gzip, and stricter than by default: ` +
      `${Run.attempts} attempts (\`Retry.make({ base: "1 millis", times: ${Run.attempts - 1} })\`), ${Run.limit.silent} second for ` +
      `the first byte and between two pieces of a body where the service stops sending (${Run.limit.other} elsewhere), at most ` +
      "1 MiB of a page and 256 KiB of a line.",
    `**When it happens.** *Once*: to the request for page ${Row.firstPage}, or to the first request of the json_stream. ` +
      `*Always*: to every request from there on. The ${(Row.firstPage - 1) * List.pageSize} records of the pages before are ` +
      "delivered in any case.",
    "**What is counted.** *Delivered*: the records the program got. *Lost*: records missing before the point where the stream " +
      "ended. *Repeated*: records that came twice. *Requests*: all requests sent, including successful ones; the client and " +
      "the service agree on them, except on a page that was requested ahead and given up with an error. The text in brackets is the fault as `faultUrl` takes it. To try it: with " +
      "`npx -y pnpm@12.21.0 --silent sluice sandbox --port 8080` running, the root of a service that answers 503 twice is " +
      "`http://127.0.0.1:8080/fault/status%3D503%3Btimes%3D2/v4`, and its key `demo-key`."
  )

/** What to do, by the tag that a program sees. */
const tags = Page.table(
  ["you get", "usual cause", "what to do"],
  [
    [
      "`RateLimited`",
      "others use the same key or address, or a wait is longer than `longestWait`",
      "call again after `retryAfter`; a key of its own for each program, or a longer `longestWait`"
    ],
    [
      "`Unavailable`",
      "the network, or a fault of the service that outlasted the retries",
      "call again later if `transient`; otherwise check the root and the proxies between you and it"
    ],
    [
      "`Decode`",
      "not the service (a proxy, a wrong root), a reply beyond a limit, or an interface that has changed",
      "read `path` and `issue`; raise the limit that `setting` names; otherwise report it with `trace`"
    ],
    [
      "`InvalidRequest`",
      "a parameter is wrong, or the request too long",
      "correct `parameter`; `Bulk` splits a request that is too long"
    ],
    ["`Unauthorized`", "no key, or one that is wrong or expired", "check `SLUICE_API_KEY`"],
    ["`Forbidden`", "the licence does not cover it, or the root does not offer it", "ask for less, or for the licence"],
    [
      "`NotFound`",
      "a root without its `/v4`, or an item that the service does not know",
      "check the root and the names"
    ],
    [
      "`Deprecated`",
      'the endpoint is gone, or deprecated under `deprecated: "fail"`',
      "use one of `replacement`, where there is one"
    ]
  ]
)

const unseen =
  "**The one exception** is marked above: json_stream has no end mark, so a reply that is closed properly between two lines " +
  "looks complete. With `checkEnd` the last record is requested as a page of one, and missing records are then requested; " +
  "`Bulk`, downloads and the command line always do so. With pages, a missing end is always detected."

const hostile =
  "# Attacks\n\n" +
  "What a user sees of a hostile service, and what limits the harm. The runs are like those of the tables above. *Log " +
  "lines*: all log lines, of any level."

const head = [
  "the service …",
  "met",
  "pages: the user sees",
  "delivered / lost / repeated",
  "requests",
  "json_stream: the user sees",
  "delivered / lost / repeated",
  "requests"
]

const table = (group: Row.Group, report: Report) =>
  Page.table(
    head,
    group.rows.flatMap((row) => lines(row, report))
  )

const attackHead = [
  "the service …",
  "bound",
  "read as",
  "met",
  "the user sees",
  "delivered / lost / repeated",
  "requests",
  "log lines"
]

const attacked = (group: Row.Hostile, report: Report) =>
  Page.table(
    attackHead,
    group.rows.flatMap((row) => Row.formatsOf(row).flatMap((format) => attackLines(row, format, report)))
  )

const whatOf = (row: Row.Row) => `${row.service} (\`${row.fault}\`)`

const caseOf = ({ cases }: Report, row: Row.Row, format: Row.Format, when: Row.When) =>
  cases.find((one) => one.row === row && one.format === format && one.when === when)

/** One line where a fault that is met once and one that is met always have the same effect. */
const onceAndAlways = (what: ReadonlyArray<string>, cellsOf: (when: Row.When) => ReadonlyArray<string>) => {
  const [once, always] = [cellsOf("once"), cellsOf("always")]
  const isAlike = once.every((cell, index) => cell === always[index])
  return isAlike
    ? [[...what, "once or always", ...once]]
    : [
        [...what, "once", ...once],
        [...what.map(() => ""), "always", ...always]
      ]
}

const attackLines = (row: Row.Attack, format: Row.Format, report: Report) => {
  const isFirst = format === Row.formatsOf(row)[0]
  return onceAndAlways([...(isFirst ? [whatOf(row), row.bound] : ["", ""]), format], (when) => {
    const one = caseOf(report, row, format, when)
    return [...cells(one), `${one?.outcome.lines}`]
  })
}

const lines = (row: Row.Row, report: Report) =>
  onceAndAlways([whatOf(row)], (when) => Row.formats.flatMap((format) => cells(caseOf(report, row, format, when))))

const cells = (one: Case | undefined): ReadonlyArray<string> => {
  if (one === undefined) return ["does not apply", "", ""]
  const { comparison, format, outcome, row, when } = one
  const [fewest, most] = row.requests?.[format]?.[when] ?? [outcome.sent, outcome.sent]
  return [
    saw(one),
    [comparison.delivered, comparison.lost, comparison.repeated].join(" / "),
    fewest === most ? `${fewest}` : `${fewest} to ${most}`
  ]
}

const saw = ({ outcome: { end, warnings }, row }: Case): string => {
  const said = warnings.map((text) => `, and the warning ${quoted(text.replace(/ \(trace [^)]*\)/g, ""))}`).join("")
  // Type boundary: a list is read without a job.
  if (end._tag === "Failed") return `${failure(end.error as ApiError.ApiError)}${said}`
  if (row.unseen === true) return "**no error, although records are missing**: the stream does not show it"
  const lacking = row.without === undefined ? "" : `, without \`${row.without}\` where it is left out`
  return `all records${lacking}${said}`
}

// A quoted request is as long as its parameters, and names the fault once more.
const quoted = (text: string) => Page.quoted(text.replace(/'\/fault\/[^']*&(?=api_key)/, "'…&"))

const beyond = ({ longestWait }: { readonly longestWait?: unknown }) =>
  longestWait === undefined ? "" : ", for it asks for more than the longest wait"

/** An error in one line, with the fields that a handler uses. */
const failure = (error: ApiError.ApiError): string => {
  const tag = `\`${error._tag}\``
  const times = "attempts" in error ? ` after ${error.attempts} ${error.attempts === 1 ? "attempt" : "attempts"}` : ""
  switch (error._tag) {
    case "Decode": {
      const where =
        error.line !== undefined ? ` at line ${error.line}` : error.page !== undefined ? ` at page ${error.page}` : ""
      const path = error.path === "" ? "" : `, \`${error.path.replace(/^\./, "")}\``
      return `${tag}${where}${path}: ${quoted(error.issue)}`
    }
    case "RateLimited":
      return `${tag}${times}${beyond(error)}`
    case "Deprecated":
      return tag
    case "Unavailable": {
      const status = error.status === undefined ? "" : `, status ${error.status}`
      return `${tag}, phase ${error.phase}${status},${times}${beyond(error)}: ${quoted(error.reason)}`
    }
    default:
      return `${tag}: ${quoted(error.reason)}`
  }
}
