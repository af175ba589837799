/**
 * The cases read with Sluice, as its users would: every record validated, defaults throughout, gzip off on both sides.
 */
import { Bulk, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Workload from "./Workload.ts"

/** One stream for one asset; several assets are one stream each, and the client keeps ten requests in flight. */
const prices = (workload: Workload.Workload, format: { readonly format?: "json_stream" }) => {
  const read = (asset: string) =>
    Timeseries.assetMetrics({
      assets: asset,
      metrics: Workload.metricsOf(workload),
      frequency: Workload.frequency,
      start_time: workload.start,
      end_time: Workload.endOf(workload),
      ...format
    })
  const streams = workload.assets.map(read)
  return streams.length === 1 ? streams[0]! : Stream.mergeAll(streams, { concurrency: "unbounded" })
}

type Prices = ReturnType<typeof prices>

/** A part for each asset, as json_streams whose ends are checked. */
const parts = (workload: Workload.Workload) =>
  Stream.unwrap(
    Effect.map(
      Bulk.split(
        Timeseries.assetMetrics,
        {
          assets: workload.assets,
          metrics: Workload.metricsOf(workload),
          frequency: Workload.frequency,
          start_time: workload.start,
          end_time: Workload.endOf(workload)
        },
        { by: "assets" }
      ),
      (parts) => Bulk.records(Timeseries.assetMetrics, parts)
    )
  )

const byArray = <E>(stream: Stream.Stream<Stream.Success<Prices>, E, Stream.Services<Prices>>) =>
  Effect.gen(function* () {
    const seen = Workload.nothing()
    yield* Stream.runForEachArray(stream, (records) =>
      Effect.sync(() => {
        for (const record of records) Workload.count(seen, record)
      })
    )
    return seen
  })

const byRecord = (stream: Prices) =>
  Effect.gen(function* () {
    const seen = Workload.nothing()
    yield* Stream.runForEach(stream, (record) => Effect.sync(() => Workload.count(seen, record)))
    return seen
  })

const reader =
  (
    consume: (stream: Prices) => Effect.Effect<Workload.Seen, unknown, Stream.Services<Prices>>,
    format: { readonly format?: "json_stream" }
  ) =>
  (root: string): Workload.Reader => {
    const runtime = ManagedRuntime.make(NodeClient.layer({ root, apiKey: Redacted.make(Workload.apiKey), gzip: false }))
    return {
      read: (workload) => runtime.runPromise(consume(prices(workload, format))),
      close: () => runtime.dispose()
    }
  }

/** Pages, taken an array at a time. */
export const pages = reader(byArray, {})

/** One json_stream, taken an array at a time. */
export const lines = reader(byArray, { format: "json_stream" })

/** One part for each asset with `Bulk`, taken an array at a time. */
export const bulk = (root: string): Workload.Reader => {
  const runtime = ManagedRuntime.make(NodeClient.layer({ root, apiKey: Redacted.make(Workload.apiKey), gzip: false }))
  return { read: (workload) => runtime.runPromise(byArray(parts(workload))), close: () => runtime.dispose() }
}

/** Pages, with an effect run for every record. */
export const records = reader(byRecord, {})
