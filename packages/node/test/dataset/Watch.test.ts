import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, LiveClient, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { data, temporary } from "./Harness.ts"

const live = Layer.unwrap(Effect.map(Sandbox.Sandbox, ({ streamUrl }) => LiveClient.layer({ root: streamUrl }))).pipe(
  Layer.provideMerge(Sandbox.layerClient(Client.layer, { live: true }))
)

const world = Layer.merge(live, NodeServices.layer)

const linesIn = Effect.fnUntraced(function* (folder: string) {
  const files = Object.values(yield* data(folder))
  return files.flatMap((text) => text.split("\n").slice(0, -1)).toSorted()
})

/** When the time of the stand-in begins; the clock of this machine shows the same. */
const begin = Date.parse("2026-10-01T00:00:00Z")

const facts = (trade: unknown) => {
  const { amount, coin_metrics_id, price, side, time } = Object(trade)
  return { amount, coin_metrics_id, price, side, time }
}

describe("a dataset that is watched", () => {
  it.effect("keeps what its live stream sends, minute by minute", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const params = { markets: ["coinbase-btc-usd-spot"], start_time: "2026-09-30T23:50:00" }
      const seen: Array<Dataset.Event> = []
      const watching = yield* Effect.forkScoped(
        Stream.runForEach(
          Dataset.watch({ endpoint: Timeseries.marketTrades, params, to, format: { as: "ndjson" } }),
          (event) => Effect.sync(() => seen.push(event))
        )
      )
      const isThere = (count: number) => seen.filter(({ _tag }) => _tag === "Changed").length >= count
      // Files take real time.
      for (let step = 0; step < 400 && !isThere(4); step++) {
        yield* TestClock.adjust("2 seconds")
        yield* TestClock.withLive(Effect.sleep("2 millis"))
      }
      assert.isTrue(isThere(4))
      yield* Fiber.interrupt(watching)
      const last = String((yield* Dataset.status(to))?.entities[0]?.last)
      const fresh = yield* Stream.runCollect(Timeseries.marketTrades({ ...params, end_time: last }))
      const held = (yield* linesIn(to)).map((line): unknown => JSON.parse(line))
      assert.isAbove(fresh.length, 30)
      assert.deepStrictEqual(held.map(facts), fresh.map(facts))
      // Over the live stream a trade has another time of its recording, so the next sync reads it again.
      yield* Stream.runDrain(Dataset.sync({ to }))
      const now = yield* Stream.runCollect(Timeseries.marketTrades(params))
      assert.deepStrictEqual(yield* linesIn(to), now.map((one) => JSON.stringify(one)).toSorted())
    }).pipe(Effect.provide(world), (program) => Effect.andThen(TestClock.setTime(begin), program))
  )
})
