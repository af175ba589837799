/** A live stream that begins in the past, whose connections break: each record once, or a gap that names it. */
import { Live, type LiveClient, type LiveEndpoint, type LiveError, type LiveMessage } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { DateTime, Effect, type Stream } from "effect"
import * as Auditor from "./Auditor.ts"
import * as LiveWorld from "./LiveWorld.ts"

const since = "2026-10-01T00:00:00.000000000Z"

/** Minutes after the beginning of the data at which the stream begins. */
const ago = 2

const from = DateTime.addDuration(DateTime.makeUnsafe(since), `${ago} minutes`)

/** A record, as far as the two ways have it alike. */
type Essence = Readonly<Record<string, unknown>> & { readonly time: string }

interface Series {
  readonly follow: (
    options: LiveEndpoint.CallOptions
  ) => Stream.Stream<LiveMessage.LiveMessage<object>, LiveError.LiveError, LiveClient.LiveClient>
  /** The path of the live operation, with its parameters. */
  readonly path: string
  readonly entity: string
  /** How late its records come, in seconds. */
  readonly jitter: number
  /** What is compared beside entity and time. */
  readonly fields: ReadonlyArray<string>
}

const markets = ["coinbase-btc-usd-spot", "kraken-btc-usd-spot", "kraken-eth-usd-spot"] as const

const seconds: Series = {
  follow: (options) => Live.assetMetrics({ assets: "btc", metrics: "ReferenceRateUSD", frequency: "1s" }, options),
  path: "asset-metrics?assets=btc&metrics=ReferenceRateUSD&frequency=1s",
  entity: "asset",
  jitter: 2,
  fields: ["ReferenceRateUSD"]
}

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
  seconds,
  { ...seconds, jitter: 4 }
]

/** Whether records come later than is taken for granted, so that a reader has to see that before connections break. */
const isLate = ({ jitter }: Series) => jitter > 2

/** A record without what only one of the two ways has. */
const essenceOf =
  ({ entity, fields }: Series) =>
  (record: object) =>
    // Type boundary: what a record has is read by name.
    Object.fromEntries([entity, "time", ...fields].map((name) => [name, Reflect.get(record, name)])) as Essence

const isIn =
  ({ entity }: Series, record: Essence) =>
  (gap: LiveMessage.Gap) =>
    gap.entity === record[entity] && record.time >= (gap.from ?? "") && record.time <= gap.to

/** Reads a series while connections break for eight minutes. */
const follow = (followed: Series) =>
  Effect.gen(function* () {
    const { live } = yield* Sandbox.Sandbox
    const order = yield* LiveWorld.one(["series", "arrival"])
    const { messages, until } = yield* LiveWorld.read(followed.follow({ since, order }), {
      seconds: 480,
      quiet: isLate(followed) ? "1 minute" : 0
    })
    const essence = essenceOf(followed)
    const told = messages.flatMap((message) => (message._tag === "Data" ? [essence(message.record)] : []))
    const gaps = messages.filter((message) => message._tag === "Gap")
    const texts = yield* live.series(`/timeseries-stream/${followed.path}`, {
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
  Effect.gen(function* () {
    const series = all[Math.max(0, (yield* Simulation.below(7)) - 3)]!
    const faults = isLate(series) ? "" : yield* LiveWorld.drawFaults
    yield* Effect.provide(follow(series), LiveWorld.layer({ faults, from, jitter: series.jitter }), { local: true })
  })
)
