/**
 * The work of a long-running service: several loops on one client, each with another way of reading. Whether records are right says
 * the simulation; here they are counted.
 */
import { type ApiError, type Client, Timeseries } from "@sluice/core"
import { Effect, Fiber, Random, Stream } from "effect"
import * as Verdict from "./Verdict.ts"

/** Waits for about so many milliseconds. */
export const pause = (millis: number) =>
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

/** Does all the work at once, until it is interrupted. A failed call is counted; the loops go on. */
export const run = (counts: Verdict.Counts) => {
  const counted = <A, E, R>(records: Stream.Stream<A, E, R>) =>
    records.pipe(
      Stream.mapArray((batch) => {
        counts.records += batch.length
        return batch
      }),
      Stream.onEnd(Effect.sync(() => (counts.complete += 1)))
    )

  /** Reads pages, and often stops before the last. */
  const leave = Effect.flatMap(Random.nextIntBetween(1, 2_000), (count) =>
    Stream.runDrain(Stream.take(counted(walk), count))
  )

  /** Pauses sometimes, like a reader whose own output is slow. */
  const slow = Stream.runForEachArray(counted(long), () =>
    Effect.flatMap(Random.next, (chance) => (chance < 0.02 ? pause(1_000) : Effect.void))
  )

  /** Is interrupted somewhere. */
  const restless = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Stream.runDrain(counted(long)))
    yield* pause(400)
    if (fiber.pollUnsafe() !== undefined) return yield* Fiber.join(fiber)
    yield* Fiber.interrupt(fiber)
  })

  const loops: ReadonlyArray<readonly [Effect.Effect<void, ApiError.ApiError, Client.Client>, number]> = [
    [Stream.runDrain(counted(latest)), 300],
    [Stream.runDrain(counted(day)), 1_000],
    [Stream.runDrain(counted(day)), 2_500],
    [leave, 500],
    [leave, 1_000],
    [slow, 1_000],
    [restless, 1_000]
  ]
  return Effect.forEach(
    loops,
    ([call, every]) =>
      Effect.catch(call, (error) => Effect.sync(() => Verdict.fail(counts, error))).pipe(
        Effect.andThen(pause(every)),
        Effect.forever
      ),
    { concurrency: "unbounded", discard: true }
  )
}
