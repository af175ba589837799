/** docs/interface.md 4.6.4: each series with its record, of 3.13. */
import { type Fields, key, list, may, must, word } from "../Field.ts"
import { by, get, type Operation, shared } from "../Operation.ts"
import * as P from "../Parameter.ts"

const granularity = P.or(P.oneOf("raw", "1m", "1h", "1d"), "raw")

/** The frequencies of candles, beside `1d-HH:00` of any hour. */
export const candles = P.or(P.open("1m", "5m", "10m", "15m", "30m", "1h", "4h", "1d"), "1d")

const both = P.format("js", "csv")

const stored = must("database_time:time")

const stamped = { ...stored, ...may("exchange_time:time") }

const market = (path: string, record: Fields, more: P.Parameters, given: Partial<Operation> = {}) =>
  get(`/timeseries/${path}`, {
    section: "4.6",
    ...by("market time"),
    parameters: {
      markets: P.wild(P.required(P.list)),
      ...P.timeRange,
      ...P.limitPer("market"),
      ...more,
      ...P.paging("end")
    },
    record: { ...key("market time:time"), ...record },
    ...given
  })

/** 12.2. */
const byId = shared("coin_metrics_id")

const withId = key("coin_metrics_id")

/** 12.2: without an id. Of series that are not named there it is our assumption. */
export const byNothing = shared()

const PriceLevel = may("price:decimal size:decimal")

export const prices = "price_open:decimal price_close:decimal price_high:decimal price_low:decimal"

export const volumes = "vwap:decimal volume:decimal candle_usd_volume:decimal candle_trades_count:int64"

export const trades = market(
  "market-trades",
  {
    ...withId,
    ...must("amount:decimal price:decimal"),
    ...stored,
    ...may(
      { side: word("buy", "sell") },
      "block_hash block_height:int64 txid initiator sender beneficiary",
      "mark_price:decimal index_price:decimal iv_trade:decimal liquidation"
    )
  },
  { min_confirmations: P.or(P.integer(0, 99), 2), ...both },
  { ...byId, ...by("market time coin_metrics_id") }
)

export const orderbooks = market(
  "market-orderbooks",
  {
    ...withId,
    ...must({ asks: list(PriceLevel), bids: list(PriceLevel) }),
    ...stored,
    // Of updates alone.
    ...may("collect_time:time", { type: word("snapshot", "update") })
  },
  {
    // The largest page is 100 with `full_book` and `10pct_mid_price`.
    depth_limit: P.or(P.open("100", "10pct_mid_price", "full_book"), "100"),
    granularity,
    dataset: P.or(P.oneOf("snapshots", "updates"), "snapshots"),
    start_with_snapshot: P.or(P.boolean, false),
    ...P.format("js")
  },
  byId
)

export const quotes = market(
  "market-quotes",
  { ...withId, ...may("ask_price:decimal ask_size:decimal bid_price:decimal bid_size:decimal") },
  { granularity, include_one_sided: P.or(P.boolean, false), ...P.format("js") },
  byId
)

export const liquidations = market(
  "market-liquidations",
  {
    ...withId,
    ...must("amount:decimal price:decimal", { type: word("trade", "order") }),
    ...stored,
    ...may({ side: word("buy", "sell") })
  },
  both,
  byId
)

export const marketCandles = market("market-candles", must(prices, volumes), {
  frequency: candles,
  ...P.ignoring,
  ...both
})

export const openInterest = market(
  "market-openinterest",
  { ...must("contract_count:decimal value_usd:decimal"), ...stamped },
  { granularity, ...both }
)

export const contractPrices = market(
  "market-contract-prices",
  { ...may("mark_price:decimal index_price:decimal settlement_price_estimated:decimal"), ...stamped },
  { granularity, ...both }
)

export const operations: ReadonlyArray<Operation> = [
  trades,
  orderbooks,
  quotes,
  liquidations,
  marketCandles,
  openInterest,
  market("market-funding-rates", { ...stored, ...may("rate:decimal period interval") }, both),
  market(
    "market-funding-rates-predicted",
    { ...must("rate_predicted:decimal"), ...stored, ...may("rate_time:time") },
    both,
    byNothing
  ),
  contractPrices,
  market(
    "market-implied-volatility",
    { ...may("iv_trade:decimal iv_bid:decimal iv_ask:decimal iv_mark:decimal"), ...stamped },
    { granularity, ...both }
  ),
  market(
    "market-greeks",
    { ...may("vega:decimal theta:decimal rho:decimal delta:decimal gamma:decimal"), ...stamped },
    { granularity, ...both }
  )
]
