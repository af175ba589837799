/** Writes a row of a table of lists as lines that do not depend on time, machine or chance. */
import type { ApiError } from "@sluice/core"
import * as Page from "./Page.ts"
import * as Row from "./Row.ts"
import type { Case } from "./Verdict.ts"

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

export const lines = (row: Row.Row, cases: ReadonlyArray<Case>): Page.Table["rows"] => {
  const { bound, service } = row
  const caseOf = (format: Row.Format, when: Row.When) => cases.find((one) => one.format === format && one.when === when)
  if (bound === undefined)
    return onceAndAlways([service], (when) => Row.formats.flatMap((format) => cells(caseOf(format, when))))
  return row.formats.flatMap((format, nth) =>
    onceAndAlways([...(nth === 0 ? [service, bound] : ["", ""]), format], (when) => {
      const one = caseOf(format, when)
      return [...cells(one), `${one?.outcome.lines}`]
    })
  )
}

const cells = (one: Case | undefined): ReadonlyArray<string> => {
  if (one === undefined) return [Row.none, "", ""]
  const { comparison, format, outcome, row, when } = one
  const [fewest, most] = row.requests?.[format]?.[when] ?? [outcome.sent, outcome.sent]
  return [
    saw(one),
    [comparison.delivered, comparison.lost, comparison.repeated].join(" / "),
    fewest === most ? `${fewest}` : `${fewest} to ${most}`
  ]
}

const saw = ({ outcome: { end, records, warnings }, row: { unseen, without } }: Case): string => {
  const said = warnings.map((text) => `, and the warning ${quoted(text.replace(/ \(trace [^)]*\)/g, ""))}`).join("")
  // Type boundary: a list is read without a job.
  if (end._tag === "Failed") return `${failure(end.error as ApiError.ApiError)}${said}`
  if (unseen === true) return "**no error, although records are missing**: the stream does not show it"
  const isLeftOut = without !== undefined && records.some((record) => !(without in record))
  return `all records${isLeftOut ? `, without \`${without}\` where it is left out` : ""}${said}`
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
