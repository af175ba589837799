/**
 * A live stream that begins in the past, whose connections break: each record once, or a gap that names it.
 */
import { Client, Live, LiveClient, type LiveEndpoint, type LiveMessage } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { DateTime, Effect, Fiber, Layer, Stream } from "effect"
import * as Auditor from "./Auditor.ts"

const since = "2026-10-01T00:00:00.000000000Z"

/** Minutes after the beginning of the data at which the stream begins. */
const ago = 2

const start = DateTime.addDuration(DateTime.makeUnsafe(since), `${ago} minutes`)

/** A service whose live records come late, by so many seconds at most, and those over HTTP by some. */
const service = (jitter: number) =>
  Layer.provideMerge(
    Layer.unwrap(Effect.map(Sandbox.Sandbox, ({ streamUrl }) => LiveClient.layer({ root: streamUrl }))),
    Simulation.layerClient(Client.layer, {
      live: { from: start, jitter: `${jitter} seconds`, httpJitter: "4 seconds" }
    })
  )

interface Gap {
  readonly entity: string
  readonly from: string | undefined
  readonly to: string
}

/** A record, as far as the two ways have it alike. */
type Essence = Readonly<Record<string, unknown>> & { readonly time: string }

/** What is followed. */
interface Series {
  readonly follow: (options: LiveEndpoint.CallOptions) => Stream.Stream<LiveMessage.LiveMessage<object>, unknown, Needs>
  /** The path of the live operation, with its parameters. */
  readonly path: string
  readonly entity: string
  /** How late its records come, in seconds. */
  readonly jitter: number
  /** What is compared beside entity and time. */
  readonly fields: ReadonlyArray<string>
}

type Needs = Client.Client | LiveClient.LiveClient

const markets = ["coinbase-btc-usd-spot", "kraken-btc-usd-spot", "kraken-eth-usd-spot"] as const

const all: ReadonlyArray<Series> = [
  {
    follow: (options) => Live.marketTrades({ markets }, options),
    path: `market-trades?markets=${markets.join(",")}`,
    entity: "market",
    jitter: 2,
    fields: ["coin_metrics_id", "price"]
  },
  {
    follow: (options) => Live.marketQuotes({ markets: markets[0] }, options),
    path: `market-quotes?markets=${markets[0]}`,
    entity: "market",
    // HTTP has others, so of one that came late around a break nobody knows.
    jitter: 0,
    fields: ["coin_metrics_id", "ask_price", "bid_price"]
  },
  {
    follow: (options) => Live.assetMetrics({ assets: "btc", metrics: "ReferenceRateUSD", frequency: "1s" }, options),
    path: "asset-metrics?assets=btc&metrics=ReferenceRateUSD&frequency=1s",
    entity: "asset",
    jitter: 2,
    fields: ["ReferenceRateUSD"]
  }
]

const lags = ["2 seconds", "20 seconds", "30 minutes"] as const

/** A record without what only one of the two ways has. */
const essenceOf =
  ({ entity, fields }: Series) =>
  (record: object) =>
    // Type boundary: what a record has is read by name.
    Object.fromEntries([entity, "time", ...fields].map((name) => [name, Reflect.get(record, name)])) as Essence

const isIn =
  ({ entity }: Series, record: Essence) =>
  (gap: Gap) =>
    gap.entity === record[entity] && record.time >= (gap.from ?? "") && record.time <= gap.to

/** Breaks connections for eight minutes, and then leaves them alone for five. */
const follow = (followed: Series) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const told: Array<object> = []
    const gaps: Array<Gap> = []
    const essence = essenceOf(followed)
    const order = (["series", "arrival"] as const)[yield* Simulation.below(2)]!
    const fiber = yield* followed.follow({ since, order }).pipe(
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
    const texts = yield* sandbox.live.series(`/timeseries-stream/${followed.path}`, {
      after: DateTime.subtractDuration(DateTime.makeUnsafe(since), "1 millis"),
      until
    })
    const truth = texts.map((text) => essence(JSON.parse(text))).filter(({ time }) => time >= since)
    const due = truth.filter((record) => !gaps.some(isIn(followed, record))).map(Auditor.textOf)
    const dueTexts = new Set(due)
    const given = told.map(Auditor.textOf)
    const once = new Set(given)
    yield* Auditor.released({ repeats: given.length - once.size })
    yield* Auditor.same(
      told.filter((record) => dueTexts.has(Auditor.textOf(record))),
      due
    )
  })

/** One of the series; mostly trades, of which there are few, so that a run is short. */
export const make = Effect.succeed(
  Effect.flatMap(Simulation.below(6), (drawn) => {
    const series = all[Math.max(0, drawn - 3)]!
    return Effect.provide(follow(series), service(series.jitter), { local: true })
  })
)
