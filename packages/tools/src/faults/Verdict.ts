/** Judges a run: no record lost, repeated or changed, no untyped error, no key in errors or logs. */
import type { Row } from "./List.ts"
import { type Format, kindsOf, type Row as Fault, type When } from "./Row.ts"
import * as Run from "./Run.ts"

type Outcome = Run.Outcome<Row>

/** How the records of a run stand to the undisturbed ones. */
export interface Comparison {
  readonly delivered: number
  /** Missing before the point where the stream ended: of all, where it ended without an error. */
  readonly lost: number
  /** There twice, or out of order. */
  readonly repeated: number
  /** Not what was asked for, or with a value of another kind than undisturbed. */
  readonly altered: number
}

const name = ({ asset, time }: Row) => `${String(asset)} ${String(time)}`

const isSame = (clean: Row, met: Row, without: string | undefined) =>
  Object.entries(clean).every(([field, value]) => (field === without ? !(field in met) : met[field] === value))

/** Compares the records of a run with the undisturbed ones. Fields that were added are no change. */
export const compare = (
  clean: ReadonlyArray<Row>,
  { end, records }: Pick<Outcome, "end" | "records">,
  without?: string
): Comparison => {
  const places = new Map(clean.map((record, index) => [name(record), index]))
  let next = 0
  let lost = 0
  let repeated = 0
  let altered = 0
  for (const record of records) {
    const at = places.get(name(record))
    if (at === undefined) altered += 1
    else if (at < next) repeated += 1
    else {
      lost += at - next
      next = at + 1
      if (!isSame(clean[at]!, record, undefined) && !isSame(clean[at]!, record, without)) altered += 1
    }
  }
  if (end._tag !== "Failed") lost += clean.length - next
  return { delivered: records.length, lost, repeated, altered }
}

/** One way a fault was met. */
export interface Case {
  readonly row: Fault
  readonly format: Format
  readonly when: When
  readonly outcome: Outcome
  readonly comparison: Comparison
}

const isIn = (requests: number, { format, row, when }: Case) => {
  const range = row.requests?.[format]?.[when]
  return range === undefined || (range[0] <= requests && requests <= range[1])
}

// One that a double cannot hold comes as its text.
const keepsNumbers = ({ outcome: { records }, row }: Case) => {
  const number = /^number=([^,;]+)/.exec(row.fault)?.[1]
  const met = records.flatMap(({ sandbox_number: value }) => (value === undefined ? [] : [String(value)]))
  return number === undefined || (met.length > 0 && met.every((text) => text === number))
}

/** Where pages end with an error, the request for the next may have been given up before it reached the service. */
const mayGiveUp = ({ format, outcome }: Case) => format === "pages" && outcome.end._tag === "Failed"

/** Lists everything that is wrong; empty for a correct run. */
export const problems = (one: Case): ReadonlyArray<string> => {
  const { comparison, outcome, row } = one
  const { altered, lost, repeated } = comparison
  const { arrived, end, met, sent, warnings } = outcome
  return [
    ...kindsOf(row).map((kind) => !met.includes(kind) && `the service did not serve ${kind}`),
    ...Run.problems(outcome),
    row.unseen === true && (end._tag !== "Complete" || lost === 0) && "it was seen, although the table says it is not",
    row.unseen !== true && lost > 0 && `${lost} records were lost`,
    repeated > 0 && !(row.onDisorder === "warn" && warnings.length > 0) && `${repeated} records were repeated`,
    altered > 0 && `${altered} records are not what the service has`,
    !(sent === arrived || (sent - arrived === 1 && mayGiveUp(one))) &&
      `the client counts ${sent} requests, the service ${arrived}`,
    !keepsNumbers(one) && "a number is not what the service wrote",
    !isIn(sent, one) && `it took ${sent} requests, which is outside of what the table says`
  ].filter((problem) => problem !== false)
}
