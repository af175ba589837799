/** docs/interface.md 6: live streams. */
import { type Fields, may, omit, unlisted, word } from "../Field.ts"
import { get, newer, type Operation } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Market from "./MarketSeries.ts"
import { metricsOf, metricValue } from "./MetricSeries.ts"
import { indexLevels } from "./Series.ts"

const stream = (name: string, parameters: P.Parameters, record: Fields, more: Partial<Operation> = {}) =>
  get(`/timeseries-stream/${name}`, {
    section: "6.2",
    roots: ["paid", "stream"],
    reply: "frame",
    parameters: { ...parameters, backfill: P.or(P.oneOf("latest", "none"), "latest"), ...P.pretty },
    record: { ...unlisted(record), ...may("cm_sequence_id") },
    ...more
  })

const markets = { markets: P.wild(P.required(P.list)) }

const aggregated = { aggregation_method: P.or(P.open("aggregated_spread"), "aggregated_spread") }

/** 6.4: the service has not stored it yet. */
const live = ({ record }: Operation) => omit(record, "database_time")

const book: Fields = {
  ...omit(live(Market.orderbooks), "collect_time type"),
  ...may("collect_time:time", { type: word("snapshot", "update") })
}

const spread: Fields = {
  ...metricsOf("pair"),
  ...may("ask_price:decimal ask_size:decimal bid_price:decimal bid_size:decimal mid_price:decimal spread:decimal")
}

export const operations: ReadonlyArray<Operation> = [
  stream(
    "asset-metrics",
    {
      assets: P.required(P.list),
      metrics: P.required(P.list),
      frequency: P.or(P.open("1b", "1s", "200ms"), "1b"),
      ...P.ignoring
    },
    metricsOf("asset"),
    // Blocks are named otherwise than over HTTP, and a reorganisation has a frame of its own (6.3).
    { more: { metrics: metricValue, blocks: may("type hash parent_hash height:int64") } }
  ),
  stream("market-trades", markets, { ...live(Market.trades), ...may("collect_time:time") }),
  stream("market-liquidations", markets, live(Market.liquidations)),
  stream("market-openinterest", markets, live(Market.openInterest)),
  stream("market-contract-prices", markets, live(Market.contractPrices), newer),
  stream("market-orderbooks", { ...markets, depth_limit: P.or(P.oneOf("100", "full_book"), "100") }, book),
  stream("market-quotes", { ...markets, include_one_sided: P.or(P.boolean, false) }, Market.quotes.record),
  stream("asset-quotes", { assets: P.required(P.list), ...aggregated }, spread),
  stream("pair-quotes", { pairs: P.wild(P.required(P.list)), ...aggregated }, spread),
  stream(
    "market-candles",
    { ...markets, frequency: P.or(P.open("1m", "5m", "10m", "15m", "30m", "1h", "4h", "1d"), "1m") },
    Market.marketCandles.record
  ),
  stream(
    "index-levels",
    { indexes: P.required(P.list), include_verification: P.or(P.boolean, false) },
    indexLevels.record
  )
]
