/** docs/interface.md 6: live streams. */
import { type Fields, may, omit, word } from "../Field.ts"
import { get, newer, type Operation } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Series from "../records/Series.ts"

const stream = (name: string, parameters: P.Parameters, record: Fields, more: Partial<Operation> = {}) =>
  get(`/timeseries-stream/${name}`, {
    section: "6.2",
    roots: ["paid", "stream"],
    reply: "frame",
    parameters: { ...parameters, backfill: P.or(P.oneOf("latest", "none"), "latest"), ...P.pretty },
    record: { ...record, ...may("cm_sequence_id") },
    ...more
  })

const markets = { markets: P.wild(P.required(P.list)) }

const aggregated = { aggregation_method: P.or(P.open("aggregated_spread"), "aggregated_spread") }

/** 6.4: the service has not stored it yet. */
const live = (record: Fields) => omit(record, "database_time")

const book: Fields = {
  ...omit(live(Series.MarketOrderbook), "collect_time type"),
  ...may("collect_time:time", { type: word("snapshot", "update") })
}

const spread: Fields = {
  ...Series.metricsOf("pair"),
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
    Series.metricsOf("asset"),
    // Blocks are named otherwise than over HTTP, and a reorganisation has a frame of its own (6.3).
    { more: { metrics: Series.metricValue, blocks: may("type hash parent_hash height:int64") } }
  ),
  stream("market-trades", markets, { ...live(Series.MarketTrade), ...may("collect_time:time") }),
  stream("market-liquidations", markets, live(Series.MarketLiquidation)),
  stream("market-openinterest", markets, live(Series.MarketOpenInterest)),
  stream("market-contract-prices", markets, live(Series.MarketContractPrice), newer),
  stream("market-orderbooks", { ...markets, depth_limit: P.or(P.oneOf("100", "full_book"), "100") }, book),
  stream("market-quotes", { ...markets, include_one_sided: P.or(P.boolean, false) }, Series.MarketQuote),
  stream("asset-quotes", { assets: P.required(P.list), ...aggregated }, spread),
  stream("pair-quotes", { pairs: P.wild(P.required(P.list)), ...aggregated }, spread),
  stream(
    "market-candles",
    { ...markets, frequency: P.or(P.open("1m", "5m", "10m", "15m", "30m", "1h", "4h", "1d"), "1m") },
    Series.MarketCandle
  ),
  stream(
    "index-levels",
    { indexes: P.required(P.list), include_verification: P.or(P.boolean, false) },
    Series.IndexLevel
  )
]
