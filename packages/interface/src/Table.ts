/**
 * Every operation of the interface, written beside docs/interface.md and never read from the endpoints: the independent
 * evidence their paths, parameters, records and types are compared with.
 *
 * Two editions of the interface differ in places (docs/interface.md 10.2). Where the table follows the older one, a
 * comment at the place says so.
 */
import type { Operation } from "./Operation.ts"
import * as Catalog from "./operations/Catalog.ts"
import * as CatalogV2 from "./operations/CatalogV2.ts"
import * as Chain from "./operations/Chain.ts"
import * as Job from "./operations/Job.ts"
import * as MarketSeries from "./operations/MarketSeries.ts"
import * as MetricSeries from "./operations/MetricSeries.ts"
import * as ReferenceData from "./operations/ReferenceData.ts"
import * as Series from "./operations/Series.ts"
import * as Stream from "./operations/Stream.ts"

export const all: ReadonlyArray<Operation> = [
  ...ReferenceData.operations,
  ...Catalog.operations,
  ...CatalogV2.operations,
  ...MetricSeries.operations,
  ...MarketSeries.operations,
  ...Series.operations,
  ...Chain.operations,
  ...Job.operations,
  ...Stream.operations
]

const byPath = new Map(all.map((operation) => [operation.path, operation]))

/** The operation of a path. */
export const find = (path: string): Operation => {
  const found = byPath.get(path)
  if (found === undefined) throw new Error(`the table has no operation ${path}`)
  return found
}

/** The operations that have a parameter. */
export const having = (parameter: string): ReadonlyArray<Operation> =>
  all.filter(({ parameters }) => Object.hasOwn(parameters, parameter))
