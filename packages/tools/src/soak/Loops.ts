/**
 * The work of a long-running service: readers on one client, each with another way of reading, over HTTP and over live streams. Whether
 * records are right says the simulation; here they are counted.
 */
import {
  type ApiError,
  type Client,
  Live,
  type LiveClient,
  type LiveError,
  LiveStream,
  OrderBook,
  Timeseries
} from "@sluice/core"
import { Effect, Random, Stream } from "effect"

/** What the readers have seen so far. */
export interface Seen {
  records: number
}

const pause = (millis: number) =>
  Effect.flatMap(Random.nextBetween(0.5 * millis, 1.5 * millis), (about) => Effect.sleep(about))

const minutes = (assets: string, from: string, to: string, format: { format: "json_stream" } | { page_size: number }) =>
  Timeseries.assetMetrics({
    assets,
    metrics: ["PriceUSD", "ReferenceRateUSD"],
    frequency: "1m",
    start_time: from,
    end_time: to,
    ...format
  })

const lines = { format: "json_stream" } as const

/** The newest values, as a ticker asks for them. */
const latest = Timeseries.assetMetrics({
  assets: ["btc", "eth", "ltc", "sol"],
  metrics: "PriceUSD",
  frequency: "1m",
  limit_per_asset: 1
})
/** A day of three assets, for those who come back for it. */
const day = minutes("btc,eth,ltc", "2026-03-01", "2026-03-01T23:59:00", lines)
/** Half a day of two assets, on 15 pages. */
const walk = minutes("btc,eth", "2026-04-01", "2026-04-01T11:59:00", { page_size: 100 })
/** A week of two assets, some 3 MB: more than the buffers between service and reader hold. */
const long = minutes("ada,xrp", "2026-05-01", "2026-05-07T23:59:00", lines)

const markets = ["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"]
const metrics = ["ReferenceRateUSD", "ReferenceRateEUR"] as const

/** Metrics of one record, whose parts a broken connection may separate. */
const merged = Live.assetMetrics({ assets: "btc", metrics, frequency: "1s" }).pipe(LiveStream.mergeMetrics({ metrics }))

/** Begins to read, and is interrupted somewhere. */
const interrupted = <E, R>(stream: Stream.Stream<unknown, E, R>, millis = 400) =>
  Effect.timeoutOption(Stream.runDrain(stream), millis)

/** Keeps books for a reader that is too slow for them, and for one that is not. */
const books = Effect.scoped(
  Effect.gen(function* () {
    const shared = yield* LiveStream.share(OrderBook.follow({ markets: "coinbase-btc-usd-spot" }))
    const slow = Stream.runForEachArray(shared.messages({ capacity: 20, whenFull: "dropOldest" }), () => pause(500))
    yield* Effect.all([slow, Stream.runDrain(shared.messages())], { concurrency: "unbounded", discard: true })
  })
)

/** Quotes for a reader that holds its socket back, or fails because it is too slow. */
const quotes = (whenFull: "suspend" | "fail", millis: number) =>
  Stream.runForEachArray(Live.marketQuotes({ markets: "coinbase-*-spot" }, { capacity: 50, whenFull }), () =>
    pause(millis)
  )

type Reader = Effect.Effect<unknown, ApiError.ApiError | LiveError.LiveError, Client.Client | LiveClient.LiveClient>

/** Does all the work at once, until it is interrupted, or a call fails for another reason than a slow reader. */
export const run = (seen: Seen) => {
  const counted = <A, E, R>(records: Stream.Stream<A, E, R>) =>
    Stream.mapArray(records, (batch) => {
      seen.records += batch.length
      return batch
    })

  /** Reads pages, and often stops before the last. */
  const leave = Effect.flatMap(Random.nextIntBetween(1, 2_000), (count) =>
    Stream.runDrain(Stream.take(counted(walk), count))
  )

  /** Pauses sometimes, like a reader whose own output is slow. */
  const slow = Stream.runForEachArray(counted(long), () =>
    Effect.flatMap(Random.next, (chance) => (chance < 0.02 ? pause(1_000) : Effect.void))
  )

  /** Readers, and the pause before each of them begins again. */
  const readers: ReadonlyArray<readonly [Reader, number]> = [
    [Stream.runDrain(counted(latest)), 300],
    [Stream.runDrain(counted(day)), 1_000],
    [Stream.runDrain(counted(day)), 2_500],
    [leave, 500],
    [leave, 1_000],
    [slow, 1_000],
    [interrupted(counted(long)), 1_000],
    [Stream.runDrain(counted(Live.marketTrades({ markets }))), 1_000],
    [interrupted(Live.marketQuotes({ markets })), 10],
    [books, 1_000],
    // It remembers up to 40,000 records while it looks for late ones: more than come in a run.
    [interrupted(merged, 5_000), 1_000],
    [quotes("suspend", 200), 1_000],
    [quotes("fail", 1_000), 10]
  ]
  return Effect.forEach(
    readers,
    ([reader, every]) =>
      Effect.catchTag(reader, "TooSlow", () => Effect.void).pipe(Effect.andThen(pause(every)), Effect.forever),
    { concurrency: "unbounded", discard: true }
  )
}
