/**
 * GET /profile/assets and /profile/networks (docs/interface.md 3.7 and 4.2).
 *
 * What becomes of an asset that the service knows but has no profile of is assumed (docs/interface.md 4.2): it is
 * passed over, and only an unknown one is refused. Full names are taken as they are written, upper and lower case told
 * apart.
 */
import * as Assets from "../data/Assets.ts"
import * as Networks from "../data/Networks.ts"
import * as Profiles from "../data/Profiles.ts"
import * as Remembered from "../data/Remembered.ts"
import * as Endpoint from "../internal/listing/Endpoint.ts"
import * as Reference from "./Reference.ts"

const assetByName = Remembered.finder(Assets.all, ({ fullName }) => fullName)

const assets = Endpoint.source("/profile/assets", function* (query) {
  const byId = yield* Reference.only(query, "assets", Assets.all, Assets.find)
  const named = yield* Reference.only(query, "full_names", byId, assetByName)
  const wanted = new Set(named.map(({ asset }) => asset))
  return Reference.listing(Profiles.all.filter(({ asset }) => wanted.has(asset)))
})

const networkById = Remembered.finder(Networks.all, ({ network }) => network)
const networkByName = Remembered.finder(Networks.all, ({ full_name }) => full_name)

const networks = Endpoint.source("/profile/networks", function* (query) {
  const byId = yield* Reference.only(query, "networks", Networks.all, networkById)
  const items = yield* Reference.only(query, "full_names", byId, networkByName)
  return Reference.listing(items, (item) => item, { name: ({ network }) => network })
})

export const all: ReadonlyArray<Endpoint.Source> = [assets, networks]
