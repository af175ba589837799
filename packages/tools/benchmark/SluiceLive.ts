/** Live frames read with Sluice, as its users would: every record checked, defaults throughout. */
import { Live, LiveStream } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Workload from "./Workload.ts"

type Trades = Stream.Success<ReturnType<typeof Live.marketTrades>>

/** Counts the trades of messages, and tells when all there will be were seen. */
const counter = (workload: Workload.Workload) => {
  const seen = Workload.nothing()
  const total = Workload.total(workload)
  const delays = Workload.delays(workload)
  return {
    count: (messages: ReadonlyArray<Trades>) => {
      for (const message of messages) {
        if (message._tag !== "Data") continue
        delays?.add(message.record, process.hrtime.bigint())
        Workload.countTrade(seen, message.record)
      }
    },
    isWhole: () => seen.records >= total,
    result: () => ({ ...seen, latency: delays?.median() })
  }
}

const trades = ({ pace = 0, rows }: Workload.Workload) =>
  Live.marketTrades({ markets: "coinbase-btc-usd-spot" }, { query: { rows: String(rows), pace: String(pace) } })

/** Taken from a stream, an array at a time. */
const consume = (workload: Workload.Workload) =>
  Effect.gen(function* () {
    const { count, isWhole, result } = counter(workload)
    yield* trades(workload).pipe(
      Stream.mapArrayEffect((messages) =>
        Effect.sync(() => {
          count(messages)
          return messages
        })
      ),
      Stream.takeUntil(isWhole),
      Stream.runDrain
    )
    return result()
  })

/** Given to a function. */
const handle = (workload: Workload.Workload) =>
  Effect.gen(function* () {
    const { count, isWhole, result } = counter(workload)
    yield* trades(workload).pipe(
      LiveStream.runForEachArray((messages) => {
        count(messages)
        return isWhole() ? Effect.fail("whole" as const) : undefined
      }),
      Effect.catchIf(
        (error) => error === "whole",
        () => Effect.void
      )
    )
    return result()
  })

const reader =
  (read: typeof consume | typeof handle) =>
  (root: string): Workload.Reader => {
    const runtime = ManagedRuntime.make(NodeLive.layer({ root, apiKey: Redacted.make(Workload.apiKey) }))
    return {
      read: (workload) => runtime.runPromise(read(workload)),
      close: () => runtime.dispose()
    }
  }

/** A stream of trades. */
export const stream = reader(consume)

/** A function that is called with trades. */
export const callback = reader(handle)
