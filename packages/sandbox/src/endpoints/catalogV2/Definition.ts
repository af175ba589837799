/**
 * One endpoint of the v2 catalogs, as data: it stands in the catalog of the caller and in the full one (docs/interface.md
 * 4.9).
 */
import type { Endpoint } from "../../internal/listing/Endpoint.ts"

/** An endpoint without what the catalogs lend it: the path, the paging, and both formats. */
export interface Definition extends Omit<Endpoint, "path" | "pagingFrom" | "formats"> {
  /** What follows the name of the catalog in its paths. */
  readonly name: string
}
