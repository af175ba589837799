/**
 * The catalogs of exchanges, pairs, institutions and indexes (docs/interface.md 4.5 and 4.9).
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../internal/request/Caller.ts"
import type * as Coverage from "../../data/Coverage.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Indexes from "../../data/Indexes.ts"
import * as MarketIndex from "../../data/MarketIndex.ts"
import * as Pairs from "../../data/Pairs.ts"
import * as Seen from "../../data/Seen.ts"
import * as Span from "../../data/Span.ts"
import * as Reference from "../Reference.ts"
import type { Definition } from "./Definition.ts"
import * as Kind from "./Kind.ts"

const held = (
  name: string,
  kind: Kind.Kind,
  record: (holder: Coverage.Holder, caller: Caller) => object
): Definition => ({
  name,
  list: Effect.fnUntraced(function* (query, caller) {
    return Reference.listing(
      yield* Kind.named(kind, query, caller),
      (holder) => ({ [kind.field]: holder.id, ...record(holder, caller) }),
      { name: ({ id }) => id }
    )
  })
})

const withMetrics = (
  name: string,
  kind: Kind.Kind,
  more: (holder: Coverage.Holder) => object = () => ({})
): Definition =>
  held(name, kind, (holder, caller) => ({
    ...more(holder),
    metrics: Kind.metricsOf(holder, kind.metrics, caller)
  }))

const frequencies = (
  { view }: Caller,
  series: string,
  entity: string,
  span: Span.Span,
  names: ReadonlyArray<string>
) => ({ frequencies: Seen.entries(view, { series: `/timeseries/${series}`, entity }, Span.entries(span, names)) })

const index = (name: string, record: (index: Indexes.Index, caller: Caller) => object): Definition => ({
  name,
  list: Effect.fnUntraced(function* (query, caller) {
    const items = yield* Reference.only(query, "indexes", Indexes.all, Indexes.find)
    return Reference.listing(items, (item) => ({ index: item.index, ...record(item, caller) }), {
      name: ({ index }) => index
    })
  })
})

const levels = (item: Indexes.Index, caller: Caller) =>
  frequencies(caller, "index-levels", item.index, Indexes.spanOf(item), Indexes.frequenciesOf(item))

export const all: ReadonlyArray<Definition> = [
  withMetrics("exchanges", Kind.exchange, ({ id, span }) => ({
    markets: MarketIndex.ofExchange(id).map(({ market }) => market),
    ...Span.times(span)
  })),
  withMetrics("exchange-assets", Kind.exchangeAsset),
  withMetrics("pairs", Kind.pair, ({ id }) => ({ full_name: Pairs.find(id)?.full_name })),
  held("pair-candles", Kind.pair, ({ id, span }, caller) =>
    frequencies(caller, "pair-candles", id, span, Frequency.candles)
  ),
  withMetrics("institutions", Kind.institution),
  // The reference data may leave a description out, the catalog may not.
  index("indexes", (item, caller) => ({
    full_name: item.full_name,
    description: item.description ?? `${item.full_name}.`,
    ...levels(item, caller),
    type: item.type
  })),
  index("index-levels", levels),
  index("index-candles", (item, caller) =>
    frequencies(caller, "index-candles", item.index, Indexes.spanOf(item), Frequency.candles)
  )
]
