/** One endpoint of the catalogs, as data: it stands in the catalog of the caller and in the full one. */
import * as Effect from "effect/Effect"
import type * as Endpoint from "../../internal/listing/Endpoint.ts"

/** An endpoint without the paths, which the catalogs lend it. */
export interface Definition extends Pick<Endpoint.Source, "list"> {
  /** What follows the name of the catalog in its paths. */
  readonly name: string
  /** Of which catalogs it is: the deprecated and the newer ones may differ. */
  readonly edition: "older" | "newer" | "both"
}

export const make = (name: string, edition: Definition["edition"], list: Endpoint.List): Definition => ({
  name,
  edition,
  list: Effect.fnUntraced(list)
})
