/** The report of a survey, as people read it. */
import { harmless } from "@sluice/core/PlainText"
import * as Dialect from "@sluice/sandbox/Dialect"
import type { Side } from "../terminal/Screen.ts"
import * as Style from "../terminal/Style.ts"
import type { Finding, Report } from "./Survey.ts"

/** Lines are not longer, so that an issue shows them unbroken. */
const widest = 100

/** The names of the questions whose answer contradicts what the client relies on. */
export const contradicting = ({ findings }: Report): ReadonlyArray<string> =>
  findings.flatMap(({ contradicts, name }) => (contradicts === undefined ? [] : [name]))

/** The usual answer to a question of the dialect. */
const usual: Readonly<Record<string, string>> = Dialect.usual

const noteOf = ({ answer, contradicts, name, reason }: Finding) => {
  if (contradicts !== undefined) return `contradicts what sluice relies on: ${contradicts}`
  if (reason !== undefined) return reason
  return usual[name] === undefined || usual[name] === answer ? "" : `usually ${usual[name]}`
}

export const lines = (report: Report, { columns, isTerminal, style }: Side): ReadonlyArray<string> => {
  const { dialect, findings, plan, requests } = report
  const width = isTerminal ? Math.min(columns, widest) : widest
  const widthOf = (key: "name" | "answer" | "section") =>
    Math.max(...findings.map((finding) => finding[key].length)) + 2
  const margin = widthOf("name") + widthOf("answer") + widthOf("section")
  const rows = findings.flatMap((finding) => {
    const { answer, contradicts, name, reason, section } = finding
    const colour = contradicts !== undefined ? style.red : reason !== undefined ? style.dim : style.green
    const start = `${name.padEnd(widthOf("name"))}${colour(answer.padEnd(widthOf("answer")))}${section.padEnd(widthOf("section"))}`
    const [first = "", ...more] = Style.wrap(harmless(noteOf(finding)), Math.max(20, width - margin))
    return [`${start}${first}`.trimEnd(), ...more.map((line) => " ".repeat(margin) + line)]
  })
  const contradictions = contradicting(report)
  const wrap = (text: string) => Style.wrap(text, width)
  return [
    ...wrap(
      `The service's answers to ${findings.length} questions, with the sections of docs/interface.md. ${requests} requests; plan ${harmless(plan ?? "not named")}.`
    ),
    "",
    ...rows,
    "",
    ...wrap(
      contradictions.length === 0
        ? "No answer contradicts what sluice relies on."
        : `Please report what contradicts: ${contradictions.join(", ")}.`
    ),
    `dialect: ${dialect === "" ? "the better supported answers throughout" : dialect}`
  ]
}
