/** docs/interface.md 4.6.4 to 4.6.6, and 4.10. */
import type { Fields } from "../Field.ts"
import { by, experimental, get, type Operation, paid, shared } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Record from "../records/Series.ts"

const entities = P.wild(P.required(P.list))

const granularity = P.or(P.oneOf("raw", "1m", "1h", "1d"), "raw")

/** 4.6.4: the frequencies of candles, beside `1d-HH:00` of any hour. */
const candles = P.or(P.open("1m", "5m", "10m", "15m", "30m", "1h", "4h", "1d"), "1d")

const both = P.format("js", "csv")

/** 4.6.4. */
const market = (path: string, record: Fields, more: P.Parameters, given: Partial<Operation> = {}) =>
  get(`/timeseries/${path}`, {
    section: "4.6",
    ...by("market time"),
    parameters: { markets: entities, ...P.timeRange, ...P.limitPer("market"), ...more, ...P.paging("end") },
    record,
    ...given
  })

/** 12.2. */
const byId = shared("coin_metrics_id")

/** 12.2: without an id. Of series that are not named there it is our assumption. */
const byNothing = shared()

const markets = [
  market(
    "market-trades",
    Record.MarketTrade,
    { min_confirmations: P.or(P.integer(0, 99), 2), ...both },
    { ...byId, ...by("market time coin_metrics_id") }
  ),
  market(
    "market-orderbooks",
    Record.MarketOrderbook,
    {
      // The largest page is 100 with `full_book` and `10pct_mid_price`.
      depth_limit: P.or(P.open("100", "10pct_mid_price", "full_book"), "100"),
      granularity,
      dataset: P.or(P.oneOf("snapshots", "updates"), "snapshots"),
      start_with_snapshot: P.or(P.boolean, false),
      ...P.format("js")
    },
    byId
  ),
  market(
    "market-quotes",
    Record.MarketQuote,
    {
      granularity,
      include_one_sided: P.or(P.boolean, false),
      ...P.format("js")
    },
    byId
  ),
  market("market-liquidations", Record.MarketLiquidation, both, byId),
  market("market-candles", Record.MarketCandle, { frequency: candles, ...P.ignoring, ...both }),
  market("market-openinterest", Record.MarketOpenInterest, { granularity, ...both }),
  market("market-funding-rates", Record.MarketFundingRate, both),
  market("market-funding-rates-predicted", Record.MarketFundingRatePredicted, both, byNothing),
  market("market-contract-prices", Record.MarketContractPrice, { granularity, ...both }),
  market("market-implied-volatility", Record.MarketImpliedVolatility, { granularity, ...both }),
  market("market-greeks", Record.MarketGreeks, { granularity, ...both })
]

/** 4.6.5, 4.6.6. */
const series = (
  path: string,
  parameters: P.Parameters,
  record: Fields,
  order: string,
  given: Partial<Operation> = {}
) =>
  get(`/timeseries/${path}`, {
    section: "4.6",
    ...by(order),
    parameters: { ...parameters, ...P.timeRange, ...P.paging("end"), ...P.format("csv") },
    record,
    ...given
  })

const assets = { assets: P.required(P.list) }

const others = [
  series(
    "pair-candles",
    { pairs: entities, frequency: candles, ...P.limitPer("pair") },
    Record.PairCandle,
    "pair time"
  ),
  series(
    "index-candles",
    { indexes: entities, frequency: candles, ...P.limitPer("index") },
    Record.IndexCandle,
    "index time"
  ),
  get("/timeseries/index-levels", {
    section: "4.6",
    ...by("index time"),
    parameters: {
      indexes: entities,
      // And `1d-HH:00` of any hour.
      frequency: P.or(P.open("1s", "15s", "1h", "1d-ny-close", "1d-sg-close", "1d"), "1d"),
      granularity: P.or(P.open("raw", "1d-ny-close", "1d-ldn-close", "1d-sg-close"), "raw"),
      include_verification: P.or(P.boolean, false),
      ...P.limitPer("index"),
      ...P.timeRange,
      ...P.paging("end"),
      ...both
    },
    record: Record.IndexLevel
  }),
  series(
    "index-constituents",
    { indexes: entities, frequency: P.open("1h", "1d", "1d-ny-close", "1d-ny-midday", "1d-sg-close") },
    Record.IndexConstituents,
    "index time",
    byNothing
  ),
  series("mining-pool-tips-summary", assets, Record.MiningPoolTipsSummary, "asset time", {
    ...experimental,
    ...byNothing
  }),
  series("asset-chains", assets, Record.AssetChains, "asset time", { ...experimental, ...byNothing }),
  get("/timeseries/mempool-feerates", {
    section: "4.6",
    ...paid,
    ...by("asset time"),
    ...byNothing,
    parameters: { ...assets, ...P.timeRange, ...P.paging("end", 200, 10), ...P.format("csv") },
    record: Record.MempoolFeerates
  }),
  series(
    "asset-alerts",
    { ...assets, alerts: P.required(P.list), include_heartbeats: P.or(P.boolean, false) },
    Record.AssetAlert,
    "asset time alert",
    { ...paid, ...shared("alert"), beside: ["heartbeats"] }
  ),
  get("/timeseries/defi-balance-sheets", {
    section: "4.6",
    ...paid,
    ...experimental,
    ...shared("block_height"),
    parameters: {
      defi_protocols: entities,
      ...P.exclusive(
        P.exclusive(
          { ...P.timeRange, start_height: P.integer(0), end_height: P.integer(0) },
          "start_time",
          "start_height"
        ),
        "end_time",
        "end_height"
      ),
      ...P.paging("end"),
      ...P.format("csv")
    },
    record: Record.DefiBalanceSheet
  })
]

const constituents = { metric: P.required(P.text), start_time: P.time, end_time: P.time }

/** 4.10. */
const composition = [
  get("/constituent-snapshots/asset-metrics", {
    section: "4.10",
    parameters: {
      ...P.exclusive(
        // A time, or `now`.
        P.exclusive({ ...constituents, at_time: P.text }, "at_time", "start_time"),
        "at_time",
        "end_time"
      ),
      ...P.paging("end"),
      ...P.format("csv")
    },
    record: Record.ConstituentSnapshot
  }),
  // The newest edition says that the times exclude at_time, which does not exist here.
  get("/constituent-timeframes/asset-metrics", {
    section: "4.10",
    parameters: { ...constituents, constituents: P.list, ...P.paging("end"), ...P.format("csv") },
    record: Record.ConstituentTimeframe
  })
]

export const operations: ReadonlyArray<Operation> = [...markets, ...others, ...composition]
