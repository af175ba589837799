/** Candles of indexes. Source: docs/interface.md 4.6.5 and 3.14. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, integer } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as Candles from "./Candles.ts"
import * as IndexSeries from "./IndexSeries.ts"

/** The levels of an index over some time, folded into one record. Its `time` is the beginning of that. */
export const IndexCandle = Schema.Struct({
  ...IndexSeries.record,
  /** First level. */
  price_open: decimal,
  /** Last level. */
  price_close: decimal,
  /** Highest level. */
  price_high: decimal,
  /** Lowest level. */
  price_low: decimal,
  /** Number of levels, as text. */
  candle_trades_count: integer
})
export interface IndexCandle extends Schema.Schema.Type<typeof IndexCandle> {}

/** Parameters of {@link indexCandles}. Source: docs/interface.md 4.6.5. */
export const IndexCandlesParams = Schema.Struct({
  ...IndexSeries.params,
  ...Candles.params,
  /** Keeps the latest so many records of each index, or with `paging_from: "start"` the earliest. */
  limit_per_index: Params.limitPer
})
export interface IndexCandlesParams extends Schema.Schema.Type<typeof IndexCandlesParams> {}

/** Reads candles of indexes: open, high, low and close of their levels. Source: docs/interface.md 4.6.5. */
export const indexCandles: Endpoint.Endpoint<IndexCandlesParams, IndexCandle> = Endpoint.make(
  "/timeseries/index-candles",
  { section: "4.6", order: "series", params: IndexCandlesParams, record: IndexCandle }
)
