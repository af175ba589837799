/**
 * The time series of the metrics of exchanges, pairs, institutions and markets (docs/interface.md 4.6.3).
 */
import * as Effect from "effect/Effect"
import * as Coverage from "../../data/Coverage.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Listings from "../../data/Listings.ts"
import * as Markets from "../../data/Markets.ts"
import { once } from "../../data/Remembered.ts"
import type { MetricRecord } from "../../data/OtherMetrics.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Series from "../../data/Series.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Kind from "../catalog/Kind.ts"
import * as Entities from "./Entities.ts"
import * as Family from "./Family.ts"

type Own = Partial<Family.Series<Coverage.Holder>["entities"]>

const series = (kind: Kind.Kind, own: Own = {}): Source => {
  const { field, list, metrics, refuse } = kind
  const all = () => kind.holders(undefined)
  const byName = once(() => new Map(all().map((holder) => [holder.id, holder])))
  const find = (name: string) => byName().get(name)
  const findMetric = (name: string) => metrics.find(({ metric }) => metric === name)
  return Family.endpoint({
    path: `/timeseries/${field.replaceAll("_", "-")}-metrics`,
    entities: {
      name: ({ id }) => id,
      all,
      find,
      refuse,
      ...own
    },
    rows: Effect.fnUntraced(function* (query, caller) {
      const isMixed = query.get("sort") === "time" && Query.list(query, list)?.includes("*")
      if (kind === Kind.institution && isMixed)
        return yield* Refusal.badParameter("sort", "Sorting by time takes no wildcard of institutions.")
      const frequency = yield* Family.frequency(query, (name) => Frequency.find(name) !== undefined)
      const metricsOf = yield* Entities.metrics(query, caller, frequency.name, field, findMetric)
      const shown = Series.plain(caller.dialect.noValue, caller.view)
      return (holder) => {
        const has = ({ metric }: MetricRecord) => Coverage.spanOf(holder, metric, frequency.name) !== undefined
        const found = metricsOf(holder.id, has)
        if (found instanceof Refusal.Refusal) return found
        return Series.grid(Coverage.columns(holder, found, frequency.name), frequency, shown, true)
      }
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

export const all: ReadonlyArray<Source> = [
  series(Kind.exchange),
  series(Kind.exchangeAsset, {
    refuse: (name) => Refusal.badParameter("id", `Exchange-asset pair '${name}' is not supported.`)
  }),
  series(Kind.exchangePair),
  series(Kind.pair),
  series(Kind.institution),
  series(markets, {
    all: once(() => markets.holders(undefined)),
    find: (name) => holderOf(Markets.find(name)),
    refuse: (name) => Refusal.badParameter("markets", `Market '${name}' is not supported.`),
    at: (view) => ({
      all: () => markets.holders(view),
      find: (name) => holderOf(Listings.markets(view).find(name))
    })
  })
]
