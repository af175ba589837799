/**
 * GET /security-master/assets and /security-master/markets (docs/interface.md 3.18 and 4.14).
 *
 * Codes are made of the names. A market has the span of its trades and no figures of lately.
 */
import * as Assets from "../data/Assets.ts"
import * as Availability from "../data/Availability.ts"
import { date, nanos } from "../internal/time/Calendar.ts"
import type * as Markets from "../data/Markets.ts"
import { code, seed } from "../internal/random/Noise.ts"
import * as Remembered from "../data/Remembered.ts"
import * as Endpoint from "../internal/listing/Endpoint.ts"
import * as MarketFilter from "./MarketFilter.ts"
import * as Reference from "./Reference.ts"

const codeOf = (name: string) => code(seed(name), 0, 10)

const byCode = Remembered.finder(Assets.all, ({ asset }) => codeOf(asset))

/** Chains with work that keep accounts. */
const accounts = new Set(["etc", "eth"])

const assets = Endpoint.source("/security-master/assets", function* (query) {
  const named = yield* Reference.only(query, "assets", Assets.all, Assets.find)
  const items = yield* Reference.only(query, "codes", named, byCode)
  return Reference.listing(items, ({ asset, fullName, kind, start }) => ({
    asset,
    code: codeOf(asset),
    description: fullName,
    decimals: "8",
    creation_date: date(start),
    // One word is published: bitcoin is `utxo`.
    type: kind === "work" && !accounts.has(asset) ? "utxo" : kind,
    pricing_asset: asset,
    fiat: false
  }))
})

const securities = new Set(
  "publisher cusip figi isin security_type security_term description coupon_rate price_per100 issue_date maturity_date".split(
    " "
  )
)

const market = (item: Markets.Market) => {
  const span = Availability.of(item, "trades")
  return {
    ...Object.fromEntries(Object.entries(item).filter(([name]) => !securities.has(name))),
    code: codeOf(item.market),
    ...(span === undefined ? {} : { trades_min_time: nanos(span.from), trades_max_time: nanos(span.to) })
  }
}

const markets = Endpoint.source("/security-master/markets", function* (query, caller) {
  const items = yield* MarketFilter.markets(query, caller)
  return Reference.listing(items, market, { name: ({ market }) => market })
})

export const all: ReadonlyArray<Endpoint.Source> = [assets, markets]
