/**
 * The operations of the table that an endpoint reads, with the parameters it takes.
 */
import { type Endpoint, Endpoints } from "@sluice/core"
import type { Operation } from "@sluice/interface/Operation"
import * as Expected from "./Expected.ts"
import type { Parameter } from "@sluice/interface/Parameter"
import * as Table from "@sluice/interface/Table"

export interface Read extends Operation {
  readonly endpoint: Endpoint.Any
  /** Those an endpoint takes: without the format that is not read. */
  readonly taken: Readonly<Record<string, Parameter>>
}

export const all: ReadonlyArray<Read> = Endpoints.all.map((endpoint) => {
  const operation = Table.find(endpoint.path)
  return { ...operation, endpoint, taken: Expected.parameters(operation) }
})

/** The operations of the table that an endpoint reads as one record. */
export const singles = Endpoints.singles.map((single) => ({ ...Table.find(single.path), single }))

/** By its path, for a table of tests. */
export const byPath = all.map((read) => [read.path, read] as const)

/** The fields without which a record of a path is refused. */
export const keysOf = (path: string): ReadonlyArray<string> =>
  Expected.views(Table.find(path))
    .slice(0, 1)
    .flatMap(({ fields }) => Object.keys(fields).filter((name) => fields[name]?.isKey === true))

/** Paths and names of the parameters that accept identifiers of a provider. */
export const identifiers = all.flatMap(({ path, taken }) =>
  Object.entries(taken).flatMap(([name, { takesIdentifiers }]) => (takesIdentifiers ? [[path, name] as const] : []))
)

/** The endpoint of a path. */
export const endpointOf = (path: string): Endpoint.Any => {
  const found = Endpoints.all.find((endpoint) => endpoint.path === path)
  if (found === undefined) throw new Error(`no endpoint has the path ${path}`)
  return found
}
