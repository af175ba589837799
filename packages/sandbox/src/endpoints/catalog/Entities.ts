/**
 * The catalogs of exchanges, pairs, institutions and indexes (docs/interface.md 4.5).
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as Exchanges from "../../data/Exchanges.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Indexes from "../../data/Indexes.ts"
import * as MarketIndex from "../../data/MarketIndex.ts"
import * as Pairs from "../../data/Pairs.ts"
import * as Seen from "../../data/Seen.ts"
import * as Span from "../../data/Span.ts"
import type { Refusal } from "../../internal/request/Refusal.ts"
import * as Reference from "../Reference.ts"
import type { Definition } from "./Definition.ts"
import * as Kind from "./Kind.ts"

interface Held {
  readonly name: string
  readonly filter: string
  readonly holders: () => ReadonlyArray<Coverage.Holder>
  /** Finds the id of a holder by any of its forms; an id may be known that holds nothing. */
  readonly find?: (id: string) => string | undefined
  readonly refuse?: (id: string) => Refusal
  readonly record: (holder: Coverage.Holder, caller: Caller) => object
}

const held = ({ filter, find, holders, name, record, refuse }: Held): Definition => ({
  name,
  list: Effect.fnUntraced(function* (query, caller) {
    const all = holders()
    const byId = new Map(all.map((holder) => [holder.id, holder]))
    const known = find ?? ((id: string) => byId.get(id)?.id)
    const ids = new Set(
      yield* Reference.only(
        query,
        filter,
        all.map(({ id }) => id),
        known,
        refuse
      )
    )
    return Reference.listing(
      all.filter(({ id }) => ids.has(id)),
      (holder) => record(holder, caller)
    )
  })
})

const exchanges = held({
  name: "exchanges",
  filter: "exchanges",
  holders: Coverage.exchanges,
  find: (id) => Exchanges.find(id)?.exchange,
  refuse: Reference.noExchange,
  record: (holder, caller) => ({
    exchange: holder.id,
    markets: MarketIndex.ofExchange(holder.id).map(({ market }) => market),
    metrics: Kind.metricsOf(holder, Kind.exchange.metrics, caller),
    ...Span.times(holder.span)
  })
})

const exchangeAssets = held({
  name: "exchange-assets",
  filter: "exchange_assets",
  holders: Coverage.exchangeAssets,
  record: (holder, caller) => ({
    exchange_asset: holder.id,
    metrics: Kind.metricsOf(holder, Kind.exchangeAsset.metrics, caller)
  })
})

const findPair = (id: string): string | undefined => Pairs.find(id)?.pair

const pairs = held({
  name: "pairs",
  filter: "pairs",
  holders: Coverage.pairs,
  find: findPair,
  record: (holder, caller) => ({
    pair: holder.id,
    full_name: Pairs.find(holder.id)?.full_name,
    metrics: Kind.metricsOf(holder, Kind.pair.metrics, caller)
  })
})

const pairCandles = held({
  name: "pair-candles",
  filter: "pairs",
  holders: Coverage.pairs,
  find: findPair,
  record: ({ id, span }, { view }) => ({
    pair: id,
    frequencies: Seen.entries(
      view,
      { series: "/timeseries/pair-candles", entity: id },
      Span.entries(span, Frequency.candles)
    )
  })
})

const institutions = held({
  name: "institutions",
  filter: "institutions",
  holders: () => Coverage.institutions,
  record: (holder, caller) => ({
    institution: holder.id,
    metrics: Kind.metricsOf(holder, Kind.institution.metrics, caller)
  })
})

const index = (name: string, record: (index: Indexes.Index, caller: Caller) => object): Definition => ({
  name,
  list: Effect.fnUntraced(function* (query, caller) {
    const items = yield* Reference.only(query, "indexes", Indexes.all, Indexes.find)
    return Reference.listing(items, (item) => record(item, caller))
  })
})

// The reference data may leave a description out, the catalog may not.
const indexes = index("indexes", (item, { view }) => ({
  index: item.index,
  full_name: item.full_name,
  description: item.description ?? `${item.full_name}.`,
  frequencies: Seen.entries(
    view,
    { series: "/timeseries/index-levels", entity: item.index },
    Span.entries(Indexes.spanOf(item), Indexes.frequenciesOf(item))
  ),
  ...(item.type === undefined ? {} : { type: item.type })
}))

const indexCandles = index("index-candles", (item, { view }) => ({
  index: item.index,
  frequencies: Seen.entries(
    view,
    { series: "/timeseries/index-candles", entity: item.index },
    Span.entries(Indexes.spanOf(item), Frequency.candles)
  )
}))

/** The catalogs of exchanges, pairs, institutions and indexes. */
export const all: ReadonlyArray<Definition> = [
  exchanges,
  exchangeAssets,
  pairs,
  pairCandles,
  institutions,
  indexes,
  indexCandles
]
