/** `sluice audit`: tells what looks wrong in the data that a dataset holds. */
import * as Dataset from "@sluice/datasets/Dataset"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as Amount from "../../terminal/Amount.ts"
import { jsonOf, Screen } from "../../terminal/Screen.ts"
import * as Table from "../../terminal/Table.ts"
import type { AuditInput } from "../flags/DatasetFlags.ts"
import * as ListOutput from "../help/ListOutput.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

/** An audit has findings that nobody has acknowledged. */
export class FindingsLeft extends Data.TaggedError("FindingsLeft")<{
  readonly message: string
  /** Whether each is an entity whose records end too early. */
  readonly areLate: boolean
}> {}

const { column, text, time } = ListOutput

/** What matters most comes first. */
const columns = [
  ...["id", "entity", "kind"].map(text),
  ...["from", "to"].map(time),
  column("count", "integer"),
  text("finding")
]

const rowOf = ({ isAcknowledged, isAtService, reason, ...finding }: Dataset.Finding) => {
  const atService = isAtService === undefined ? "" : `; the service has ${isAtService ? "records" : "nothing"} there`
  return { ...finding, finding: `${reason}${atService}${isAcknowledged ? " (acknowledged)" : ""}` }
}

const summed = ({
  dataset,
  days,
  entities,
  findings,
  records,
  revised,
  unacknowledged,
  unasked = 0
}: Dataset.Summary) => {
  const known = findings - unacknowledged
  const words = Object.entries(days).filter(([, count]) => count > 0)
  return [
    `Audited ${dataset}: ${Amount.some(records, "record")} of ${Amount.some(entities, "entity", "entities")}, ${Amount.some(findings, "finding")}${known === 0 ? "" : `, ${Amount.count(known)} of them acknowledged`}.`,
    ...(words.length === 0
      ? []
      : [`Days: ${words.map(([word, count]) => `${Amount.count(count)} ${word}`).join(", ")}.`]),
    ...(revised === undefined
      ? []
      : [`Revised: ${Amount.count(revised.revised)} of ${Amount.some(revised.values, "value")}.`]),
    ...(unasked === 0 ? [] : [`The service was not asked about ${Amount.some(unasked, "hole")}.`])
  ]
}

export const run = Effect.fnUntraced(function* ({
  acknowledge = [],
  acknowledged,
  ask,
  from,
  maxAge,
  place,
  to,
  unacknowledge = []
}: AuditInput) {
  if (PlaceFlags.isDatabase(place)) {
    const message = "only folders are audited so far; name the folder of a dataset"
    return yield* new PlaceFlags.BadPlace({ message, command: "audit" })
  }
  const { out, print, say, write } = yield* Screen
  const isJson = yield* GlobalFlags.Json
  if (acknowledge.length > 0) yield* Dataset.acknowledge(place, acknowledge)
  if (unacknowledge.length > 0) yield* Dataset.unacknowledge(place, unacknowledge)
  const options = {
    from: from === undefined ? undefined : yield* RelativeTime.one("from", from),
    to: to === undefined ? undefined : yield* RelativeTime.one("to", to),
    maxAge
  }
  const left = new Set(acknowledge)
  let summary: Dataset.Summary | undefined
  let areLate = true
  const shown = <R>(audit: Stream.Stream<Dataset.Audit, Dataset.DatasetError, R>) => {
    const told = audit.pipe(
      Stream.tap((one) =>
        Effect.sync(() => {
          if (one._tag === "Audited") summary = one
          if (one._tag !== "Finding") return
          left.delete(one.id)
          areLate &&= one.isAcknowledged || one.kind === "late"
        })
      ),
      Stream.filter((one) => one._tag !== "Finding" || acknowledged || !one.isAcknowledged)
    )
    if (isJson) return Stream.runForEach(told, (one) => print(jsonOf(one)))
    const findings = Stream.filter(told, (one) => one._tag === "Finding")
    return write(Table.make(columns, out).lines(Stream.map(findings, rowOf)))
  }
  yield* ask
    ? Effect.provide(shown(Dataset.audit(place, { ...options, ask })), Connection.layer)
    : shown(Dataset.audit(place, options))
  if (summary === undefined) return
  if (!isJson) yield* say(`${summed(summary).join("\n")}\n`)
  if (left.size > 0) {
    const isWhole = from === undefined && to === undefined
    // A slip of the pen must not hide a finding one day.
    if (isWhole) yield* Dataset.unacknowledge(place, [...left])
    yield* say(`Not among the findings${isWhole ? ", and not acknowledged" : ""}: ${[...left].join(", ")}.\n`)
  }
  const count = summary.unacknowledged
  if (count === 0) return
  return yield* new FindingsLeft({ message: `${place}: the audit has ${Amount.some(count, "finding")}`, areLate })
})
