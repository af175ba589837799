/** What the candles of markets, pairs and indexes share. Source: docs/interface.md 4.6.4, 4.6.5, 3.13 and 3.14. */
import { decimal, integer } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"

/** The parameters that each of them takes. */
export const params = {
  /** Length of a candle; `1d` when absent. A day that begins at another hour than 00:00 UTC is `1d-HH:00`. */
  frequency: Params.frequency(["1m", "5m", "10m", "15m", "30m", "1h", "4h", "1d"])
}

/** The prices of a candle. */
export const prices = {
  /** Price of the first trade, in the quote asset. */
  price_open: decimal,
  /** Price of the last trade, in the quote asset. */
  price_close: decimal,
  /** Highest price of a trade, in the quote asset. */
  price_high: decimal,
  /** Lowest price of a trade, in the quote asset. */
  price_low: decimal
}

/** What was traded during a candle. */
export const volumes = {
  /** Mean price of the trades, weighted by their amounts. */
  vwap: decimal,
  /** Units of the base asset that changed hands. */
  volume: decimal,
  /** What they were worth in US dollars. */
  candle_usd_volume: decimal,
  /** Number of trades, as text. */
  candle_trades_count: integer
}
