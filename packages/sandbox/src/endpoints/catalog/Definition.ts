/**
 * One endpoint of the catalog, as data: it stands in the catalog of the caller and in the full one (docs/interface.md
 * 4.5 and 4.7).
 */
import type { Endpoint } from "../../internal/listing/Endpoint.ts"

/** An endpoint without what the catalogs lend it: the path, the plain envelope, and JSON alone unless it says otherwise. */
export interface Definition extends Omit<Endpoint, "path" | "pagingFrom"> {
  /** The last part of its paths. */
  readonly name: string
}
