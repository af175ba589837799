/** The kinds of metrics, each with what holds them: some catalogs list holders with metrics, others the inverse. */
import * as Effect from "effect/Effect"
import * as Caller from "../../internal/request/Caller.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as Exchanges from "../../data/Exchanges.ts"
import * as Listings from "../../data/Listings.ts"
import * as Metrics from "../../data/Metrics.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Pairs from "../../data/Pairs.ts"
import * as Seen from "../../data/Seen.ts"
import type { Entry } from "../../data/Span.ts"
import type { View } from "../../internal/history/History.ts"
import type { Query } from "../../internal/request/Query.ts"
import type { Refusal } from "../../internal/request/Refusal.ts"
import * as Reference from "../Reference.ts"

export interface Kind {
  /** The list that names the holders, in a query and in a frequency of a metric. */
  readonly list: string
  readonly field: string
  readonly metrics: ReadonlyArray<OtherMetrics.MetricRecord>
  readonly holders: (view: View | undefined) => ReadonlyArray<Coverage.Holder>
  /** Finds the id of a holder by any of its forms; an id may be known that holds nothing. */
  readonly find?: (id: string, view: View | undefined) => string | undefined
  readonly refuse?: (id: string) => Refusal
}

/** What holds metrics is named by the field, and lists of it by its plural. */
export const make = (
  field: string,
  metrics: Kind["metrics"],
  holders: Kind["holders"],
  more: Pick<Kind, "find" | "refuse"> = {}
): Kind => ({ list: `${field}s`, field, metrics, holders, ...more })

const assetHolders = (view: View | undefined) =>
  view === undefined ? Coverage.assets : Listings.assets(view).all().map(Coverage.asset)

const assetMetrics = Metrics.all.map(({ record }) => record)

export const asset = make("asset", assetMetrics, assetHolders, {
  find: (id, view) => Listings.assets(view).find(id)?.asset
})

export const exchange = make("exchange", OtherMetrics.exchange, Coverage.exchanges, {
  find: (id) => Exchanges.find(id)?.exchange,
  refuse: Reference.noExchange
})

export const exchangeAsset = make("exchange_asset", OtherMetrics.exchangeAsset, Coverage.exchangeAssets)
export const exchangePair = make("exchange_pair", OtherMetrics.exchangePair, Coverage.exchangePairs)
export const pair = make("pair", OtherMetrics.pair, Coverage.pairs, { find: (id) => Pairs.find(id)?.pair })
export const institution = make("institution", OtherMetrics.institution, () => Coverage.institutions)

export const named = Effect.fnUntraced(function* (self: Kind, query: Query, { view }: Caller.Caller) {
  const all = self.holders(view)
  const ids = all.map(({ id }) => id)
  const known = new Set(ids)
  const find = self.find ?? ((id: string) => (known.has(id) ? id : undefined))
  const wanted = new Set(yield* Reference.only(query, self.list, ids, (id) => find(id, view), self.refuse))
  return all.filter(({ id }) => wanted.has(id))
})

// Only metrics of assets are marked as community data or not; of the others, the community root shows what is daily.
const readable = (holder: Coverage.Holder, metric: string, caller: Caller.Caller): ReadonlyArray<Entry> => {
  const community = Metrics.find(metric)?.community ?? true
  const own = holder.entries(metric).filter(({ frequency }) => Caller.mayRead(caller, { metric, community }, frequency))
  return Seen.entries(caller.view, { series: holder.series, entity: holder.id, metric }, own)
}

export const metricsOf = (holder: Coverage.Holder, metrics: Kind["metrics"], caller: Caller.Caller) =>
  metrics
    .map(({ metric }) => ({ metric, frequencies: readable(holder, metric, caller) }))
    .filter(({ frequencies }) => frequencies.length > 0)

export const hasAny = (holder: Coverage.Holder, metrics: Kind["metrics"], caller: Caller.Caller): boolean =>
  metrics.some(({ metric }) => readable(holder, metric, caller).length > 0)

export const frequenciesOf = ({ holders, list }: Kind, metric: string, caller: Caller.Caller) => {
  const found = holders(caller.view).flatMap((holder) =>
    readable(holder, metric, caller).map(({ frequency }) => ({ frequency, id: holder.id }))
  )
  const byFrequency = Map.groupBy(found, ({ frequency }) => frequency)
  return [...byFrequency].map(([frequency, holders]) => ({ frequency, [list]: holders.map(({ id }) => id) }))
}

export const protocols = (query: Query) =>
  Reference.having(query, Coverage.protocols(), {
    protocols: ({ protocol }) => [protocol],
    chains: ({ chain }) => [chain],
    markets: ({ market }) => [market]
  })
