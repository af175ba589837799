/**
 * The catalogs of exchanges, pairs, institutions and indexes, and those of metrics: for each metric and frequency what has it
 * (docs/interface.md 4.5), and the inverse, what has metrics with those it has (4.9).
 */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Indexes from "../../data/Indexes.ts"
import * as MarketIndex from "../../data/MarketIndex.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Pairs from "../../data/Pairs.ts"
import * as Seen from "../../data/Seen.ts"
import * as Span from "../../data/Span.ts"
import type * as Listing from "../../internal/listing/Listing.ts"
import type * as Query from "../../internal/request/Query.ts"
import * as MarketFilter from "../MarketFilter.ts"
import * as Reference from "../Reference.ts"
import * as Definition from "./Definition.ts"
import * as Kind from "./Kind.ts"

const held = (
  name: string,
  kind: Kind.Kind,
  record: (holder: Coverage.Holder, caller: Caller) => object
): Definition.Definition =>
  Definition.make(name, "both", function* (query, caller) {
    return Reference.listing(
      yield* Kind.named(kind, query, caller),
      (holder) => ({ [kind.field]: holder.id, ...record(holder, caller) }),
      { name: ({ id }) => id }
    )
  })

const withMetrics = (
  name: string,
  kind: Kind.Kind,
  more: (holder: Coverage.Holder) => object = () => ({})
): Definition.Definition =>
  held(name, kind, (holder, caller) => ({ ...more(holder), metrics: Kind.metricsOf(holder, kind.metrics, caller) }))

const frequencies = (
  { view }: Caller,
  series: string,
  entity: string,
  span: Span.Span,
  names: ReadonlyArray<string>
) => ({ frequencies: Seen.entries(view, { series: `/timeseries/${series}`, entity }, Span.entries(span, names)) })

const index = (name: string, record: (index: Indexes.Index, caller: Caller) => object): Definition.Definition =>
  Definition.make(name, "both", function* (query, caller) {
    const items = yield* Reference.only(query, "indexes", Indexes.all, Indexes.find)
    return Reference.listing(items, (item) => ({ index: item.index, ...record(item, caller) }), {
      name: ({ index }) => index
    })
  })

const levels = (item: Indexes.Index, caller: Caller) =>
  frequencies(caller, "index-levels", item.index, Indexes.spanOf(item), Indexes.frequenciesOf(item))

type Metrics = ReadonlyArray<OtherMetrics.MetricRecord>

const chosen = Effect.fnUntraced(function* (query: Query.Query, all: Metrics) {
  const named = yield* Reference.only(query, "metrics", all, (name) => all.find(({ metric }) => metric === name))
  return yield* Reference.reviewable(query, named)
})

const byMetric = (
  name: string,
  kind: Kind.Kind,
  describe: (metric: OtherMetrics.MetricRecord) => Partial<OtherMetrics.MetricRecord> = (metric) => metric
): Definition.Definition =>
  Definition.make(name, "older", function* (query, caller) {
    const items = (yield* chosen(query, kind.metrics))
      .map((metric) => ({ metric, frequencies: Kind.frequenciesOf(kind, metric.metric, caller) }))
      .filter(({ frequencies }) => frequencies.length > 0)
    return Reference.listing(items, ({ frequencies, metric }) => ({ ...describe(metric), frequencies }))
  })

/** Lists holders with their metrics; without one that was asked for and may be read, a holder is left out. */
const listing = <Holder extends Coverage.Holder>(
  holders: ReadonlyArray<Holder>,
  metrics: Metrics,
  caller: Caller,
  fields: (holder: Holder) => object
): Listing.Listing =>
  Reference.listing(
    holders.filter((holder) => Kind.hasAny(holder, metrics, caller)),
    (holder) => ({ ...fields(holder), metrics: Kind.metricsOf(holder, metrics, caller) }),
    { name: ({ id }) => id }
  )

const byHolder = (kind: Kind.Kind): Definition.Definition =>
  Definition.make(`${kind.field.replace("_", "-")}-metrics`, "newer", function* (query, caller) {
    const holders = yield* Kind.named(kind, query, caller)
    return listing(holders, yield* chosen(query, kind.metrics), caller, ({ id }) => ({ [kind.field]: id }))
  })

const markets = Definition.make("market-metrics", "newer", function* (query, caller) {
  const holders = (yield* MarketFilter.markets(query, caller)).flatMap((market) => Coverage.market(market) ?? [])
  return listing(holders, yield* chosen(query, OtherMetrics.market), caller, ({ id }) => ({ market: id }))
})

const protocols = Definition.make("protocol-metrics", "both", function* (query, caller) {
  const holders = yield* Kind.protocols(query)
  return listing(holders, yield* chosen(query, OtherMetrics.protocol), caller, ({ chain, market, protocol }) => ({
    protocol,
    market,
    chain
  }))
})

const kinds = [Kind.asset, Kind.exchange, Kind.exchangeAsset, Kind.pair, Kind.institution]

export const all: ReadonlyArray<Definition.Definition> = [
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
  ),
  byMetric("metrics", Kind.asset, Struct.omit(["product"])),
  ...kinds.map((kind) => byMetric(`${kind.field.replace("_", "-")}-metrics`, kind)),
  ...[...kinds, Kind.exchangePair].map(byHolder),
  markets,
  protocols
]
