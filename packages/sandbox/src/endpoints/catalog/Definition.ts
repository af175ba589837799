/**
 * One endpoint of the catalogs, as data: it stands in the catalog of the caller and in the full one.
 */
import type { Source } from "../../internal/listing/Endpoint.ts"

/** An endpoint without the paths, which the catalogs lend it. */
export interface Definition extends Pick<Source, "list"> {
  /** What follows the name of the catalog in its paths. */
  readonly name: string
  /** Of which catalogs it is, where the deprecated and the newer ones differ. */
  readonly edition?: "older" | "newer"
}
