import * as Schema from "effect/Schema"
import { flag, frequency, id, integer, many, text, timestamp } from "../../internal/wire/fields.ts"

/** The first and the last time of the data. Source: docs/interface.md 4.5. */
export const TimeRange = Schema.Struct({
  /** First time with data. */
  min_time: timestamp,
  /** Last time with data. */
  max_time: timestamp
})
export interface TimeRange extends Schema.Schema.Type<typeof TimeRange> {}

/** The times there is data for, at one frequency. Source: docs/interface.md 4.5. */
export const FrequencyRange = Schema.Struct({ frequency, ...TimeRange.fields })
export interface FrequencyRange extends Schema.Schema.Type<typeof FrequencyRange> {}

/** The times there is data for, for one metric and each of its frequencies. Source: docs/interface.md 4.5. */
export const MetricRange = Schema.Struct({
  /** Metric name, such as `PriceUSD`. */
  metric: text,
  /** Frequencies of the metric, each with the times at which there is data. */
  frequencies: many<FrequencyRange>(FrequencyRange)
})
export interface MetricRange extends Schema.Schema.Type<typeof MetricRange> {}

/**
 * The times, and per block the heights and hashes, there are values of an asset's metric for, at one frequency. Source:
 * docs/interface.md 4.5.
 */
export const AssetFrequencyRange = Schema.Struct({
  frequency,
  ...TimeRange.fields,
  /** Lowest block, a whole number as text; with frequency `1b`. */
  min_height: integer,
  /** Highest block, a whole number as text; with frequency `1b`. */
  max_height: integer,
  /** Hash of the lowest block; with frequency `1b`. */
  min_hash: text,
  /** Hash of the highest block; with frequency `1b`. */
  max_hash: text,
  /** Whether the community root has it as well; with frequency `1d`. */
  community: flag,
  /** Collection is under development: discrepancies are possible for a while. */
  experimental: flag
})
export interface AssetFrequencyRange extends Schema.Schema.Type<typeof AssetFrequencyRange> {}

/** The frequencies of one metric of an asset. Source: docs/interface.md 4.5. */
export const AssetMetricRange = Schema.Struct({
  /** Metric name, such as `PriceUSD`. */
  metric: text,
  /** Frequencies of the metric, each with the times, or blocks, at which there is data. */
  frequencies: many<AssetFrequencyRange>(AssetFrequencyRange)
})
export interface AssetMetricRange extends Schema.Schema.Type<typeof AssetMetricRange> {}

/** The times there are order books for, at one depth in one dataset. */
export const DatasetRange = Schema.Struct({
  /** Name of the dataset. */
  dataset: text,
  ...TimeRange.fields
})
export interface DatasetRange extends Schema.Schema.Type<typeof DatasetRange> {}

/** The times there are order books for, at one depth. Source: docs/interface.md 4.5. */
export const DepthRange = Schema.Struct({
  /**
   * How much of the book is kept, such as `100` (levels) or `10pct_mid_price`; `full_book` or `30000` for all of it. Its times are
   * those of the whole books, where there are any, and otherwise those of the updates.
   */
  depth: text,
  ...TimeRange.fields,
  /** The times of whole books (`snapshots`) and of `updates`; often absent. Only markets with `updates` here have any. */
  datasets: many<DatasetRange>(DatasetRange)
})
export interface DepthRange extends Schema.Schema.Type<typeof DepthRange> {}

/** One market and the times there is data of one kind for. Source: docs/interface.md 3.11 and 4.5. */
export const MarketSeries = Schema.Struct({
  /** Unique name, such as `coinbase-btc-usd-spot`. */
  market: id,
  ...TimeRange.fields
})
export interface MarketSeries extends Schema.Schema.Type<typeof MarketSeries> {}

/** One market and the candles there are for it. Source: docs/interface.md 3.11 and 4.5. */
export const MarketCandles = Schema.Struct({
  /** Unique name, such as `coinbase-btc-usd-spot`. */
  market: id,
  /** Lengths of its candles, each with the times at which there is data. */
  frequencies: many<FrequencyRange>(FrequencyRange)
})
export interface MarketCandles extends Schema.Schema.Type<typeof MarketCandles> {}
