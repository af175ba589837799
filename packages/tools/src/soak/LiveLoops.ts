/**
 * The readers of the live soak: one of each way of reading, on one client.
 */
import {
  type Client,
  Live,
  type LiveClient,
  type LiveError,
  type LiveMessage,
  LiveStream,
  OrderBook,
  Timeseries
} from "@sluice/core"
import { Effect, Fiber, Stream } from "effect"
import * as Ledger from "./Ledger.ts"
import { pause } from "./Loops.ts"
import * as Verdict from "./Verdict.ts"

/** A series that is compared with what the service has at the end. */
interface Series {
  readonly name: string
  /** An entity each, so that records come in the order of time. */
  readonly messages: Stream.Stream<LiveMessage.LiveMessage<object>, LiveError.LiveError, LiveClient.LiveClient>
  readonly truth: (after: string, before: string) => Stream.Stream<object, unknown, Client.Client>
  readonly identity: ReadonlyArray<string>
}

const within = (after: string, before: string) => ({
  start_time: after,
  end_time: before,
  start_inclusive: false,
  end_inclusive: false
})

const trades = (market: string): Series => ({
  name: `trades of ${market}`,
  messages: Live.marketTrades({ markets: market }),
  truth: (after, before) => Timeseries.marketTrades({ markets: market, ...within(after, before) }),
  identity: ["coin_metrics_id"]
})

const candles = (market: string): Series => ({
  name: `candles of ${market}`,
  messages: Live.marketCandles({ markets: market, frequency: "1m" }),
  truth: (after, before) => Timeseries.marketCandles({ markets: market, frequency: "1m", ...within(after, before) }),
  identity: ["time"]
})

const rates = (asset: string, metric: "ReferenceRateUSD" | "ReferenceRateEUR"): Series => ({
  name: `${metric} of ${asset}`,
  messages: Live.assetMetrics({ assets: asset, metrics: [metric], frequency: "1s" }),
  truth: (after, before) =>
    Timeseries.assetMetrics({ assets: asset, metrics: [metric], frequency: "1s", ...within(after, before) }),
  identity: ["time"]
})

/** The series of the soak. */
export const all: ReadonlyArray<Series> = [
  trades("coinbase-btc-usd-spot"),
  trades("coinbase-eth-usd-spot"),
  candles("coinbase-btc-usd-spot"),
  rates("btc", "ReferenceRateUSD"),
  rates("eth", "ReferenceRateEUR")
]

/** What the reader of a series has seen. */
export interface Read {
  readonly series: Series
  readonly ledger: Ledger.Ledger
  gaps: number
  filled: number
  connections: number
}

/** Begins to read a series. */
export const begin = (series: Series): Read => ({
  series,
  ledger: Ledger.make(),
  gaps: 0,
  filled: 0,
  connections: 0
})

/** Identity and time of a record, as text. */
const text = (record: object, field: string) => String(Reflect.get(record, field))

const identityOf = ({ identity }: Series, record: object) => identity.map((field) => text(record, field)).join(" ")

/** Reads a series until it is interrupted. */
const follow = (read: Read, counts: Verdict.Counts) => {
  // A candle that HTTP shows before it is complete comes again: the same identity is one record.
  let latest = ""
  return Stream.runForEachArray(read.series.messages, (messages) =>
    Effect.sync(() => {
      for (const message of messages) {
        if (message._tag === "Gap") read.gaps += 1
        if (message._tag === "Connected") read.connections += 1
        if (message._tag !== "Data") continue
        if (message.origin === "filled") read.filled += 1
        const id = identityOf(read.series, message.record)
        if (id === latest) continue
        latest = id
        read.ledger.add(text(message.record, "time"), id)
        counts.records += 1
      }
    })
  )
}

/** Compares what came with what the service has. */
export const compare = Effect.fnUntraced(function* ({ ledger, series }: Read) {
  const span = ledger.span()
  if (span === undefined) return { missing: 0, isSame: false }
  const truth = Ledger.make()
  // Both bounds are left out of the sums, so the ledger of the truth gets them too.
  truth.add(span.after, "")
  yield* Stream.runForEachArray(series.truth(span.after, span.before), (records) =>
    Effect.sync(() => {
      for (const record of records) truth.add(text(record, "time"), identityOf(series, record))
    })
  )
  truth.add(span.before, "")
  const [seen, known] = [ledger.sum(), truth.sum()]
  return { missing: known.count - seen.count, isSame: seen.hash === known.hash }
})

const quotes = Live.marketQuotes({ markets: ["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"] })

/** Opens a connection, reads for a moment, and is interrupted, again and again. */
const restless = Effect.gen(function* () {
  const fiber = yield* Effect.forkChild(Stream.runDrain(quotes))
  yield* pause(400)
  yield* Fiber.interrupt(fiber)
}).pipe(Effect.forever)

/** Keeps books for a reader that is too slow for them, and for one that is not. */
const books = Effect.scoped(
  Effect.gen(function* () {
    const shared = yield* LiveStream.share(OrderBook.follow({ markets: "coinbase-btc-usd-spot" }))
    const slow = Stream.runForEachArray(shared.messages({ capacity: 20, whenFull: "dropOldest" }), () => pause(500))
    yield* Effect.all([slow, Stream.runDrain(shared.messages())], { concurrency: "unbounded", discard: true })
  })
)

/** Merges metrics, whose parts a broken connection may separate. */
const metrics = ["ReferenceRateUSD", "ReferenceRateEUR"] as const
const merged = Stream.runDrain(
  Live.assetMetrics({ assets: "btc", metrics, frequency: "1s" }).pipe(LiveStream.mergeMetrics({ metrics }))
)

/** A reader that holds its socket back. */
const held = Stream.runForEachArray(Live.marketQuotes({ markets: "coinbase-*-spot" }, { capacity: 50 }), () =>
  pause(200)
)

/** A reader that is too slow, fails, and begins again. */
const failing = Stream.runForEachArray(
  Live.marketQuotes({ markets: "coinbase-*-spot" }, { capacity: 50, whenFull: "fail" }),
  () => pause(1_000)
).pipe(
  Effect.catchTag("TooSlow", () => Effect.void),
  Effect.forever
)

/** Reads all of it at once, until it is interrupted. A stream that ends is counted as failed. */
export const run = (reads: ReadonlyArray<Read>, counts: Verdict.Counts) =>
  Effect.forEach(
    [...reads.map((read) => follow(read, counts)), restless, books, merged, held, failing],
    (reader) =>
      Effect.catch(reader, (error: LiveError.LiveError) =>
        Effect.sync(() => {
          if (error._tag !== "TooSlow" && error._tag !== "TooManyConnections") Verdict.fail(counts, error)
        })
      ),
    { concurrency: "unbounded", discard: true }
  )
