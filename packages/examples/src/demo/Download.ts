/**
 * The downloads: what is asked for, and the folders it goes to.
 */
import { ReferenceData, Timeseries, TokenMetrics } from "@sluice/core"
import { Download } from "@sluice/files"
import { Effect, Schema, Stream } from "effect"
import * as Audit from "./Audit.ts"

/** Series of many assets and of some markets, complete on the grid of the calendar. */
export interface Bulk {
  readonly assets: ReadonlyArray<string>
  /** The markets of the candles beside them, which stand for hours. */
  readonly markets: ReadonlyArray<string>
  /** First and last moment, both included. */
  readonly from: string
  readonly to: string
}

/** The assets that have token metrics. */
export const tokenAssets = TokenMetrics.TxTknCnt.assets

const tokenIds = TokenMetrics.all.map(({ id }) => id)

/** Counts what the service says there is. */
export const reference = Effect.all(
  {
    assets: Stream.runCount(ReferenceData.assets()),
    exchanges: Stream.runCount(ReferenceData.exchanges()),
    markets: Stream.runCount(ReferenceData.markets()),
    metrics: Stream.runCount(ReferenceData.assetMetrics())
  },
  { concurrency: "unbounded" }
).pipe(Effect.withSpan("Download.reference"))

/** Downloads the prices of many assets, minute by minute: a file of each asset. */
export const rates = ({ assets, from, to }: Bulk, folder: string) =>
  Download.run({
    endpoint: Timeseries.assetMetrics,
    params: {
      assets,
      metrics: ["ReferenceRateUSD"],
      frequency: "1m",
      start_time: from,
      end_time: to,
      // A download takes JSON lines where it may choose; in pages there is more to count and to cut.
      format: "json"
    },
    split: { by: "assets" },
    to: folder,
    format: { as: "ndjson" }
  })

/** Downloads the candles of markets, hour by hour: a table of each market. */
export const candles = ({ from, markets, to }: Bulk, folder: string) =>
  Download.run({
    endpoint: Timeseries.marketCandles,
    params: { markets, frequency: "1h", start_time: from, end_time: to },
    split: { by: "markets" },
    to: folder,
    format: { as: "csv" }
  })

/** Downloads all days of the token metrics into one table. */
export const tokens = (folder: string) =>
  Download.run({
    endpoint: Timeseries.assetMetrics,
    params: { assets: tokenAssets, metrics: TokenMetrics.all, format: "json" },
    to: folder,
    format: { as: "csv", columns: ["asset", "time", ...tokenIds] }
  })

/** Reads only which days of the token metrics there are, and as JSON lines: what the table is held against. */
export const tokenKeys = Timeseries.assetMetrics({
  assets: tokenAssets,
  metrics: TokenMetrics.all,
  format: "json_stream"
}).pipe(Stream.map(Audit.key), Stream.runCollect, Effect.withSpan("Download.tokenKeys"))

/** A row of the candles, as the chart needs it. */
export const CandleRow = Schema.Struct({
  market: Schema.String,
  time: Schema.String,
  price_open: Schema.String,
  price_close: Schema.String,
  price_high: Schema.String,
  price_low: Schema.String
})
export interface CandleRow extends Schema.Schema.Type<typeof CandleRow> {}

/** What tells a candle from all others, under the names by which files are audited. */
export const candleKey = ({ market, time }: Pick<CandleRow, "market" | "time">): Audit.Row => ({ asset: market, time })

/** A row of the table, as the chart needs it. */
export const TokenRow = Schema.Struct({
  ...Audit.Row.fields,
  TxTknCnt: Schema.optionalKey(Schema.NullOr(Schema.String))
})
