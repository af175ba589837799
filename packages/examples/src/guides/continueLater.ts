import { NodeRuntime } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

const params = {
  assets: ["btc"],
  metrics: ["PriceUSD"],
  start_time: "2026-01-01",
  end_time: "2026-01-31",
  page_size: 10
}

/** Reads one page from a token on, or from the start. Keep `next` in the transaction that keeps the records. */
export const onePage = (token?: string) =>
  Timeseries.assetMetrics.pages({ ...params, ...(token === undefined ? {} : { next_page_token: token }) }).pipe(
    Stream.take(1),
    Stream.runCollect,
    Effect.map(([page]) => ({ records: page?.data ?? [], next: page?.next_page_token }))
  )

/** Two pages, as two processes on different days would read them. */
export const twoPages = Effect.gen(function* () {
  const first = yield* onePage()
  const second = yield* onePage(first.next)
  yield* Console.log(first.records.at(-1)?.time, second.records[0]?.time)
})

if (import.meta.main) twoPages.pipe(Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
