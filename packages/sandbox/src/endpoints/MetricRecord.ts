/**
 * Metric metadata as it is sent (docs/interface.md 3.6).
 */
import type { Metric } from "../data/Metrics.ts"
import type { MetricRecord } from "../data/OtherMetrics.ts"

/** Describes an asset metric. */
export const of = (metric: Metric): MetricRecord => ({
  metric: metric.metric,
  full_name: metric.fullName,
  description: `${metric.fullName}. Given per interval; the time of a record is the start of its interval.`,
  product: metric.product,
  category: metric.category,
  subcategory: metric.subcategory,
  unit: metric.unit,
  data_type: metric.dataType,
  type: metric.type,
  ...(metric.reviewable ? { reviewable: true } : {}),
  display_name: metric.fullName.replaceAll(", ", " · "),
  ...(metric.experimental ? { experimental: true } : {}),
  docs_url: `https://docs.example.com/asset-metrics/${metric.metric.toLowerCase()}`
})
