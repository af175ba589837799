/** Full catalogs: each has the parameters and records of the catalog of the same name, and all data of the service. */
import type * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"

const fullPath = (path: string) => path.replace(/^\/catalog(|-v2)\//, "/catalog-all$1/")

/** Builds the full catalog of a catalog. */
export const full = <P extends object, A>(catalog: Endpoint.Endpoint<P, A>): Endpoint.Endpoint<P, A> =>
  Endpoint.make(fullPath(catalog.path), {
    section: catalog.section === "4.5" ? "4.7" : catalog.section,
    // Type boundary: an endpoint is made with the schemas of its own types.
    params: catalog.params as Schema.Codec<P, P>,
    record: catalog.record() as Schema.Codec<A>,
    community: catalog.community,
    ...(catalog.deprecated && { deprecated: { replacement: catalog.deprecated.replacement.map(fullPath) } })
  })
