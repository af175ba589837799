import { Timeseries } from "@sluice/core"
import type { Backfill } from "@sluice/cluster"
import type * as Redacted from "effect/Redacted"

/** Parts of {@link days}, each of one request: enough that five kills fall between the first and the last. */
export const parts = 150

const minutes = {
  endpoint: Timeseries.assetMetrics,
  params: {
    assets: ["btc"],
    metrics: ["PriceUSD"],
    frequency: "1m",
    start_time: "2024-01-01",
    end_time: new Date(Date.UTC(2024, 0, 1 + parts)).toISOString().slice(0, 10),
    end_inclusive: false
  },
  split: { every: "1 day" }
} as const

/** Days of minutes of one asset, each in a file of its own, compressed. */
export const days = (to: string): Backfill.Job<typeof Timeseries.assetMetrics> => ({
  ...minutes,
  to,
  format: { as: "csv", compression: "gzip" }
})

/** The same in a table. */
export const rows = (url: Redacted.Redacted, table: string): Backfill.TableJob<typeof Timeseries.assetMetrics> => ({
  ...minutes,
  into: { url, table }
})
