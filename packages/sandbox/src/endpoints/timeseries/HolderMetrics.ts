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
import * as Kind from "../catalog/Kind.ts"
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

type Own = Partial<Family.Series<Coverage.Holder>["entities"]>

const series = (kind: Kind.Kind, wildcards: "anywhere" | "alone", own: Own = {}): Source => {
  const { field, list, metrics, refuse } = kind
  const all = () => kind.holders(undefined)
  const byName = once(() => new Map(all().map((holder) => [holder.id, holder])))
  const find = (name: string) => byName().get(name)
  return Family.endpoint({
    path: `/timeseries/${field.replaceAll("_", "-")}-metrics`,
    entities: {
      parameter: list,
      field,
      name: ({ id }) => id,
      all,
      find,
      wildcards,
      ...(refuse && { refuse }),
      ...own
    },
    rows: Effect.fnUntraced(function* (query, caller) {
      const isMixed = query.get("sort") === "time" && Query.list(query, list)?.includes("*")
      if (kind === Kind.institution && isMixed)
        return yield* Refusal.badParameter("sort", "Sorting by time takes no wildcard of institutions.")
      return yield* metricsOf(metrics, field, query, caller)
    })
  })
}

const holderOf = (market: Markets.Market | undefined) => (market === undefined ? undefined : Coverage.market(market))

const markets: Kind.Kind = {
  list: "markets",
  field: "market",
  metrics: OtherMetrics.market,
  holders: (view) =>
    Listings.markets(view)
      .all()
      .flatMap((market) => holderOf(market) ?? [])
}

/** Every time series of metrics of something other than assets. */
export const all: ReadonlyArray<Source> = [
  series(Kind.exchange, "alone"),
  series(Kind.exchangeAsset, "anywhere", {
    refuse: (name) => Refusal.badParameter("id", `Exchange-asset pair '${name}' is not supported.`)
  }),
  series(Kind.exchangePair, "anywhere"),
  series(Kind.pair, "anywhere"),
  series(Kind.institution, "alone"),
  series(markets, "anywhere", {
    all: once(() => markets.holders(undefined)),
    find: (name) => holderOf(Markets.find(name)),
    refuse: (name) => Refusal.badParameter("markets", `Market '${name}' is not supported.`),
    at: (view) => ({
      all: () => markets.holders(view),
      find: (name) => holderOf(Listings.markets(view).find(name))
    })
  })
]
