/**
 * Live frames read with Sluice, as its users would: every record checked, defaults throughout.
 */
import { Live } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Workload from "./Workload.ts"

const consume = (workload: Workload.Workload) =>
  Effect.gen(function* () {
    const seen = Workload.nothing()
    const total = Workload.total(workload)
    const delays = Workload.delays(workload)
    const query = { rows: String(workload.rows), pace: String(workload.pace ?? 0) }
    yield* Live.marketTrades({ markets: "coinbase-btc-usd-spot" }, { query }).pipe(
      Stream.mapArrayEffect((messages) =>
        Effect.sync(() => {
          for (const message of messages) {
            if (message._tag !== "Data") continue
            delays?.add(message.record, process.hrtime.bigint())
            Workload.countTrade(seen, message.record)
          }
          return messages
        })
      ),
      Stream.takeUntil(() => seen.records >= total),
      Stream.runDrain
    )
    return { ...seen, latency: delays?.median() }
  })

/** Trades, taken an array at a time. */
export const trades = (root: string): Workload.Reader => {
  const runtime = ManagedRuntime.make(NodeLive.layer({ root, apiKey: Redacted.make(Workload.apiKey) }))
  return {
    read: (workload) => runtime.runPromise(consume(workload)),
    close: () => runtime.dispose()
  }
}
