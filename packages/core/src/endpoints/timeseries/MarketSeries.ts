/**
 * What the series of markets share. Source: docs/interface.md 4.6.4 and 3.13.
 */
import { id } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"

/** The parameters that each of them takes. */
export const params = {
  /** Markets; `*` stands for any characters, as in `binance-*-spot`. A list of names is read faster than a pattern. */
  markets: Params.entities(Params.requiredList, "market"),
  ...Params.timeRange,
  /** Keeps the latest so many records of each market. */
  limit_per_market: Params.limitPer,
  ...Params.paging,
  ...Params.format
}

/** The fields that each of their records has. */
export const record = {
  /** The market, such as `coinbase-btc-usd-spot`. */
  market: id,
  /** The moment of the record, to the nanosecond. */
  time: Timestamp
}
