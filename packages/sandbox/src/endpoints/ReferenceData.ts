/**
 * The reference data endpoints (interface.md 4.1).
 */
import * as Effect from "effect/Effect"
import * as Assets from "../data/Assets.ts"
import type { Endpoint } from "../Endpoint.ts"
import * as Reference from "./Reference.ts"

const assets: Endpoint = {
  path: "/reference-data/assets",
  community: true,
  parameters: ["assets", "include"],
  pagingFrom: "start",
  list: Effect.fnUntraced(function* (query) {
    const items = yield* Reference.only(query, "assets", Assets.all, Assets.find)
    const isFull = yield* Reference.include(query)
    return Reference.listing(
      items,
      (item) => ({ asset: item.asset, full_name: item.fullName }),
      isFull ? Assets.provider : undefined
    )
  })
}

/** Every reference data endpoint. */
export const all: ReadonlyArray<Endpoint> = [assets]
