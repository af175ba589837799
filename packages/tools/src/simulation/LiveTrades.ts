/**
 * A live stream of trades that begins in the past, whose connections break: each trade once, or a gap that names it.
 */
import { Client, Live, LiveClient } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { DateTime, Effect, Fiber, Layer, Stream } from "effect"
import * as Auditor from "./Auditor.ts"

const markets = ["coinbase-btc-usd-spot", "kraken-btc-usd-spot", "kraken-eth-usd-spot"] as const

const since = "2026-10-01T00:00:00.000000000Z"

/** Minutes after the beginning of the data at which the stream begins. */
const ago = 2

const start = DateTime.addDuration(DateTime.makeUnsafe(since), `${ago} minutes`)

const service = Simulation.layerClient(Client.layer, {
  live: { from: start, jitter: "2 seconds", httpJitter: "4 seconds" }
})

const live = Layer.provideMerge(
  Layer.unwrap(Effect.map(Sandbox.Sandbox, ({ streamUrl }) => LiveClient.layer({ root: streamUrl }))),
  service
)

interface Gap {
  readonly entity: string
  readonly from: string | undefined
  readonly to: string
}

const isIn =
  ({ market, time }: { readonly market: string; readonly time: string }) =>
  (gap: Gap) =>
    gap.entity === market && time >= (gap.from ?? "") && time <= gap.to

/** What a trade is, without what only one of the two ways has. */
const essence = ({ coin_metrics_id, market, price, time }: Readonly<Record<string, unknown>>) => ({
  market,
  time,
  coin_metrics_id,
  price
})

const lags = ["2 seconds", "20 seconds", "30 minutes"] as const

/** Breaks connections for eight minutes, and then leaves them alone for five. */
export const make = Effect.succeed(
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const told: Array<object> = []
    const gaps: Array<Gap> = []
    const order = (["series", "arrival"] as const)[yield* Simulation.below(2)]!
    const fiber = yield* Live.marketTrades({ markets }, { since, order }).pipe(
      Stream.runForEach((message) =>
        Effect.sync(() => {
          if (message._tag === "Data") told.push(essence(message.record))
          if (message._tag === "Gap") gaps.push(message)
        })
      ),
      Effect.forkChild
    )
    for (let left = 8 * 60; left > 0;) {
      const pause = [60, 1, 7, 20, 45][yield* Simulation.below(5)]!
      left -= pause
      yield* Effect.sleep(`${pause} seconds`)
      if ((yield* Simulation.below(4)) === 1) {
        yield* sandbox.live.setHttpLag(lags[yield* Simulation.below(3)]!)
      }
      const way = yield* Simulation.below(3)
      if (way > 0) yield* sandbox.live.end(way === 1 ? "drop" : "restart")
    }
    yield* sandbox.live.setHttpLag("2 seconds")
    const until = yield* sandbox.live.now
    yield* Effect.sleep("5 minutes")
    yield* Fiber.interrupt(fiber)
    const texts = yield* sandbox.live.series(`/timeseries-stream/market-trades?markets=${markets.join(",")}`, {
      after: DateTime.subtractDuration(DateTime.makeUnsafe(since), "1 millis"),
      until
    })
    const truth = texts.map((text): { readonly market: string; readonly time: string } => JSON.parse(text))
    const due = truth.filter((trade) => !gaps.some(isIn(trade))).map((trade) => Auditor.textOf(essence({ ...trade })))
    const dueTexts = new Set(due)
    const given = told.map(Auditor.textOf)
    const once = new Set(given)
    yield* Auditor.released({ repeats: given.length - once.size })
    yield* Auditor.same(
      told.filter((trade) => dueTexts.has(Auditor.textOf(trade))),
      due
    )
  }).pipe(Effect.provide(live))
)
