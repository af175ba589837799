/**
 * The part of the page of faults about live streams: a row for each kind of fault that begins with `live-`. A run is five minutes
 * of a market under a fault, in memory and on a virtual clock.
 */
import { Client, Live, LiveClient, type LiveError, type LiveMessage, Retry } from "@sluice/core"
import { Fault, Sandbox } from "@sluice/sandbox"
import { Cause, type Duration, Effect, Exit, Fiber, Layer, Logger, Random, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import * as Page from "./Page.ts"
import { attempts } from "./Run.ts"

const key = "demo-key"

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
    const retry = Retry.make({ base: "1 second", times: attempts - 1 })
    const client = Layer.provideMerge(
      LiveClient.layer({ retry }),
      Client.layer({ root, apiKey: Redacted.make(key), retry })
    )
    const messages: Stream.Stream<
      LiveMessage.LiveMessage<object>,
      LiveError.LiveError,
      LiveClient.LiveClient
    > = isBlocks ? blocks : trades
    const collect = Stream.runForEachArray(messages, (batch) => Effect.sync(() => void seen.push(...batch)))
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
    return {
      fault,
      service,
      connections: (yield* sandbox.stats).opened,
      /** Records that the service published, and how often each came. */
      lost: published.filter((line) => !known.has(idOf(JSON.parse(line)))).length,
      repeated: ids.length - known.size,
      filled: data.filter(({ origin }) => origin === "filled").length,
      gaps: seen.flatMap((message) => (message._tag === "Gap" ? [message] : [])),
      warnings: seen.flatMap((message) => (message._tag === "Warning" ? [message.type] : [])),
      reorgs: seen.filter(({ _tag }) => _tag === "Reorg").length,
      failure: error?._tag === "Some" ? error.value : undefined,
      /** A defect, or an end that is none. */
      defect: failed !== undefined && error?._tag !== "Some" ? Cause.pretty(failed) : undefined,
      /** Whether the key stands in a message, an error or the log. */
      leaks: inspect([seen, said, failed], { depth: 12 }).includes(key)
    }
  },
  Effect.scoped,
  Effect.provide(Layer.provideMerge(Sandbox.layerMemory({ live: {} }), TestClock.layer({ warningDelay: "10 minutes" })))
)

export type Outcome = Effect.Success<ReturnType<typeof run>>

/** Kinds that take a record away without a sign: the run must show that it is still so. */
const unseen: ReadonlySet<string> = new Set(["live-lose"])

/** Breaks of a service that publishes records up to a second late, and shows them over HTTP up to a second later than others. */
const late = run("is closed there, and each record is published up to a second late", "live-close=20", "1 second")

/** What is wrong with a run, a sentence each. */
const problemsOf = (outcome: Outcome): ReadonlyArray<string> => {
  const { defect, fault, leaks, lost, repeated } = outcome
  const [kind = ""] = /^[\w-]+/.exec(fault) ?? []
  const isUnseen = unseen.has(kind)
  return [
    ...(defect === undefined ? [] : [`ended with a defect: ${defect}`]),
    ...(leaks ? ["shows the key"] : []),
    ...(repeated > 0 ? [`delivered ${repeated} records twice`] : []),
    ...(lost > 0 && outcome.gaps.length === 0 && !isUnseen ? [`lost ${lost} records without a gap`] : []),
    ...(lost === 0 && isUnseen ? ["lost no record, although the table says that it does"] : [])
  ].map((problem) => `${fault}: ${problem}.`)
}

const failureOf = ({ failure }: Outcome): string | undefined => {
  if (failure === undefined) return undefined
  const text = "reason" in failure ? failure.reason : "issue" in failure ? failure.issue : failure.message
  const times = "attempts" in failure ? ` after ${failure.attempts} attempts` : ""
  return `\`${failure._tag}\`${times}: ${Page.quoted(text)}`
}

const sees = (outcome: Outcome): string => {
  const { connections, filled, gaps, lost, reorgs, warnings } = outcome
  const end = failureOf(outcome)
  const records = lost > 0 && gaps.length === 0 ? "**no sign, although a record is missing**" : "all records"
  return [
    end ?? records,
    ...(end === undefined && connections > 1 ? ["`Disconnected` and `Connected` each time"] : []),
    ...(filled > 0 ? ["what was missed as `filled`"] : []),
    ...(gaps.length > 0 ? ["`Gap`"] : []),
    ...(warnings.length > 0 ? [`\`Warning\` ${[...new Set(warnings)].join(", ")}`] : []),
    ...(reorgs > 0 ? ["`Reorg`"] : [])
  ].join(", ")
}

/** Runs every kind, each on a stand-in of its own. */
export const measure = Effect.gen(function* () {
  const outcomes = yield* Effect.forEach(Fault.liveTable, ({ doc, example }) => run(doc, example))
  outcomes.push(yield* late)
  return {
    rows: outcomes.map((outcome) => [
      `${outcome.service} (\`${outcome.fault}\`)`,
      sees(outcome),
      `${outcome.gaps.length > 0 ? 0 : outcome.lost} / ${outcome.repeated}`
    ]),
    problems: outcomes.flatMap(problemsOf)
  } satisfies Page.Measured
})
