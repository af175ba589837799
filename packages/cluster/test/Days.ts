import { Timeseries } from "@sluice/core"
import type { Backfill } from "@sluice/cluster"
import type * as Redacted from "effect/Redacted"

/** Parts of {@link days}, each of one request: enough that five kills fall between the first and the last. */
export const parts = 150

/** The minutes of one asset from 2024 on, before an end. */
export const minutesBefore = (end: Date) =>
  ({
    endpoint: Timeseries.assetMetrics,
    params: {
      assets: ["btc"],
      metrics: ["PriceUSD"],
      frequency: "1m",
      start_time: "2024-01-01",
      end_time: end.toISOString().slice(0, 19),
      end_inclusive: false
    }
  }) as const

const minutes = { ...minutesBefore(new Date(Date.UTC(2024, 0, 1 + parts))), split: { every: "1 day" } } as const

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

/** Parts of {@link trades}, each of two or three requests. */
export const dayParts = 60

/** Days of trades in the folder of a dataset, each of which is a part. */
export const trades = (folder: string): Backfill.DatasetJob<typeof Timeseries.marketTrades> => ({
  endpoint: Timeseries.marketTrades,
  params: {
    markets: ["coinbase-btc-usd-spot"],
    start_time: "2024-01-01",
    end_time: new Date(Date.UTC(2024, 0, 1 + dayParts)).toISOString().slice(0, 10),
    end_inclusive: false
  },
  into: { folder, layout: { period: "day" }, format: { as: "csv", compression: "gzip" } }
})
