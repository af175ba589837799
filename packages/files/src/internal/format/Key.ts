/** The columns by which a record is found. */
import * as Parameter from "@sluice/core/Parameter"
import type { Column, Source } from "@sluice/core/internal/columns/Column"

/** Names of the columns of which no two records have the same values; empty where that is not documented. */
export const of = (endpoint: Source, params: object, columns: ReadonlyArray<Column>): ReadonlyArray<string> => {
  const names = namesOf(endpoint, params)
  const known = new Set(columns.map(({ name }) => name))
  return names.every((name) => known.has(name)) ? names : []
}

const namesOf = (endpoint: Source, params: object): ReadonlyArray<string> => {
  const { order, parameters } = endpoint
  const identity = Parameter.identityOf(endpoint, Object.entries(params))
  if (order !== "series") return identity ?? []
  if (identity?.length === 0) return []
  const isPerBlock = Parameter.isPerBlock(Parameter.frequencyOf(endpoint, params))
  const position = isPerBlock ? ["height", "block_hash"] : ["time", ...(identity ?? [])]
  const [entity] = Parameter.withRole(parameters, "Entities").flatMap(({ role }) =>
    role._tag === "Entities" && role.field !== undefined ? [role.field] : []
  )
  return [...new Set([...(entity === undefined ? [] : [entity]), ...position])]
}
