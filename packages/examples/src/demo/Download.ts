/**
 * The downloads: what is asked for, and the files it goes to.
 */
import { ReferenceData, Timeseries, TokenMetrics } from "@sluice/core"
import { Effect, Schema, Stream } from "effect"
import * as Audit from "./Audit.ts"
import * as Files from "./Files.ts"
import type * as Progress from "./Progress.ts"

/** A series of many assets, complete on the grid of the calendar. */
export interface Bulk {
  readonly assets: ReadonlyArray<string>
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

/** Saves the price of one asset, minute by minute. */
export const rates = Effect.fn("Download.rates")(function* (
  asset: string,
  { from, to }: Bulk,
  path: string,
  { count }: Progress.Counter
) {
  const rates = Timeseries.assetMetrics({
    assets: asset,
    metrics: ["ReferenceRateUSD"],
    frequency: "1m",
    start_time: from,
    end_time: to
  })
  yield* Files.writeNdjson(path, count(rates))
})

const tokenMetrics = (format: "json" | "json_stream") =>
  Timeseries.assetMetrics({ assets: tokenAssets, metrics: TokenMetrics.all, format })

/** Saves all days of the token metrics, in two forms from one reading. */
export const tokens = Effect.fn("Download.tokens")(function* (
  paths: { readonly ndjson: string; readonly csv: string },
  { count }: Progress.Counter
) {
  const [forNdjson, forCsv] = yield* Stream.broadcastN(count(tokenMetrics("json")), { n: 2, capacity: 4 })
  yield* Effect.all(
    [Files.writeNdjson(paths.ndjson, forNdjson), Files.writeCsv(paths.csv, ["asset", "time", ...tokenIds], forCsv)],
    { concurrency: "unbounded", discard: true }
  )
}, Effect.scoped)

/** Reads only which days of the token metrics there are, and in the other format: what the files are held against. */
export const tokenKeys = tokenMetrics("json_stream").pipe(
  Stream.map(Audit.key),
  Stream.runCollect,
  Effect.withSpan("Download.tokenKeys")
)

/** A row of the token files, as the chart needs it. */
export const TokenRow = Schema.Struct({
  ...Audit.Row.fields,
  TxTknCnt: Schema.optionalKey(Schema.NullOr(Schema.String))
})
