/**
 * The part of the page of faults about live streams: a row for each kind of fault that begins with `live-`.
 */
import { Fault } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as LiveRun from "./LiveRun.ts"

/** Kinds that take a record away without a sign: the run must show that it is still so. */
const unseen: ReadonlySet<string> = new Set(["live-lose"])

/** Breaks of a service that publishes records up to a second late, and shows them over HTTP up to a second later than others. */
const late = LiveRun.run(
  "is closed there, and each record is published up to a second late",
  "live-close=20",
  "1 second"
)

/** Runs every kind, each on a stand-in of its own. */
export const measure = Effect.flatMap(
  Effect.forEach(Fault.liveTable, ({ doc, example }) => LiveRun.run(doc, example)),
  (outcomes) => Effect.map(late, (outcome) => [...outcomes, outcome])
)

/** What is wrong with a run, a sentence each. */
export const problems = (outcome: LiveRun.Outcome): ReadonlyArray<string> => {
  const { defect, fault, leaks, lost, repeated } = outcome
  const [kind = ""] = /^[\w-]+/.exec(fault) ?? []
  const isUnseen = unseen.has(kind)
  return [
    ...(defect === undefined ? [] : [`ended with a defect: ${defect}`]),
    ...(leaks ? ["shows the key"] : []),
    ...(repeated > 0 ? [`delivered ${repeated} records twice`] : []),
    ...(lost > 0 && outcome.gaps.length === 0 && !isUnseen ? [`lost ${lost} records without a gap`] : []),
    ...(lost === 0 && isUnseen ? ["lost no record, although the table says that it does"] : [])
  ].map((problem) => `${fault}: ${problem}.`)
}

const line = (cells: ReadonlyArray<string>) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const failureOf = ({ failure }: LiveRun.Outcome): string | undefined => {
  if (failure === undefined) return undefined
  const text = "reason" in failure ? failure.reason : "issue" in failure ? failure.issue : failure.message
  const times = "attempts" in failure ? ` after ${failure.attempts} attempts` : ""
  return `\`${failure._tag}\`${times}: “${text.replaceAll("<", "\\<")}”`
}

const sees = (outcome: LiveRun.Outcome): string => {
  const { connections, filled, gaps, lost, reorgs, warnings } = outcome
  const end = failureOf(outcome)
  const records = lost > 0 && gaps.length === 0 ? "**no sign, although a record is missing**" : "all records"
  return [
    end ?? records,
    ...(end === undefined && connections > 1 ? ["`Disconnected` and `Connected` each time"] : []),
    ...(filled > 0 ? ["what was missed as `filled`"] : []),
    ...(gaps.length > 0 ? ["`Gap`"] : []),
    ...(warnings.length > 0 ? [`\`Warning\` ${[...new Set(warnings)].join(", ")}`] : []),
    ...(reorgs > 0 ? ["`Reorg`"] : [])
  ].join(", ")
}

/** Prints the section. */
export const print = (outcomes: ReadonlyArray<LiveRun.Outcome>): string =>
  [
    "# Live streams",
    "What a user sees of a live stream when every connection meets a fault: five minutes of the trades of a market, in memory " +
      `and on a virtual clock; of \`live-reorg\` an hour of blocks. ${LiveRun.attempts} attempts without a record end a stream. ` +
      "*Lost*: records between the first and the last that were delivered, which no `Gap` names. The text in brackets is the " +
      "fault as `streamFaultUrl` takes it. One fault shows no sign: a record that is missing on the connection and whose sequence " +
      "id is not. [live.md](live.md) says what heals and what does not.",
    [
      line(["the connection …", "the user sees", "lost / repeated"]),
      line(["---", "---", "---"]),
      ...outcomes.map((outcome) =>
        line([
          `${outcome.service} (\`${outcome.fault}\`)`,
          sees(outcome),
          `${outcome.gaps.length > 0 ? 0 : outcome.lost} / ${outcome.repeated}`
        ])
      )
    ].join("\n")
  ].join("\n\n")
