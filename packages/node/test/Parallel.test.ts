import { assert, describe, it } from "@effect/vitest"
import { Client, type Quota, ReferenceData, Retry, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { inFlight, inVirtualTime, quarter, settings, until, withClient } from "./Harness.ts"
import { serve } from "./Server.ts"

const many = { concurrency: "unbounded" } as const
const month = { assets: ["btc"], metrics: ["PriceUSD"], frequency: "1m", start_time: "2024-01-01" } as const
const week = { ...month, end_time: "2024-01-07" } as const
const day = { ...month, end_time: "2024-01-01T12:00:00" } as const

const apiKey = Redacted.make("demo-key")

/** Answers nothing until so many requests have come, and everything from then on; knows how many ever ran at once. */
const crowded = (expected: number) =>
  Effect.gen(function* () {
    const held: Array<() => void> = []
    let running = 0
    let most = 0
    const server = yield* serve((request, response) => {
      running += 1
      most = Math.max(most, running)
      response.once("close", () => (running -= 1))
      const isStream = request.url?.includes("json_stream") === true
      response.writeHead(200, { "x-ratelimit-limit": "6000, 6000;w=20" })
      if (isStream) response.write('{"asset":"btc"}\n')
      const answer = () => response.end(isStream ? '{"asset":"eth"}\n' : '{"data":[{"asset":"btc"},{"asset":"eth"}]}')
      if (held.length >= expected) {
        answer()
        return
      }
      held.push(answer)
      // One too many would have left its client together with the others.
      if (held.length === expected) setTimeout(() => held.forEach((answer) => answer()), 20)
    })
    return { server, most: () => most }
  })

describe("at most ten requests run at the service", () => {
  for (const format of ["json", "json_stream"] as const) {
    for (const parallel of [undefined, 3]) {
      const expected = parallel ?? 10
      it.live(`forty streams of ${format} at once are ${expected} and never more, the body included`, () =>
        Effect.gen(function* () {
          const { most, server } = yield* crowded(expected)
          const read = Stream.runCollect(ReferenceData.assets({ format }))
          const all = yield* Effect.forEach(Array.from({ length: 40 }), () => read, many).pipe(
            Effect.provide(NodeClient.layer({ root: server.url, ...settings, plan: "download", parallel }))
          )
          assert.deepStrictEqual(
            all,
            Array.from({ length: 40 }, () => [{ asset: "btc" }, { asset: "eth" }])
          )
          assert.strictEqual(server.requests.length, 40)
          assert.strictEqual(most(), expected)
          assert.isAtMost(server.most(), expected)
        })
      )
    }

    it.live(`forty streams of ${format} of the sandbox at once are all complete`, () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        yield* Effect.gen(function* () {
          const read = Stream.runFold(
            Timeseries.assetMetrics({ ...day, format, ...(format === "json" ? { page_size: 200 } : {}) }),
            () => 0,
            (count) => count + 1
          )
          const counts = yield* Effect.forEach(Array.from({ length: 40 }), () => read, many)
          assert.deepStrictEqual(counts, Array.from({ length: 40 }).fill(721))
        }).pipe((program) => withClient(program, { plan: "download" }))
        const stats = yield* sandbox.stats
        assert.strictEqual(stats.rejected, 0)
        assert.strictEqual(stats.requests, format === "json" ? 40 * 4 : 40)
        assert.strictEqual(stats.records, 40 * 721)
      }).pipe(Effect.provide(Sandbox.layer()))
    )
  }

  it.live("pages count until they are received: readers that are slow hold none of the ten", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* Effect.gen(function* () {
        // More than there are permits: each has its first record and does not ask for more.
        const held = yield* Effect.forEach(Array.from({ length: 12 }), () =>
          Effect.forkChild(Stream.runForEach(Timeseries.assetMetrics(week), () => Effect.never))
        )
        yield* until(sandbox.stats, (stats) => stats.requests === 12)
        yield* until(inFlight, (running) => running === 0)
        assert.strictEqual((yield* Stream.runCollect(Timeseries.assetMetrics(quarter))).length, 273)
        yield* Fiber.interruptAll(held)
      }).pipe((program) => withClient(program, { plan: "download" }))
      assert.isAtMost((yield* sandbox.stats).peak, 10)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("the body of a json_stream counts until its end: the eleventh waits for a reader that is slow", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* Effect.gen(function* () {
        const open = Timeseries.assetMetrics({ ...week, format: "json_stream" })
        // Each of the ten has its first record and does not ask for more.
        const held = yield* Effect.forEach(Array.from({ length: 10 }), () =>
          Effect.forkChild(Stream.runForEach(open, () => Effect.never))
        )
        yield* until(inFlight, (running) => running === 10)
        yield* until(sandbox.stats, (stats) => stats.requests === 10)
        const eleventh = yield* Effect.forkChild(Stream.runCollect(Timeseries.assetMetrics(quarter)))
        const { waiting } = yield* until(Client.quota, (quota) => quota.waiting === 1)
        assert.strictEqual(waiting, 1)
        assert.strictEqual((yield* sandbox.stats).requests, 10)
        yield* Fiber.interrupt(held[0]!)
        assert.strictEqual((yield* Fiber.join(eleventh)).length, 273)
        assert.strictEqual((yield* sandbox.stats).requests, 11)
        yield* Fiber.interruptAll(held)
      }).pipe((program) => withClient(program, { plan: "download" }))
      assert.isAtMost((yield* sandbox.stats).peak, 10)
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})

describe("streams of one client share one budget", () => {
  const sixPages = Timeseries.assetMetrics({ ...day, page_size: 121 })
  const two = Effect.all([Stream.runCollect(sixPages), Stream.runCollect(sixPages)], many)
  const strict = { apiKey, retry: Retry.none }

  it.effect("twelve requests of two streams on the trial plan meet no 429", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const [[first, second], took] = yield* inVirtualTime(
        Effect.timed(two).pipe(Effect.map(([d, r]) => [r, d] as const))
      ).pipe(Effect.provide(Client.layer({ root: sandbox.url, ...strict })))
      const stats = yield* sandbox.stats
      assert.deepStrictEqual([stats.requests, stats.rejected], [12, 0])
      assert.strictEqual(first.length, 721)
      assert.deepStrictEqual(second, first)
      // Ten at once, two when the window has moved on.
      assert.closeTo(Duration.toSeconds(took), 6, 0.5)
    }).pipe(Effect.provide(Sandbox.layerMemory({ plan: "trial" })))
  )

  it.effect("two clients with the same key do not know of each other, and still lose nothing", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const one = Stream.runCollect(sixPages)
      const client = () => Client.layer({ root: sandbox.url, apiKey })
      const [first, second] = yield* inVirtualTime(
        Effect.all([Effect.provide(one, client()), Effect.provide(one, client())], many)
      )
      assert.strictEqual(first.length, 721)
      assert.deepStrictEqual(second, first)
      assert.strictEqual((yield* sandbox.stats).records, 2 * 721)
    }).pipe(Effect.provide(Sandbox.layerMemory({ plan: "trial" })))
  )

  it.effect("the community root is read at its own pace without a key", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const daily = Timeseries.assetMetrics({
        assets: ["btc"],
        metrics: ["PriceUSD"],
        start_time: "2024-01-01",
        end_time: "2024-01-12",
        page_size: 2
      })
      const [first, second] = yield* inVirtualTime(
        Effect.all([Stream.runCollect(daily), Stream.runCollect(daily)], many)
      ).pipe(Effect.provide(Client.layer({ root: sandbox.communityUrl, retry: Retry.none })))
      assert.deepStrictEqual([first.length, second.length], [12, 12])
      const stats = yield* sandbox.stats
      assert.deepStrictEqual([stats.requests, stats.rejected], [12, 0])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})

describe("a long-lived service watches its quota", () => {
  it.live("plan, limit and remaining change while a download runs", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const seen: Array<Quota.State> = []
        const watcher = yield* Client.quotaChanges.pipe(
          Stream.runForEach((state) => Effect.sync(() => seen.push(state))),
          Effect.forkChild
        )
        yield* until(
          Effect.sync(() => seen.length),
          (count) => count === 1
        )
        yield* Stream.runDrain(Timeseries.assetMetrics({ ...quarter, page_size: 20 }))
        yield* until(
          Effect.sync(() => seen.at(-1)),
          (state) => state?.sent === 14 && state.inFlight === 0
        )
        yield* Fiber.interrupt(watcher)
        const [before] = seen
        const after = seen.at(-1)
        assert.deepInclude(before, { plan: undefined, limit: 10, remaining: 10, sent: 0, inFlight: 0 })
        assert.deepInclude(after, { plan: "download", limit: 6000, remaining: 6000 - 14, rejected: 0, waiting: 0 })
        assert.strictEqual(Duration.toSeconds(after?.window ?? 0), 20)
        assert.isTrue(seen.some(({ inFlight }) => inFlight === 1))
        const sent = seen.map((state) => state.sent)
        assert.deepStrictEqual(
          sent,
          sent.toSorted((a, b) => a - b)
        )
        assert.deepStrictEqual(yield* Client.quota, after)
      }).pipe(withClient)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("a late watcher begins with the current state", () =>
    Effect.gen(function* () {
      yield* Stream.runDrain(Timeseries.assetMetrics(quarter))
      const [now] = yield* Client.quotaChanges.pipe(Stream.take(1), Stream.runCollect)
      assert.deepInclude(now, { plan: "trial", limit: 10, remaining: 9, sent: 1 })
    }).pipe((program) => withClient(program, settings), Effect.provide(Sandbox.layer({ plan: "trial" })))
  )

  it.effect("a watcher that starts during a wait sees how long it lasts", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* inVirtualTime(
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Stream.runDrain(Timeseries.assetMetrics({ ...day, page_size: 60 })))
          const waiting = yield* Effect.repeat(Effect.delay(Client.quota, "50 millis"), {
            until: (quota) => quota.waiting === 1
          })
          const now = yield* Clock.currentTimeMillis
          assert.deepInclude(waiting, { remaining: 0, sent: 10, inFlight: 0 })
          yield* Effect.repeat(Effect.delay(Client.quota, "50 millis"), { until: (quota) => quota.sent === 11 })
          const waited = (yield* Clock.currentTimeMillis) - now
          assert.closeTo(waited, Duration.toMillis(waiting.reset), 300)
          yield* Fiber.join(fiber)
        })
      ).pipe(Effect.provide(Client.layer({ root: sandbox.url, apiKey })))
      assert.strictEqual((yield* sandbox.stats).rejected, 0)
    }).pipe(Effect.provide(Sandbox.layerMemory({ plan: "trial" })))
  )
})
