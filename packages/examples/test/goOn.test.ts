import { assert, it } from "@effect/vitest"
import { Client, LiveClient, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Effect, Fiber, Layer, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import { goOn, type Position } from "../src/live/goOn.ts"

/** Both ways to read, over a stand-in in memory whose time passes with the clock of the test. */
const client = Sandbox.layerClient((given) => Layer.provideMerge(LiveClient.layer(), Client.layer(given)), { live: {} })

it.effect("each trade is kept once, though a connection is lost and the program ends on the way", () =>
  Effect.gen(function* () {
    const { live } = yield* Sandbox.Sandbox
    const kept: Array<string> = []
    const saved = yield* Ref.make<Position>({ since: "2026-09-30T23:59:00Z", trades: [] })
    const run = Effect.flatMap(Ref.get(saved), (from) =>
      goOn(from, (trade, position) =>
        Effect.sync(() => kept.push(trade.coin_metrics_id)).pipe(Effect.andThen(Ref.set(saved, position)))
      )
    )

    const first = yield* Effect.forkChild(run)
    yield* TestClock.adjust("10 seconds")
    yield* live.end("drop")
    yield* TestClock.adjust("1 minute")
    yield* Fiber.interrupt(first)
    const second = yield* Effect.forkChild(run)
    yield* TestClock.adjust("1 minute")
    yield* Fiber.interrupt(second)

    const { trades } = yield* Ref.get(saved)
    const all = yield* Stream.runCollect(
      Timeseries.marketTrades({
        markets: ["coinbase-btc-usd-spot"],
        start_time: "2026-09-30T23:59:00Z",
        end_time: trades.at(-1)?.time,
        min_confirmations: 0
      })
    )
    assert.deepStrictEqual(
      kept,
      all.map((trade) => trade.coin_metrics_id)
    )
  }).pipe(Effect.provide(client))
)
