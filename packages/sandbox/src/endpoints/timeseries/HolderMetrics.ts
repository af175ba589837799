/**
 * The time series of the metrics of exchanges, pairs, institutions, markets and protocols (docs/interface.md 3.12 and 4.6.3).
 */
import * as Effect from "effect/Effect"
import * as Coverage from "../../data/Coverage.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Listings from "../../data/Listings.ts"
import * as Markets from "../../data/Markets.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Remembered from "../../data/Remembered.ts"
import * as Rows from "../../data/Rows.ts"
import * as Series from "../../data/Series.ts"
import * as Endpoint from "../../internal/listing/Endpoint.ts"
import * as Listing from "../../internal/listing/Listing.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Kind from "../catalog/Kind.ts"
import * as Reference from "../Reference.ts"
import * as Entities from "./Entities.ts"
import * as Family from "./Family.ts"

type Own = Partial<Entities.Entities<Coverage.Holder>>

const series = (kind: Kind.Kind, own: Own = {}): Endpoint.Source => {
  const { field, list, metrics, refuse } = kind
  const findMetric = Remembered.finder(metrics, ({ metric }) => metric)
  return Family.endpoint({
    path: `/timeseries/${field.replaceAll("_", "-")}-metrics`,
    entities: {
      ...Entities.fixed(
        Remembered.once(() => kind.holders(undefined)),
        ({ id }) => id
      ),
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
        const has = ({ metric }: OtherMetrics.MetricRecord) =>
          Coverage.spanOf(holder, metric, frequency.name) !== undefined
        const found = metricsOf(holder.id, has)
        if (found instanceof Refusal.Refusal) return found
        return Series.grid(Coverage.columns(holder, found, frequency.name), frequency, shown, true)
      }
    })
  })
}

const holderOf = (market: Markets.Market | undefined) => (market === undefined ? undefined : Coverage.market(market))

const markets = Kind.make("market", OtherMetrics.market, (view) =>
  Listings.markets(view)
    .all()
    .flatMap((market) => holderOf(market) ?? [])
)

/** Of the metrics of protocols lists filter rather than name entities, and there is no default frequency. */
const protocols = Endpoint.source("/timeseries/protocol-metrics", function* (query, caller) {
  const holders = yield* Kind.protocols(query)
  const metrics = yield* Reference.having(query, OtherMetrics.protocol, { metrics: ({ metric }) => [metric] })
  const frequency = yield* Family.frequency(query, (name) => name === "1m" || name === "1d")
  const within = yield* Query.range(query, caller.dialect)
  return Listing.concat(
    holders.map((holder) => {
      const found = Coverage.columns(holder, metrics, frequency.name)
      const rows = Series.grid(found, frequency, Series.plain(caller.dialect.noValue, caller.view), true)
      return Rows.within(Family.seenBy({ path: "/timeseries/protocol-metrics" }, query, caller, rows), within)
    })
  )
})

export const all: ReadonlyArray<Endpoint.Source> = [
  series(Kind.exchange),
  series(Kind.exchangeAsset, {
    refuse: (name) => Refusal.badParameter("id", `Exchange-asset pair '${name}' is not supported.`)
  }),
  series(Kind.exchangePair),
  series(Kind.pair),
  series(Kind.institution),
  series(markets, {
    find: (name) => holderOf(Markets.find(name)),
    refuse: (name) => Refusal.badParameter("markets", `Market '${name}' is not supported.`),
    at: (view) => ({ all: () => markets.holders(view), find: (name) => holderOf(Listings.markets(view).find(name)) })
  }),
  protocols
]
