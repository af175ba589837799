/**
 * What a dataset does not have because no run has read it to the end.
 */
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import * as Predicate from "effect/Predicate"
import * as Struct from "effect/Struct"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Cursor, Kept, Time } from "../model/Store.ts"
import * as Prepare from "./Prepare.ts"

/**
 * The cursors, and one for each entity or wildcard of the definition that has none: a first run that was stopped has written none
 * for what it had not begun to keep. A cache has to read nothing.
 */
export const cursorsOf = ({ cursors, definition }: Kept): ReadonlyArray<Cursor> => {
  if (definition.isCache === true) return [...cursors.values()].map((cursor) => Struct.omit(cursor, ["todo"]))
  const { order, parameters = new Map() } = Prepare.endpointAt(definition.endpoint) ?? {}
  const start = definition.params[Parameter.find(parameters, "Start", "time")?.name ?? ""]
  const from: Time | null = Predicate.isString(start) ? start : null
  const entities = Parameter.find(parameters, "Entities")?.name ?? ""
  const isBegun = (item: string) => {
    if (!item.includes("*")) return cursors.has(item)
    return [...cursors.keys()].some(SeriesParams.wantedBy({ names: { entities } }, { params: { [entities]: [item] } }))
  }
  // A list is one entity, which has no name.
  const named = order === "list" ? [""] : Params.items(definition.params[entities])
  const never = named.filter((item) => !isBegun(item))
  return [
    ...cursors.values(),
    ...never.map((entity): Cursor => ({ entity, from, last: null, columns: [], todo: [{ from, to: null }] }))
  ]
}

/** Names of those that have something left to read. */
export const namesOf = (kept: Kept): ReadonlyArray<string> =>
  cursorsOf(kept).flatMap(({ entity, todo = [] }) => (todo.length === 0 ? [] : [entity]))
