/** Candles of pairs. Source: docs/interface.md 4.6.5 and 3.14. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { id } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"
import * as Candles from "./Candles.ts"

/**
 * The reference rates of a pair over some time, folded into one record. The service lists the four fields of volumes too, but
 * these candles have none.
 */
export const PairCandle = Schema.Struct({
  /** `<base>-<quote>`, such as `btc-usd`. */
  pair: id,
  /** Beginning of the candle. */
  time: Timestamp,
  ...Candles.prices,
  ...Candles.volumes
})
export interface PairCandle extends Schema.Schema.Type<typeof PairCandle> {}

/** Parameters of {@link pairCandles}. Source: docs/interface.md 4.6.5. */
export const PairCandlesParams = Schema.Struct({
  /** Pairs; `*` stands for any characters, as in `btc-*`. */
  pairs: Params.entities(Params.requiredList, "pair"),
  ...Candles.params,
  ...Params.timeRange,
  /** Keeps the latest so many records of each pair, or with `paging_from: "start"` the earliest. */
  limit_per_pair: Params.limitPer,
  ...Params.paging
})
export interface PairCandlesParams extends Schema.Schema.Type<typeof PairCandlesParams> {}

/** Reads candles of pairs: open, high, low and close of their reference rates. Source: docs/interface.md 4.6.5. */
export const pairCandles: Endpoint.Endpoint<PairCandlesParams, PairCandle> = Endpoint.make("/timeseries/pair-candles", {
  section: "4.6",
  order: "series",
  params: PairCandlesParams,
  record: PairCandle
})
