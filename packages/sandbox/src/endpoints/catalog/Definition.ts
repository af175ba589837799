/**
 * One endpoint of the catalog, as data: it stands in the catalog of the caller and in the full one (docs/interface.md
 * 4.5 and 4.7).
 */
import type { Source } from "../../internal/listing/Endpoint.ts"

/** An endpoint without the path, which the catalogs lend it. */
export interface Definition extends Omit<Source, "path"> {
  /** The last part of its paths. */
  readonly name: string
}
