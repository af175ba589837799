/** The catalogs of assets, of their alerts, and of what is followed of their chains (docs/interface.md 4.5). */
import * as Coverage from "../../data/Coverage.ts"
import * as Assets from "../../data/Assets.ts"
import * as ChainData from "../../data/ChainData.ts"
import * as Listings from "../../data/Listings.ts"
import * as MarketIndex from "../../data/MarketIndex.ts"
import * as Seen from "../../data/Seen.ts"
import * as Span from "../../data/Span.ts"
import { MINUTE } from "../../internal/time/Calendar.ts"
import * as Offered from "../../internal/request/Offered.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Reference from "../Reference.ts"
import * as Definition from "./Definition.ts"
import * as Kind from "./Kind.ts"

const explored = new Set(ChainData.chains.map(({ asset }) => asset))

const assets = Definition.make("assets", "both", function* (query, caller) {
  const known = Listings.assets(caller.view)
  const items = yield* Reference.only(query, "assets", known.all(), known.find)
  const wanted = Query.parts(query, Offered.words("/catalog/assets", "include"))
  return Reference.listing(items, (item) => {
    const markets = MarketIndex.ofAsset(item.asset)
    const lists: Readonly<Record<string, () => ReadonlyArray<unknown>>> = {
      metrics: () => Kind.metricsOf(Coverage.asset(item), Kind.asset.metrics, caller),
      exchanges: () => [...new Set(markets.map(({ exchange }) => exchange))],
      markets: () => markets.map(({ market }) => market)
    }
    return {
      asset: item.asset,
      full_name: item.fullName,
      ...(item.kind === "market" && item.asset.includes("_") ? { experimental: true } : {}),
      ...Object.fromEntries(
        wanted.flatMap((part) => {
          const list = lists[part]?.() ?? []
          return list.length === 0 ? [] : [[part, list]]
        })
      ),
      ...(explored.has(item.asset) ? { atlas: true } : {})
    }
  })
})

const alertNames = [...new Set(ChainData.alerts.map(({ name }) => name))]

const alerts = Definition.make("asset-alerts", "both", function* (query) {
  const chosen = yield* Reference.only(query, "assets", Assets.all, Assets.find)
  const names = yield* Reference.only(query, "alerts", alertNames, undefined, Refusal.unknownAlert)
  const ids = new Set(chosen.map(({ asset }) => asset))
  return Reference.listing(ChainData.alerts.filter(({ asset, name }) => ids.has(asset) && names.includes(name)))
})

/** What is followed of chains. Of blocks and transactions the past does not change. */
const chain = (
  name: string,
  followed: ReadonlyArray<ChainData.Followed>,
  { isSeries = true, more = () => ({}) }: { isSeries?: boolean; more?: (one: ChainData.Followed) => object } = {}
): Definition.Definition =>
  Definition.make(name, "both", function* (query, { view }) {
    const chosen = yield* Reference.only(query, "assets", Assets.all, Assets.find)
    const ids = new Set(chosen.map(({ asset }) => asset))
    return Reference.listing(
      followed
        .filter(({ asset }) => ids.has(asset))
        .flatMap((one) => {
          const named = { series: `/timeseries/${name}`, entity: one.asset }
          const span = isSeries ? Seen.span(view, named, one.span, MINUTE) : one.span
          return span === undefined ? [] : [{ ...one, span }]
        }),
      (one) => ({ asset: one.asset, ...Span.times(one.span), ...more(one) })
    )
  })

export const all: ReadonlyArray<Definition.Definition> = [
  assets,
  alerts,
  chain("asset-chains", ChainData.chains),
  chain("mempool-feerates", ChainData.feerates),
  chain("mining-pool-tips-summary", ChainData.tips),
  chain("transaction-tracker", ChainData.transactions, { isSeries: false }),
  ...Object.entries(ChainData.blockchain).map(([name, followed]) =>
    chain(`blockchain-v2/${name}`, followed, {
      isSeries: false,
      // Is still under development.
      more: ({ asset }) => (asset === "bch" ? { experimental: true } : {})
    })
  )
]
