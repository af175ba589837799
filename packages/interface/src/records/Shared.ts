/** Parts of records: docs/interface.md 3.1. */
import { list, may, word } from "../Field.ts"

/** The frequencies of docs/interface.md 14.3 that are lengths of time, without `200ms`. */
export const lengths = ["1s", "15s", "1m", "5m", "10m", "15m", "30m", "1h", "4h", "1d"] as const

/** docs/interface.md 14.3, without `200ms`, which only live streams have, and `1d-ny-midday`, which only a parameter has. */
export const frequency = word(...lengths, "1b", "1d-ny-close", "1d-sg-close")

export const TimeRange = may("min_time:time max_time:time")

export const FrequencyRange = { ...may({ frequency }), ...TimeRange }

export const MetricRange = may("metric", { frequencies: list(FrequencyRange) })

export const AssetFrequencyRange = {
  ...FrequencyRange,
  ...may("min_height:int64 max_height:int64 min_hash max_hash community:bool experimental:bool")
}

export const AssetMetricRange = may("metric", { frequencies: list(AssetFrequencyRange) })

export const HistoricalEvent = may("date details")

/** The six optional kinds of data a market has, which several operations name. */
export const marketData = ["trades", "orderbooks", "quotes", "funding_rates", "openinterest", "liquidations"] as const
