/** What the series of markets share. Source: docs/interface.md 4.6.4 and 3.13. */
import { id, timestamp } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"

/** The parameters that each of them takes. */
export const params = {
  /** Markets; `*` stands for any characters, as in `binance-*-spot`. A list of names is read faster than a pattern. */
  markets: Params.entities(Params.requiredList, "market"),
  ...Params.timeRange,
  /**
   * Keeps the latest so many records of each market, or with `paging_from: "start"` the earliest. A json_stream is taken to have
   * the earliest too.
   */
  limit_per_market: Params.limitPer,
  ...Params.paging,
  ...Params.format
}

/** The parameter of those that futures have, and spot markets do not. */
export const futures = {
  /** Markets; `*` stands for any characters, as in `binance-BTC*-future`. A list of names is read faster than a pattern. */
  markets: /* @__PURE__ */ Params.marketsOf("future")
}

/** The parameter of those that options have, and spot markets do not. */
export const options = {
  /** Markets; `*` stands for any characters, as in `deribit-BTC-*-option`. A list of names is read faster than a pattern. */
  markets: /* @__PURE__ */ Params.marketsOf("option")
}

/** The parameter of those that can be thinned out. */
export const granularity = {
  /** Thins the series out to a record in so much time; `raw`, which is all of them, when absent. */
  granularity: Params.oneOf(["raw", "1m", "1h", "1d"])
}

/** The fields that each of their records has. */
export const record = {
  /** The market, such as `coinbase-btc-usd-spot`. */
  market: id,
  /** The moment of the record, to the nanosecond. */
  time: Timestamp
}

/** The fields that most of their records have. */
export const stored = {
  /** When the service stored the record. */
  database_time: timestamp
}

/** The fields of records that an exchange stamps. */
export const stamped = {
  ...stored,
  /** The exchange's own time of the record. */
  exchange_time: timestamp
}
