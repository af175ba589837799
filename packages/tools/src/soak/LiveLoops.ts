/**
 * The readers of the live soak: one of each way of reading, on one client. Whether records are right says the simulation.
 */
import { Live, type LiveError, LiveStream, OrderBook } from "@sluice/core"
import { Effect, Fiber, Stream } from "effect"
import { pause } from "./Loops.ts"
import * as Verdict from "./Verdict.ts"

/** A series that is followed from the beginning to the end. */
const trades = Live.marketTrades({ markets: ["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"] })

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

/** Reads all of it at once, until it is interrupted. A stream that ends is counted as failed, a connection as complete. */
export const run = (counts: Verdict.Counts) => {
  const followed = Stream.runForEachArray(trades, (messages) =>
    Effect.sync(() => {
      for (const { _tag } of messages) {
        if (_tag === "Data") counts.records += 1
        if (_tag === "Connected") counts.complete += 1
      }
    })
  )
  return Effect.forEach(
    [followed, restless, books, merged, held, failing],
    (reader) =>
      Effect.catch(reader, (error: LiveError.LiveError) =>
        Effect.sync(() => {
          if (error._tag !== "TooSlow" && error._tag !== "TooManyConnections") Verdict.fail(counts, error)
        })
      ),
    { concurrency: "unbounded", discard: true }
  )
}
