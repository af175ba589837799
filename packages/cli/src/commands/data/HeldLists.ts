/**
 * `sluice coverage` and `sluice revisions`: lists of what a dataset knows of its range, or of a part of it. Asks the service nothing.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import { quoted } from "@sluice/core/PlainText"
import * as Dataset from "@sluice/datasets/Dataset"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Nearest from "../../endpoints/Nearest.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import type { HeldListInput } from "../flags/DatasetFlags.ts"
import * as ListOutput from "../help/ListOutput.ts"
import * as Place from "./Place.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

/** The parameters of a dataset without metrics that no sync asks for any more. */
export const currentOf = (endpoint: Endpoint.Any, { params, retired = [] }: Dataset.Definition) => {
  const columns = Parameter.find(endpoint.parameters, "Columns")?.name ?? ""
  const held = Params.items(params[columns]).filter((column) => !retired.includes(column))
  return { ...params, ...(held.length > 0 && { [columns]: held }) }
}

/** The endpoint of a dataset, and parameters that name all that it holds; of its past, with the metrics that it had. */
export const allOf = Effect.fnUntraced(function* ({ name, to }: Pick<Place.Place, "name" | "to">, isPast = false) {
  const definition = yield* Dataset.defined(to)
  if (definition === undefined) return yield* Place.none({ name, to })
  const { endpoint } = yield* EndpointIndex.get(definition.endpoint)
  return { endpoint, params: isPast ? definition.params : currentOf(endpoint, definition) }
})

const requestOf = Effect.fnUntraced(function* ({ endTime, entities, metrics, place, startTime, table }: HeldListInput) {
  const { name, to } = yield* Place.at(place, table)
  const { endpoint, params } = yield* allOf({ name, to })
  const nameOf = (role: Parameter.RoleTag, other: string) => Parameter.find(endpoint.parameters, role)?.name ?? other
  const given = {
    // A list is read as a whole: its items are chosen from what is read.
    ...(endpoint.order !== "list" && {
      [nameOf("Entities", "entities")]: entities.length === 0 ? undefined : entities
    }),
    [nameOf("Columns", "metrics")]: metrics,
    [nameOf("Start", "start_time")]: startTime,
    [nameOf("End", "end_time")]: endTime
  }
  const asked = { ...params, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
  // Type boundary: the parameters of a definition, and flags beside them, are data; the read checks them.
  return { endpoint, params: (yield* RelativeTime.resolve(endpoint.parameters, asked)) as never, from: to }
})

const { text, time } = ListOutput

export const coverage = Effect.fnUntraced(function* (input: HeldListInput) {
  const { endpoint, from, params } = yield* requestOf(input)
  const rows = yield* Dataset.coverage<never, unknown>(endpoint, params, { from })
  yield* ListOutput.print(rows, [text("entity"), text("state"), time("from"), time("to")], input)
})

const ofRevisions = [
  text("entity"),
  ...["time", "at"].map(time),
  ...["what", "field", "before", "after", "change"].map(text)
]

/** Fails where nothing is known of revisions: for a dataset without versions, and for an entity that no sync has asked for or found. */
const expectKnown = Effect.fnUntraced(function* (input: HeldListInput, endpoint: Endpoint.Any, to: Place.Place["to"]) {
  const status = yield* Dataset.status(to)
  if (status === undefined) return
  const { params, versions } = status.definition
  if (versions === undefined) {
    const message = `${input.place} keeps no versions, so nothing is known of revisions: \`sluice sync\` with --versions keep begins to`
    return yield* new PlaceFlags.BadPlace({ message, command: "revisions" })
  }
  const asked = Params.items(params[Parameter.find(endpoint.parameters, "Entities")?.name ?? ""])
  const known = [
    ...new Set([...status.entities.map(({ entity }) => entity), ...status.gone, ...status.unread, ...asked])
  ]
  const strange = input.entities.find((entity) => !entity.includes("*") && !known.includes(entity))
  if (strange === undefined || endpoint.order === "list") return
  const message = `${input.place} has no entity ${quoted(strange)}${Nearest.meant(Nearest.among(strange, known))}`
  return yield* new PlaceFlags.BadPlace({ message, command: "revisions" })
})

/** Lists values that were revised, and records that came late or were taken back. */
export const revisions = Effect.fnUntraced(function* (input: HeldListInput) {
  const { endpoint, from, params } = yield* requestOf(input)
  const isWanted = ({ entity }: Dataset.Revision) => input.entities.length === 0 || input.entities.includes(entity)
  yield* expectKnown(input, endpoint, from)
  const changes = Dataset.revisions<never, unknown>(endpoint, params, { from })
  const chosen = endpoint.order === "list" ? Stream.filter(changes, isWanted) : changes
  const rows = Stream.flatMap(chosen, (one) => Stream.fromIterable<object>(rowsOf(one)))
  yield* ListOutput.print(yield* Stream.runCollect(Stream.take(rows, input.limit ?? Infinity)), ofRevisions, input)
})

/** A row for each value that was revised, or one for a record. */
const rowsOf = ({ after, at, before, entity, fields, time }: Dataset.Revision) => {
  const record = { entity, time, at }
  if (before === undefined) return [{ ...record, what: "added" }]
  if (after === undefined) return [{ ...record, what: "removed" }]
  return fields.map(({ name, ...field }) => ({ ...record, what: "revised", field: name, ...field }))
}
