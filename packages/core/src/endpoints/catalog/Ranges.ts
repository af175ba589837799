import * as Schema from "effect/Schema"
import { frequency, many, text, timestamp } from "../../internal/wire/fields.ts"

/** The first and the last time of the data. Source: docs/interface.md 4.5. */
export const TimeRange = Schema.Struct({
  min_time: timestamp,
  max_time: timestamp
})
export interface TimeRange extends Schema.Schema.Type<typeof TimeRange> {}

/** The times there is data for, at one frequency. Source: docs/interface.md 4.5. */
export const FrequencyRange = Schema.Struct({
  frequency,
  ...TimeRange.fields
})
export interface FrequencyRange extends Schema.Schema.Type<typeof FrequencyRange> {}

/** The times there is data for, for one metric and each of its frequencies. Source: docs/interface.md 4.5. */
export const MetricRange = Schema.Struct({
  /** Metric name, such as `PriceUSD`. */
  metric: text,
  frequencies: many(FrequencyRange)
})
export interface MetricRange extends Schema.Schema.Type<typeof MetricRange> {}
