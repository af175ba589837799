/**
 * The time series of the metrics of exchanges, pairs, institutions and markets (docs/interface.md 4.6.3).
 */
import * as Effect from "effect/Effect"
import * as Coverage from "../../data/Coverage.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as HolderSeries from "../../data/HolderSeries.ts"
import * as Listings from "../../data/Listings.ts"
import * as Markets from "../../data/Markets.ts"
import { once } from "../../data/Once.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Caller from "../../internal/request/Caller.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Reference from "../Reference.ts"
import * as Entities from "./Entities.ts"
import * as Family from "./Family.ts"

type Metrics = ReadonlyArray<OtherMetrics.MetricRecord>

/** Reads the metrics and the frequency, and gives those of a holder that the caller may read. */
const metricsOf = Effect.fnUntraced(function* (all: Metrics, kind: string, query: Query.Query, caller: Caller.Caller) {
  const { ignoresForbidden, ignoresUnsupported } = Entities.leniency(query)
  const found: Array<OtherMetrics.MetricRecord> = []
  for (const name of Query.list(query, "metrics") ?? []) {
    const metric = all.find(({ metric }) => metric === name)
    if (metric !== undefined) found.push(metric)
    else if (!ignoresUnsupported) return yield* Refusal.unsupported("metrics", name)
  }
  const frequency = yield* Family.frequency(query, (name) => Frequency.find(name) !== undefined)
  return (holder: Coverage.Holder) => {
    const own = found.filter(({ metric }) => HolderSeries.spanOf(holder, metric, frequency.name) !== undefined)
    const [first] = found
    if (own.length === 0) {
      const what = `Metric '${first?.metric}' with frequency '${frequency.name}'`
      return Refusal.badParameter("metrics", `${what} is not supported for ${kind} '${holder.id}'.`)
    }
    // Metrics of assets alone are marked as community data or not; of the others, the community root shows what is daily.
    const mayRead = ({ metric }: OtherMetrics.MetricRecord) =>
      Caller.mayRead(caller, { metric, community: true }, frequency.name)
    const forbidden = own.find((metric) => !mayRead(metric))
    const readable = own.filter(mayRead)
    return forbidden !== undefined && (!ignoresForbidden || readable.length === 0)
      ? Refusal.forbiddenMetric(forbidden.metric, frequency.name, holder.id)
      : HolderSeries.rows(holder, `"${kind}":"${holder.id}"`, frequency, readable, caller)
  }
})

interface Own {
  readonly metrics: Metrics
  readonly entities: Pick<Entities.Entities<Coverage.Holder>, "parameter" | "all" | "wildcards" | "refuse" | "at"> & {
    readonly find?: Entities.Entities<Coverage.Holder>["find"]
  }
  readonly more?: Partial<Family.Series<Coverage.Holder>>
}

const series = (field: string, { entities, metrics, more }: Own): Source => {
  const byName = once(() => new Map(entities.all().map((holder) => [holder.id, holder])))
  return Family.endpoint({
    path: `/timeseries/${field.replaceAll("_", "-")}-metrics`,
    entities: { field, name: ({ id }) => id, find: (name) => byName().get(name), ...entities },
    rows: (query, caller) => metricsOf(metrics, field, query, caller),
    ...more
  })
}

const exchanges = series("exchange", {
  metrics: OtherMetrics.exchange,
  entities: { parameter: "exchanges", all: Coverage.exchanges, wildcards: "alone", refuse: Reference.noExchange }
})

const exchangeAssets = series("exchange_asset", {
  metrics: OtherMetrics.exchangeAsset,
  entities: {
    parameter: "exchange_assets",
    all: Coverage.exchangeAssets,
    wildcards: "anywhere",
    refuse: (name) => Refusal.badParameter("id", `Exchange-asset pair '${name}' is not supported.`)
  }
})

const exchangePairs = series("exchange_pair", {
  metrics: OtherMetrics.exchangePair,
  entities: { parameter: "exchange_pairs", all: Coverage.exchangePairs, wildcards: "anywhere" }
})

const pairs = series("pair", {
  metrics: OtherMetrics.pair,
  entities: { parameter: "pairs", all: Coverage.pairs, wildcards: "anywhere" }
})

const institutions = series("institution", {
  metrics: OtherMetrics.institution,
  entities: { parameter: "institutions", all: () => Coverage.institutions, wildcards: "alone" },
  more: {
    rows: Effect.fnUntraced(function* (query, caller) {
      const isMixed = query.get("sort") === "time" && Query.list(query, "institutions")?.includes("*")
      if (isMixed) return yield* Refusal.badParameter("sort", "Sorting by time takes no wildcard of institutions.")
      return yield* metricsOf(OtherMetrics.institution, "institution", query, caller)
    })
  }
})

const holderOf = (market: Markets.Market | undefined) => (market === undefined ? undefined : Coverage.market(market))

const markets = series("market", {
  metrics: OtherMetrics.market,
  entities: {
    parameter: "markets",
    all: once(() => Markets.all().flatMap((market) => holderOf(market) ?? [])),
    find: (name) => holderOf(Markets.find(name)),
    wildcards: "anywhere",
    refuse: (name) => Refusal.badParameter("markets", `Market '${name}' is not supported.`),
    at: (view) => {
      const { all, find } = Listings.markets(view)
      return { all: () => all().flatMap((market) => holderOf(market) ?? []), find: (name) => holderOf(find(name)) }
    }
  }
})

/** Every time series of metrics of something other than assets. */
export const all: ReadonlyArray<Source> = [exchanges, exchangeAssets, exchangePairs, pairs, institutions, markets]
