/**
 * GET /reference-data/markets (interface.md 2.4 and 4.1).
 */
import * as Effect from "effect/Effect"
import * as Markets from "../data/Markets.ts"
import type { Endpoint } from "../Endpoint.ts"
import * as Query from "../Query.ts"
import * as MarketFilter from "./MarketFilter.ts"
import * as Reference from "./Reference.ts"

const securities = ["publisher", "cusip", "figi", "isin"]

/** The markets. */
export const markets: Endpoint = {
  path: "/reference-data/markets",
  community: true,
  parameters: [...MarketFilter.parameters, ...securities, "include"],
  pagingFrom: "start",
  list: Effect.fnUntraced(function* (query) {
    yield* Query.atMostOne(query, ["cusip", "figi", "isin"])
    const items = yield* MarketFilter.markets(query, securities)
    const isFull = yield* Reference.include(query)
    return Reference.listing(items, (item) => item, { provider: isFull ? Markets.provider : undefined })
  })
}
