/**
 * GET /profile/assets and /profile/networks (docs/interface.md 3.7 and 4.2).
 *
 * **Details**
 *
 * What becomes of an asset that the service knows but has no profile of is assumed (docs/interface.md 4.2): it is
 * passed over, and only an unknown one is refused. Full names are taken as they are written, upper and lower case told
 * apart.
 */
import * as Effect from "effect/Effect"
import * as Assets from "../data/Assets.ts"
import * as Networks from "../data/Networks.ts"
import * as Profiles from "../data/Profiles.ts"
import type { Source } from "../internal/listing/Endpoint.ts"
import * as Reference from "./Reference.ts"

const assetsByName = new Map(Assets.all.map((asset) => [asset.fullName, asset]))

const assets: Source = {
  path: "/profile/assets",
  list: Effect.fnUntraced(function* (query) {
    const byId = yield* Reference.only(query, "assets", Assets.all, Assets.find)
    const named = yield* Reference.only(query, "full_names", byId, (name) => assetsByName.get(name))
    const wanted = new Set(named.map(({ asset }) => asset))
    return Reference.listing(
      Profiles.all.filter(({ asset }) => wanted.has(asset)),
      (item) => item
    )
  })
}

const networksById = new Map(Networks.all.map((profile) => [profile.network, profile]))
const networksByName = new Map(Networks.all.map((profile) => [profile.full_name, profile]))

const networks: Source = {
  path: "/profile/networks",
  list: Effect.fnUntraced(function* (query) {
    const byId = yield* Reference.only(query, "networks", Networks.all, (id) => networksById.get(id))
    const items = yield* Reference.only(query, "full_names", byId, (name) => networksByName.get(name))
    return Reference.listing(items, (item) => item, { name: ({ network }) => network })
  })
}

export const all: ReadonlyArray<Source> = [assets, networks]
