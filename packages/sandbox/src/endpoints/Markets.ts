/**
 * GET /reference-data/markets (docs/interface.md 3.4 and 4.1).
 */
import * as Effect from "effect/Effect"
import * as Markets from "../data/Markets.ts"
import type { Source } from "../internal/listing/Endpoint.ts"
import * as Query from "../internal/request/Query.ts"
import * as MarketFilter from "./MarketFilter.ts"
import * as Reference from "./Reference.ts"

const securities = ["publisher", "cusip", "figi", "isin"]

// In the newest edition of the interface, for the reference data alone: the catalogs of markets have neither.
const classes = ["digital", "equity", "fixed_income"] as const
const sources = ["exchange", "platform", "composite", "evaluated"] as const

const kindOf = ({ publisher, type }: Markets.Market) =>
  type === "bond"
    ? { asset_class: classes[2], source_type: publisher === "finra" ? sources[1] : sources[3] }
    : { asset_class: classes[0], source_type: sources[0] }

/** The markets. */
export const markets: Source = {
  path: "/reference-data/markets",
  list: Effect.fnUntraced(function* (query, caller) {
    const asset = yield* Query.oneOf(query, "asset_class", classes)
    const source = yield* Query.oneOf(query, "source_type", sources)
    const items = (yield* MarketFilter.markets(query, caller, securities)).filter((market) => {
      const { asset_class, source_type } = kindOf(market)
      return (asset ?? asset_class) === asset_class && (source ?? source_type) === source_type
    })
    const isFull = yield* Reference.include(query)
    return Reference.listing(items, (item) => ({ ...item, ...kindOf(item) }), {
      provider: isFull ? Markets.provider : undefined
    })
  })
}
