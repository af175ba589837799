/**
 * The v2 catalog and the full v2 catalog (docs/interface.md 4.9).
 */
import * as Caller from "../../internal/request/Caller.ts"
import type { Endpoint } from "../../internal/listing/Endpoint.ts"
import type { Definition } from "./Definition.ts"
import * as Markets from "./Markets.ts"
import * as Metrics from "./Metrics.ts"
import * as Series from "./Series.ts"

const own = ({ name, ...definition }: Definition): Endpoint => ({
  ...definition,
  path: `/catalog-v2/${name}`,
  pagingFrom: "start",
  pageSize: (_, { catalogPage }) => ({ maximum: 10_000, otherwise: Number(catalogPage) })
})

// The full catalog is that of a caller who may read everything.
const full = (definition: Definition): Endpoint => ({
  ...own(definition),
  path: `/catalog-all-v2/${definition.name}`,
  list: (query, caller, parts) => definition.list(query, Caller.readingAll(caller), parts)
})

/** Every endpoint of both catalogs. */
export const all: ReadonlyArray<Endpoint> = [...Metrics.all, ...Markets.all, ...Series.all].flatMap((definition) => [
  own(definition),
  full(definition)
])
