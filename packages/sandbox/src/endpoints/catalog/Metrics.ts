/**
 * The catalogs of metrics: for each metric and frequency what has it (docs/interface.md 4.5), and the inverse, what has metrics with
 * those it has (4.9).
 */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import type * as Listing from "../../internal/listing/Listing.ts"
import type * as Query from "../../internal/request/Query.ts"
import * as MarketFilter from "../MarketFilter.ts"
import * as Reference from "../Reference.ts"
import type { Definition } from "./Definition.ts"
import * as Kind from "./Kind.ts"

type Metrics = ReadonlyArray<OtherMetrics.MetricRecord>

const chosen = Effect.fnUntraced(function* (query: Query.Query, all: Metrics) {
  const named = yield* Reference.only(query, "metrics", all, (name) => all.find(({ metric }) => metric === name))
  return yield* Reference.reviewable(query, named)
})

const byMetric = (
  name: string,
  kind: Kind.Kind,
  describe: (metric: OtherMetrics.MetricRecord) => Partial<OtherMetrics.MetricRecord> = (metric) => metric
): Definition => ({
  name,
  edition: "older",
  list: Effect.fnUntraced(function* (query, caller) {
    const items = (yield* chosen(query, kind.metrics))
      .map((metric) => ({ metric, frequencies: Kind.frequenciesOf(kind, metric.metric, caller) }))
      .filter(({ frequencies }) => frequencies.length > 0)
    return Reference.listing(items, ({ frequencies, metric }) => ({ ...describe(metric), frequencies }))
  })
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

const byHolder = (kind: Kind.Kind): Definition => ({
  name: `${kind.field.replace("_", "-")}-metrics`,
  edition: "newer",
  list: Effect.fnUntraced(function* (query, caller) {
    const holders = yield* Kind.named(kind, query, caller)
    return listing(holders, yield* chosen(query, kind.metrics), caller, ({ id }) => ({ [kind.field]: id }))
  })
})

const markets: Definition = {
  name: "market-metrics",
  edition: "newer",
  list: Effect.fnUntraced(function* (query, caller) {
    const holders = (yield* MarketFilter.markets(query, caller)).flatMap((market) => Coverage.market(market) ?? [])
    return listing(holders, yield* chosen(query, OtherMetrics.market), caller, ({ id }) => ({ market: id }))
  })
}

const protocols: Definition = {
  name: "protocol-metrics",
  list: Effect.fnUntraced(function* (query, caller) {
    const holders = yield* Kind.protocols(query)
    return listing(holders, yield* chosen(query, OtherMetrics.protocol), caller, ({ chain, market, protocol }) => ({
      protocol,
      market,
      chain
    }))
  })
}

const kinds = [Kind.asset, Kind.exchange, Kind.exchangeAsset, Kind.pair, Kind.institution]

export const all: ReadonlyArray<Definition> = [
  byMetric("metrics", Kind.asset, Struct.omit(["product"])),
  ...kinds.map((kind) => byMetric(`${kind.field.replace("_", "-")}-metrics`, kind)),
  ...[...kinds, Kind.exchangePair].map(byHolder),
  markets,
  protocols
]
