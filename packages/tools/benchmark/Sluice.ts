/** The cases read with Sluice, as its users would: every record validated, defaults throughout. */
import { Bulk, type Client, ReferenceData, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Workload from "./Workload.ts"

export type Format = { readonly format?: "json_stream" }
type Records = Stream.Stream<object, unknown, Client.Client>

/** The stream of a call for one asset, or for everything. */
const read = (workload: Workload.Workload, entity: string, format: Format): Records => {
  const { kind = "metrics" } = workload
  const options = { query: Workload.queryOf(workload) }
  const markets = { markets: entity, ...Workload.rangeOf(workload), ...format }
  switch (kind) {
    case "metrics":
    case "spaced":
      return Timeseries.assetMetrics({ ...Workload.paramsOf(workload), assets: entity, ...format }, options)
    case "trades":
      return Timeseries.marketTrades(markets, options)
    case "candles":
      return Timeseries.marketCandles({ ...markets, frequency: Workload.frequency }, options)
    case "books":
      return Timeseries.marketOrderbooks(markets, options)
    case "markets":
      return ReferenceData.markets({ include: ["talos"], ...format }, options)
    case "names":
    case "foreign":
    case "escaped":
      return ReferenceData.assets(format, options)
  }
}

/** One stream for each asset; the client keeps ten requests in flight. */
const records = (workload: Workload.Workload, format: Format): Records => {
  const streams = workload.assets.map((entity) => read(workload, entity, format))
  return streams.length === 1 ? streams[0]! : Stream.mergeAll(streams, { concurrency: "unbounded" })
}

/** A part for each asset, as json_streams whose ends are checked. */
const parts = (workload: Workload.Workload): Records =>
  Stream.unwrap(
    Effect.map(Bulk.split(Timeseries.assetMetrics, Workload.paramsOf(workload), { by: "assets" }), (parts) =>
      Bulk.records(Timeseries.assetMetrics, parts)
    )
  )

type Consume<S> = (stream: S, workload: Workload.Workload) => Effect.Effect<Workload.Seen, unknown, Client.Client>

const byArray: Consume<Records> = (stream, workload) =>
  Effect.gen(function* () {
    const seen = Workload.nothing()
    const count = Workload.counter(workload, seen)
    yield* Stream.runForEachArray(stream, (records) => Effect.sync(() => count(records)))
    return seen
  })

const byRecord: Consume<Records> = (stream, workload) =>
  Effect.gen(function* () {
    const seen = Workload.nothing()
    const count = Workload.counter(workload, seen)
    yield* Stream.runForEach(stream, (record) => Effect.sync(() => count([record])))
    return seen
  })

/** Builds a case of a stream, and of what is done with it. */
export const reader =
  <S>(consume: Consume<S>, open: (workload: Workload.Workload) => S) =>
  (root: string): Workload.Reader => {
    const make = (gzip: boolean) =>
      ManagedRuntime.make(NodeClient.layer({ root, apiKey: Redacted.make(Workload.apiKey), gzip }))
    const [plain, compressed] = [make(false), make(true)]
    return {
      read: (workload) => (workload.gzip === true ? compressed : plain).runPromise(consume(open(workload), workload)),
      close: () => Promise.all([plain.dispose(), compressed.dispose()]).then(() => {})
    }
  }

/** Pages, taken an array at a time. */
export const pages = reader(byArray, (workload) => records(workload, {}))

/** One json_stream, taken an array at a time. */
export const lines = reader(byArray, (workload) => records(workload, { format: "json_stream" }))

/** One part for each asset with `Bulk`, taken an array at a time. */
export const bulk = reader(byArray, parts)

/** Pages, with an effect run for every record. */
export const perRecord = reader(byRecord, (workload) => records(workload, {}))
