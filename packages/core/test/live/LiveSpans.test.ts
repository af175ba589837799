import { assert, describe, it } from "@effect/vitest"
import { Live, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Recorder from "../records/Recorder.ts"
import * as Virtual from "../Virtual.ts"

const { noHttp, trade } = FakeLive

const path = "/timeseries-stream/market-trades"
const series = "/timeseries/market-trades"
const key = "c4n4ry-of-live"

const trades = Live.marketTrades({ markets: "a-btc-usd-spot" })

const outlines = (recorder: ReturnType<typeof Recorder.make>) =>
  recorder.roots().map((root) => Recorder.outline(root).join("\n"))

describe("the spans and metrics of a live stream", () => {
  it.effect("are a handshake, a connection that ends as it broke, a wait, and the fill of a hole with its call", () =>
    Effect.gen(function* () {
      const first = [trade("1", 1, 0), trade("2", 2, 1)]
      const live = FakeLive.make([[{ frames: first }, { close: 1011 }], [{ frame: trade("5", 5, 0) }]])
      const filled = FakeApi.page([trade("2", 2), trade("3", 3), trade("5", 5)])
      const recorder = Recorder.make()
      yield* trades.pipe(
        Stream.take(7),
        Stream.runDrain,
        Effect.provide(live.layer(FakeApi.make([filled]), {}, { apiKey: Redacted.make(key) })),
        recorder.record,
        Virtual.run
      )
      assert.deepStrictEqual(outlines(recorder), [
        `sluice.connect ${path} success`,
        `sluice.connection ${path} failure`,
        "sluice.wait backoff success",
        `sluice.connect ${path} success`,
        `sluice.connection ${path} interrupted`,
        `sluice.fill ${path} success\n  sluice.call ${series} success\n    sluice.page ${series} success\n      GET ${series} 200 success`
      ])
      const [connect, broken] = recorder.roots()
      assert.deepStrictEqual(connect?.attributes, { "sluice.endpoint": path, "server.address": "api.example.test" })
      const bytes = first.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0)
      assert.deepStrictEqual(broken?.attributes, {
        "sluice.endpoint": path,
        "sluice.frames": 2,
        "sluice.bytes": bytes,
        "error.type": "Unavailable"
      })
      const metrics = yield* recorder.metrics
      const of = (name: string) => metrics.get(`${name}{sluice.endpoint=${path}}`)
      assert.strictEqual(of("sluice.live.frames"), 3)
      assert.strictEqual(of("sluice.live.connections"), 0)
      assert.strictEqual(of("sluice.records"), 4)
      assert.strictEqual(metrics.get(`sluice.retries{error.type=Unavailable,sluice.endpoint=${path}}`), 1)
      // The key is in the URL of each handshake, and nowhere else.
      assert.include(live.sockets[0]?.url, key)
      assert.notInclude(JSON.stringify([recorder.all(), [...metrics]]), key)
    })
  )

  it.effect("of a connection that lasts for days hold nothing that grows", () =>
    Effect.gen(function* () {
      const days = 1
      const minutes = days * 24 * 60
      const steps = Array.from({ length: minutes }, (_, at) => [
        { frame: trade(String(at), at % 60, at) },
        { frame: { warning: { type: "falling_behind", message: "slow" } } },
        Effect.sleep("1 minute")
      ]).flat()
      const live = FakeLive.make([steps])
      const recorder = Recorder.make()
      const open = yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Stream.runDrain(trades))
        yield* Effect.sleep(`${days} days`)
        const open = (yield* recorder.metrics).get(`sluice.live.connections{sluice.endpoint=${path}}`)
        yield* Fiber.interrupt(fiber)
        return open
      }).pipe(Effect.provide(live.layer(noHttp, { silence: "1 hour" })), recorder.record, (self) =>
        Virtual.run(self, `${days + 1} days`)
      )
      assert.strictEqual(open, 1)
      assert.deepStrictEqual(outlines(recorder), [
        `sluice.connect ${path} success`,
        `sluice.connection ${path} interrupted`
      ])
      assert.isTrue(recorder.spans.every(({ events }) => events.length === 0))
      const [, connection] = recorder.roots()
      assert.isAtLeast(Number(connection?.attributes["sluice.frames"]), 2 * minutes)
      assert.strictEqual(connection?.took, days * 86_400)
    })
  )

  it.effect("count a gap that could not be filled, by its reason", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([[{ frame: trade("1", 1, 0) }, { close: 1011 }], [{ frame: trade("5", 5, 0) }]])
      const api = FakeApi.serve(() => Effect.succeed(FakeApi.refusal(403, "forbidden", "no")))
      const recorder = Recorder.make()
      yield* trades.pipe(
        Stream.takeUntil(({ _tag }) => _tag === "Gap"),
        Stream.runDrain,
        Effect.provide(live.layer(api)),
        recorder.record,
        Virtual.run
      )
      const metrics = yield* recorder.metrics
      assert.strictEqual(metrics.get(`sluice.live.gaps{sluice.endpoint=${path},sluice.gap.reason=failed}`), 1)
    })
  )

  it.effect("show a handshake that fails, and a wait for a connection", () =>
    Effect.gen(function* () {
      const live = FakeLive.serve((nth) => (nth === 0 ? [{ refuse: 403 }] : [{ frame: trade("1", 1, 0) }]))
      const recorder = Recorder.make()
      yield* Effect.gen(function* () {
        yield* Effect.exit(Stream.runDrain(trades))
        const one = trades.pipe(
          Stream.take(2),
          Stream.mapEffect(() => Effect.sleep("3 seconds")),
          Stream.runDrain
        )
        yield* Effect.all([one, one], { concurrency: 2 })
      }).pipe(
        Effect.provide(live.layer(noHttp, { maxConnections: 1, retry: Retry.none })),
        recorder.record,
        Virtual.run
      )
      const [refused, ...others] = recorder.roots()
      assert.strictEqual(refused?.ended, "failure")
      assert.strictEqual(refused?.attributes["error.type"], "Forbidden")
      const waits = others.filter(({ name }) => name === "sluice.wait")
      assert.deepStrictEqual(
        waits.map(({ attributes, took }) => [attributes["sluice.wait.cause"], took]),
        [["connection", 6]]
      )
    })
  )
})
