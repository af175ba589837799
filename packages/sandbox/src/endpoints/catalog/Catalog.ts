/**
 * The catalogs: what a caller may read, and what there is; the deprecated ones in one reply (docs/interface.md 4.5 and 4.7), the newer
 * in pages (4.9).
 */
import * as Table from "#interface/Table"
import * as Caller from "../../internal/request/Caller.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as CatalogAssets from "./Assets.ts"
import type { Definition } from "./Definition.ts"
import * as CatalogHolders from "./Holders.ts"
import * as CatalogMarkets from "./Markets.ts"

const definitions: ReadonlyArray<Definition> = [...CatalogAssets.all, ...CatalogHolders.all, ...CatalogMarkets.all]

const paged: Source["pageSize"] = (_, { catalogPage }) => ({ maximum: 10_000, otherwise: Number(catalogPage) })

const form = /^\/catalog(-all)?(-v2)?\/(.+)$/

const found = (path: string): ReadonlyArray<Source> => {
  const [, isFull, isNewer, name] = form.exec(path) ?? []
  const edition = isNewer === undefined ? "older" : "newer"
  const definition = definitions.find((one) => one.name === name && (one.edition === "both" || one.edition === edition))
  if (definition === undefined) return []
  const { list } = definition
  return [
    {
      path,
      pageSize: isNewer === undefined ? undefined : paged,
      // The full catalog is that of a caller who may read everything.
      list: (query, caller, parts) =>
        list(
          query,
          isFull === undefined ? caller : { ...Caller.readingAll(caller), catalogMarkets: caller.catalogMarkets },
          parts
        )
    }
  ]
}

export const all: ReadonlyArray<Source> = Table.all.flatMap(({ path }) => found(path))
