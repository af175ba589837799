/**
 * One endpoint of the v2 catalogs, as data: it stands in the catalog of the caller and in the full one (docs/interface.md
 * 4.9).
 */
import type { Source } from "../../internal/listing/Endpoint.ts"

/** An endpoint without what the catalogs lend it: the path, and the size of a page. */
export interface Definition extends Omit<Source, "path"> {
  /** What follows the name of the catalog in its paths. */
  readonly name: string
}
