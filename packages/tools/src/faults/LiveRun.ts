/**
 * One run of a live stream: five minutes of a market under a fault, in memory and on a virtual clock.
 */
import { type ApiError, Client, Live, LiveClient, type LiveError, type LiveMessage, Retry } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { inspect } from "node:util"

/** What a user saw of one run. */
export interface Outcome {
  readonly fault: string
  readonly service: string
  /** Connections that were opened. */
  readonly connections: number
  /** Records that the service published, and how often each came. */
  readonly lost: number
  readonly repeated: number
  readonly filled: number
  readonly gaps: ReadonlyArray<LiveMessage.Gap>
  readonly warnings: ReadonlyArray<string>
  readonly reorgs: number
  readonly failure: LiveError.LiveError | ApiError.Misconfigured | undefined
  /** A defect, or an end that is none. */
  readonly defect: string | undefined
  /** Whether the key stands in a message, an error or the log. */
  readonly leaks: boolean
}

const key = "demo-key"

/** Attempts of the client's policy. */
export const attempts = 3

const market = "coinbase-btc-usd-spot"
const trades = Live.marketTrades({ markets: market })
const blocks = Live.assetMetrics({ assets: "btc", metrics: "PriceUSD", frequency: "1b" })
const paths = {
  trades: `/timeseries-stream/market-trades?markets=${market}`,
  blocks: "/timeseries-stream/asset-metrics?assets=btc&metrics=PriceUSD&frequency=1b"
}

const idOf = (record: object): string =>
  ["coin_metrics_id", "hash"].map((field) => String(Reflect.get(record, field) ?? "")).join(" ")

/** Follows the stream for so long, under a spec that meets so many connections, of a service that is up to so much late. */
export const run = Effect.fnUntraced(
  function* (service: string, fault: string, jitter: Duration.Input = 0) {
    const said: Array<string> = []
    const seen: Array<LiveMessage.LiveMessage<object>> = []
    const isBlocks = fault.startsWith("live-reorg")
    const sandbox = yield* Sandbox.Sandbox
    const root = sandbox.faultUrl(fault)
    const client = Layer.provideMerge(
      LiveClient.layer(),
      Client.layer({ root, apiKey: Redacted.make(key), retry: Retry.make({ base: "1 second", times: attempts - 1 }) })
    )
    const collect = Stream.runForEachArray<
      LiveMessage.LiveMessage<object>,
      LiveError.LiveError,
      LiveClient.LiveClient,
      void,
      never,
      never
    >(isBlocks ? blocks : trades, (messages) => Effect.sync(() => void seen.push(...messages)))
    const logger = Logger.make(({ message }) => said.push([message].flat().join(" ")))
    yield* sandbox.live.setJitter(jitter)
    yield* sandbox.live.setHttpJitter(jitter)
    const after = yield* sandbox.live.now
    // Begins by a sleep, for the clock waits only for the work of fibers it has woken itself: a handshake must not time
    // out before it is answered.
    const fiber = yield* Effect.delay(collect, "1 millis").pipe(
      Effect.provide([client, Logger.layer([logger])]),
      Random.withSeed("faults"),
      Effect.forkChild
    )
    yield* TestClock.adjust(isBlocks ? "60 minutes" : "5 minutes")
    const exit = fiber.pollUnsafe()
    yield* Fiber.interrupt(fiber)
    const data = seen.flatMap((message) => (message._tag === "Data" ? [message] : []))
    const [first, last] = [data[0]?.record, data.at(-1)?.record]
    const published = yield* sandbox.live.series(isBlocks ? paths.blocks : paths.trades, {
      after: String(Reflect.get(first ?? {}, "time") ?? after),
      until: String(Reflect.get(last ?? {}, "time") ?? after)
    })
    const ids = data.map(({ record }) => idOf(record))
    const known = new Set(ids)
    const failed = exit !== undefined && Exit.isFailure(exit) ? exit.cause : undefined
    const error = failed === undefined ? undefined : Cause.findErrorOption(failed)
    const outcome: Outcome = {
      fault,
      service,
      connections: (yield* sandbox.stats).opened,
      lost: published.filter((line) => !known.has(idOf(JSON.parse(line)))).length,
      repeated: ids.length - known.size,
      filled: data.filter(({ origin }) => origin === "filled").length,
      gaps: seen.flatMap((message) => (message._tag === "Gap" ? [message] : [])),
      warnings: seen.flatMap((message) => (message._tag === "Warning" ? [message.type] : [])),
      reorgs: seen.filter(({ _tag }) => _tag === "Reorg").length,
      failure: error?._tag === "Some" ? error.value : undefined,
      defect: failed !== undefined && error?._tag !== "Some" ? Cause.pretty(failed) : undefined,
      leaks: inspect([seen, said, failed], { depth: 12 }).includes(key)
    }
    return outcome
  },
  Effect.scoped,
  Effect.provide(Layer.provideMerge(Sandbox.layerMemory({ live: {} }), TestClock.layer({ warningDelay: "10 minutes" })))
)
