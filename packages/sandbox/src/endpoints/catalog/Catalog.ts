/**
 * The catalog and the full catalog, deprecated (docs/interface.md 4.5 and 4.7).
 */
import * as Caller from "../../internal/request/Caller.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as CatalogAssets from "./Assets.ts"
import type { Definition } from "./Definition.ts"
import * as CatalogEntities from "./Entities.ts"
import * as CatalogMarkets from "./Markets.ts"
import * as CatalogMetrics from "./Metrics.ts"

const own = ({ name, ...definition }: Definition): Source => ({
  ...definition,
  path: `/catalog/${name}`
})

// The full catalog is that of a caller who may read everything.
const full = (definition: Definition): Source => ({
  ...own(definition),
  path: `/catalog-all/${definition.name}`,
  list: (query, caller, parts) =>
    definition.list(query, { ...Caller.readingAll(caller), catalogMarkets: caller.catalogMarkets }, parts)
})

/** Every endpoint of both catalogs. */
export const all: ReadonlyArray<Source> = [
  ...CatalogAssets.all,
  ...CatalogMetrics.all,
  ...CatalogEntities.all,
  ...CatalogMarkets.all
].flatMap((definition) => [own(definition), full(definition)])
