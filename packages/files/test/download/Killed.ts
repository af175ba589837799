import * as Timeseries from "@sluice/core/endpoints/Timeseries"
import type * as Download from "@sluice/files/Download"

/** Sixteen parts of a day each, in minutes: 23,040 records. */
export const killed = (to: string, as: string): Download.Job<typeof Timeseries.assetMetrics> => ({
  endpoint: Timeseries.assetMetrics,
  params: {
    assets: ["btc", "eth"],
    metrics: ["PriceUSD", "ReferenceRateUSD"],
    frequency: "1m",
    start_time: "2024-01-01",
    end_time: "2024-01-09",
    end_inclusive: false
  },
  split: { by: "assets", every: "1 day" },
  to,
  format: as === "csv" ? { as: "csv", compression: "gzip" } : { as: as === "arrow" ? "arrow" : "ndjson" },
  concurrency: 4
})
