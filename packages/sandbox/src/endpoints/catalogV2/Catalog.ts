/**
 * The v2 catalog and the full v2 catalog (docs/interface.md 4.9).
 */
import * as Caller from "../../internal/request/Caller.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import type { Definition } from "./Definition.ts"
import * as Markets from "./Markets.ts"
import * as Metrics from "./Metrics.ts"
import * as Series from "./Series.ts"

const own = ({ name, ...definition }: Definition): Source => ({
  ...definition,
  path: `/catalog-v2/${name}`,
  pageSize: (_, { catalogPage }) => ({ maximum: 10_000, otherwise: Number(catalogPage) })
})

// The full catalog is that of a caller who may read everything.
const full = (definition: Definition): Source => ({
  ...own(definition),
  path: `/catalog-all-v2/${definition.name}`,
  list: (query, caller, parts) => definition.list(query, Caller.readingAll(caller), parts)
})

/** Every endpoint of both catalogs. */
export const all: ReadonlyArray<Source> = [...Metrics.all, ...Markets.all, ...Series.all].flatMap((definition) => [
  own(definition),
  full(definition)
])
