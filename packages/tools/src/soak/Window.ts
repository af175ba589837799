/**
 * What the loops read again and again, and what has to come of it every time.
 */
import { type ApiError, type Client, Timeseries } from "@sluice/core"
import { Effect, Stream } from "effect"
import type * as Verdict from "./Verdict.ts"

/** A record, as far as it is compared. */
export type Row = Stream.Success<ReturnType<typeof minutes>>

/** Something to read, and how. */
export interface Window {
  readonly read: Stream.Stream<Row, ApiError.ApiError, Client.Client>
  /** The records, read without a fault. */
  readonly records: ReadonlyArray<Row>
}

const metrics = ["PriceUSD", "ReferenceRateUSD"] as const

const minutes = (
  assets: ReadonlyArray<string>,
  from: string,
  to: string,
  format: { readonly format: "json_stream" } | { readonly page_size: number }
) => Timeseries.assetMetrics({ assets, metrics, frequency: "1m", start_time: from, end_time: to, ...format })

const lines = { format: "json_stream" } as const

/** All of them, before anything was read. */
const sources = {
  latest: Timeseries.assetMetrics({
    assets: ["btc", "eth", "ltc", "sol"],
    metrics,
    frequency: "1m",
    limit_per_asset: 1
  }),
  /** A day of three assets, for those who come back for it. */
  day: minutes(["btc", "eth", "ltc"], "2026-03-01", "2026-03-01T23:59:00", lines),
  /** Half a day of two assets, on 15 pages. */
  walk: minutes(["btc", "eth"], "2026-04-01", "2026-04-01T11:59:00", { page_size: 100 }),
  /** A week of two assets, some 3 MB: more than the buffers between service and reader hold. */
  long: minutes(["ada", "xrp"], "2026-05-01", "2026-05-07T23:59:00", lines)
}

const know = (read: Window["read"]) => Effect.map(Stream.runCollect(read), (records): Window => ({ read, records }))

/** Reads everything once with a client that nothing disturbs. */
export const readAll = Effect.all(
  { latest: know(sources.latest), day: know(sources.day), walk: know(sources.walk), long: know(sources.long) },
  { concurrency: "unbounded" }
)

/** What {@link readAll} gives. */
export type Windows = Effect.Success<typeof readAll>

// Fields that a fault adds are no difference.
const isSame = (clean: Row | undefined, met: Row) =>
  clean !== undefined &&
  clean.asset === met.asset &&
  clean.time === met.time &&
  metrics.every((name) => clean[name] === met[name])

/** The records of a window as they come, each compared with what it should be. */
export const checked = ({ read, records }: Window, counts: Verdict.Counts) =>
  Stream.suspend(() => {
    let next = 0
    const compare = (batch: readonly [Row, ...Array<Row>]) => {
      counts.records += batch.length
      for (const record of batch) if (!isSame(records[next++], record)) counts.wrong += 1
      return batch
    }
    // Complete without an error means all of them; whoever stops early or is interrupted never gets here.
    const atEnd = Effect.sync(() => {
      counts.complete += 1
      counts.missing += records.length - next
    })
    return read.pipe(Stream.mapArray(compare), Stream.onEnd(atEnd))
  })
