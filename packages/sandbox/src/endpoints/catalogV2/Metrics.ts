/**
 * What has metrics, with the metrics it has: the inverse of the deprecated catalogs of metrics (docs/interface.md 3.11
 * and 4.9).
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as Exchanges from "../../data/Exchanges.ts"
import * as Listings from "../../data/Listings.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Pairs from "../../data/Pairs.ts"
import type * as Listing from "../../internal/listing/Listing.ts"
import type * as Query from "../../internal/request/Query.ts"
import type { Refusal } from "../../internal/request/Refusal.ts"
import * as Kind from "../catalog/Kind.ts"
import * as MarketFilter from "../MarketFilter.ts"
import * as Reference from "../Reference.ts"
import type { Definition } from "./Definition.ts"

/** Narrows to the metrics that are asked for. */
const chosen = (query: Query.Query, all: ReadonlyArray<OtherMetrics.MetricRecord>) =>
  Reference.only(query, "metrics", all, (name) => all.find(({ metric }) => metric === name))

/** Lists holders with their metrics; without one that was asked for and may be read, a holder is left out. */
const listing = <Holder extends Coverage.Holder>(
  holders: ReadonlyArray<Holder>,
  metrics: ReadonlyArray<OtherMetrics.MetricRecord>,
  caller: Caller,
  fields: (holder: Holder) => object
): Listing.Listing =>
  Reference.listing(
    holders.filter((holder) => Kind.hasAny(holder, metrics, caller)),
    (holder) => ({ ...fields(holder), metrics: Kind.metricsOf(holder, metrics, caller) }),
    { name: ({ id }) => id }
  )

interface Held {
  readonly kind: Kind.Kind
  /** The field that names the holder. */
  readonly field: string
  /** Finds the id of a holder by any of its forms; an id may be known that holds nothing. */
  readonly find?: (id: string, caller: Caller) => string | undefined
  readonly refuse?: (id: string) => Refusal
  readonly isReviewable?: true
}

const held = ({ field, find, isReviewable, kind, refuse }: Held): Definition => ({
  name: `${field.replace("_", "-")}-metrics`,
  list: Effect.fnUntraced(function* (query, caller) {
    const all = kind.holders(caller.view)
    const byId = new Map(all.map((holder) => [holder.id, holder]))
    const ids = new Set(
      yield* Reference.only(
        query,
        kind.list,
        [...byId.keys()],
        (id) => (find === undefined ? byId.get(id)?.id : find(id, caller)),
        refuse
      )
    )
    const named = yield* chosen(query, kind.metrics)
    const metrics = isReviewable === undefined ? named : yield* Reference.reviewable(query, named)
    return listing(
      all.filter(({ id }) => ids.has(id)),
      metrics,
      caller,
      ({ id }) => ({ [field]: id })
    )
  })
})

const markets: Definition = {
  name: "market-metrics",
  list: Effect.fnUntraced(function* (query, caller) {
    const holders = (yield* MarketFilter.markets(query, caller)).flatMap((market) => Coverage.market(market) ?? [])
    const metrics = yield* chosen(query, OtherMetrics.market)
    return listing(holders, metrics, caller, ({ id }) => ({ market: id }))
  })
}

const protocols: Definition = {
  name: "protocol-metrics",
  list: Effect.fnUntraced(function* (query, caller) {
    let holders = Coverage.protocols()
    for (const [filter, field] of [
      ["protocols", "protocol"],
      ["chains", "chain"],
      ["markets", "market"]
    ] as const) {
      const names = [...new Set(Coverage.protocols().map((holder) => holder[field]))]
      const wanted = yield* Reference.only(query, filter, names, (name) => names.find((known) => known === name))
      holders = holders.filter((holder) => wanted.includes(holder[field]))
    }
    const metrics = yield* chosen(query, OtherMetrics.protocol)
    return listing(holders, metrics, caller, ({ chain, market, protocol }) => ({ protocol, market, chain }))
  })
}

/** The v2 catalogs of metrics. */
export const all: ReadonlyArray<Definition> = [
  held({
    kind: Kind.asset,
    field: "asset",
    find: (id, { view }) => Listings.assets(view).find(id)?.asset,
    isReviewable: true
  }),
  held({
    kind: Kind.exchange,
    field: "exchange",
    find: (id) => Exchanges.find(id)?.exchange,
    refuse: Reference.noExchange
  }),
  held({ kind: Kind.exchangeAsset, field: "exchange_asset" }),
  held({ kind: Kind.exchangePair, field: "exchange_pair" }),
  held({ kind: Kind.pair, field: "pair", find: (id) => Pairs.find(id)?.pair }),
  held({ kind: Kind.institution, field: "institution" }),
  markets,
  protocols
]
