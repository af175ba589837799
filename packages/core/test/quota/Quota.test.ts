import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Retry } from "@sluice/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as FakeApi from "../FakeApi.ts"
import * as FakeWindow from "./FakeWindow.ts"
import * as TestMode from "../TestMode.ts"
import * as Virtual from "../Virtual.ts"

/** Runs so many streams side by side, which read every page there is, and tells how many records came. */
const streams = (count: number, name = "s") =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: count }, (_, index) => `${name}${index}`),
      (assets) => Stream.runCount(ReferenceData.assets({ assets })),
      { concurrency: "unbounded" }
    ),
    (counts) => counts.reduce((total, one) => total + one, 0)
  )

/** Between 40 and 240 milliseconds, the same in every run. */
const realistic = (nth: number) => 40 + ((nth * 7_919) % 200)

describe("Quota", () => {
  it.effect.each(
    [1, 4, 10, 12, 60].flatMap((count) => [
      { count, network: "no latency", latency: () => 0, mean: 0 },
      { count, network: "realistic latency", latency: realistic, mean: 140 },
      { count, network: "a slow service", latency: () => 500, mean: 500 }
    ])
  )("reads 60 pages of a trial plan without one 429, near the ideal time: $count streams, $network", (one) =>
    Effect.gen(function* () {
      const { count, latency, mean } = one
      const api = FakeWindow.make({ ...FakeWindow.trial, latency, pages: 60 / count })
      const { elapsed, exit } = yield* streams(count).pipe(Effect.provide(api.layer()), Virtual.timed)
      assert.deepInclude(exit, { _tag: "Success", value: 60 } as const)
      assert.strictEqual(yield* api.rejected, 0)
      // Five full windows, and then the last ten requests as far one after another as there are few streams.
      const ideal = 30_000 + Math.ceil(10 / count) * mean
      assert.isAtLeast(elapsed, 30_000)
      assert.isAtMost(elapsed, ideal * 1.15)
    })
  )

  it.effect("learns the plan from the first reply and is not held back by the strictest one", () =>
    Effect.gen(function* () {
      const policies = [{ limit: 6_000, window: 20_000 }]
      const api = FakeWindow.make({ policies, plan: "default", latency: () => 100, pages: 25 })
      const { elapsed } = yield* streams(12).pipe(Effect.provide(api.layer()), Virtual.timed)
      assert.strictEqual((yield* api.requests).length, 300)
      assert.strictEqual(yield* api.rejected, 0)
      // Ten at once, a tenth of a second each.
      assert.isAtMost(elapsed, 4_000)
    })
  )

  it.effect("keeps a large window filled by fast requests without one 429", () =>
    Effect.gen(function* () {
      const limit = TestMode.times(240, 600)
      const api = FakeWindow.make({ policies: [{ limit, window: 2_000 }], pages: (limit * 13) / 60 })
      const { elapsed } = yield* streams(10).pipe(Effect.provide(api.layer()), Virtual.timed)
      assert.strictEqual((yield* api.requests).length, (limit * 13) / 6)
      assert.strictEqual(yield* api.rejected, 0)
      assert.isAtLeast(elapsed, 4_000)
      assert.isAtMost(elapsed, 4_600)
    })
  )

  it.effect("keeps several policies at once", () =>
    Effect.gen(function* () {
      const policies = [
        { limit: 5, window: 1_000 },
        { limit: 20, window: 10_000 }
      ]
      const api = FakeWindow.make({ policies, latency: realistic, pages: 8 })
      const { elapsed } = yield* streams(10).pipe(Effect.provide(api.layer()), Virtual.timed)
      // The first ten go out before any reply has named a policy.
      const rejected = yield* api.rejected
      assert.isAtMost(rejected, 5)
      assert.strictEqual((yield* api.requests).length, 80 + rejected)
      assert.isAtLeast(elapsed, 30_000)
    })
  )

  it.effect("keeps a small policy while a larger one is closest to being hit", () =>
    Effect.gen(function* () {
      const policies = [
        { limit: 50, window: 60_000 },
        { limit: 5, window: 1_000 }
      ]
      const api = FakeWindow.make({ policies, latency: () => 50, pages: 50 })
      yield* Effect.gen(function* () {
        // The last of these replies names the large policy first; the window is empty when the others begin, at once.
        yield* Virtual.run(streams(1))
        yield* Virtual.run(streams(10, "t"))
      }).pipe(Effect.provide(api.layer()))
      assert.strictEqual(yield* api.rejected, 0)
      assert.strictEqual((yield* api.requests).length, 550)
    })
  )

  it.effect("keeps the pace of the plan it was told with a service that sends no rate-limit headers", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make({ ...FakeWindow.trial, silent: true, latency: realistic, pages: 3 })
      const { elapsed } = yield* streams(10).pipe(Effect.provide(api.layer({ plan: "trial" })), Virtual.timed)
      assert.strictEqual(yield* api.rejected, 0)
      assert.strictEqual((yield* api.requests).length, 30)
      assert.isAtLeast(elapsed, 12_000)
      assert.isAtMost(elapsed, 12_000 * 1.15)
    })
  )

  it.effect("is not held back by a service that sends no rate-limit headers", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make({ policies: [], silent: true, latency: () => 10, pages: 10 })
      const { elapsed } = yield* streams(20).pipe(Effect.provide(api.layer()), Virtual.timed)
      assert.strictEqual((yield* api.requests).length, 200)
      assert.isAtMost(elapsed, 400)
    })
  )

  it.effect.each([
    ["letters", "abc", "abc", "abc"],
    ["negative", "-10", "-1", "-5"],
    ["thirty digits", "9".repeat(30), "9".repeat(30), "9".repeat(30)],
    ["zero", "0", "0", "0"],
    ["an epoch for the reset", "6000, 6000;w=20", "4000", "1785542400"]
  ] as const)("is not stopped by malformed headers: %s", ([, limit, remaining, reset]) =>
    Effect.gen(function* () {
      const headers = { ...FakeApi.limits(limit, 0, 0), "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset }
      const api = FakeWindow.make({ policies: [], instead: () => ({ ...FakeApi.assets(["a"]), headers }) })
      const { elapsed } = yield* streams(30).pipe(Effect.provide(api.layer()), Virtual.timed)
      assert.strictEqual((yield* api.requests).length, 30)
      assert.isAtMost(elapsed, 21_000)
    })
  )

  it.effect.each([["constructor"], ["__proto__"], ["tostring"]])(
    "is not stopped by a plan of a curious name: %s",
    ([plan]) =>
      Effect.gen(function* () {
        const api = FakeWindow.make({
          policies: [],
          instead: () => ({ ...FakeApi.assets(["a"]), headers: { "x-ratelimit-plan": `${plan}` } })
        })
        const { elapsed } = yield* streams(30).pipe(Effect.provide(api.layer()), Virtual.timed)
        assert.strictEqual((yield* api.requests).length, 30)
        assert.isAtMost(elapsed, 21_000)
      })
  )

  it.effect("keeps what it has learned through an error page without headers", () =>
    Effect.gen(function* () {
      const page = { status: 524, headers: { "content-type": "text/html" }, body: "<html></html>" }
      const api = FakeWindow.make({
        ...FakeWindow.trial,
        pages: 4,
        latency: realistic,
        instead: (nth) => (nth % 7 === 0 ? page : undefined)
      })
      yield* streams(10).pipe(Effect.provide(api.layer()), Virtual.run)
      assert.strictEqual(yield* api.rejected, 0)
    })
  )

  it.effect(
    "shares a window with another client of the same key: both finish near the ideal time of the two together",
    () =>
      Effect.gen(function* () {
        const api = FakeWindow.make({ ...FakeWindow.trial, latency: realistic, pages: 10 })
        const both = Effect.all(
          [streams(5, "a").pipe(Effect.provide(api.layer())), streams(5, "b").pipe(Effect.provide(api.layer()))],
          { concurrency: "unbounded" }
        )
        const { elapsed, exit } = yield* Virtual.timed(both)
        assert.deepInclude(exit, { _tag: "Success", value: [50, 50] } as const)
        assert.isAtMost(yield* api.rejected, 30)
        assert.isAtMost(elapsed, 54_000 * 1.15)
      })
  )

  it.effect("lets two streams take turns, however long one of them is", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make({ ...FakeWindow.trial, latency: () => 50, pages: 20 })
      yield* streams(2).pipe(Effect.provide(api.layer()), Virtual.run)
      let lead = 0
      for (const request of yield* api.requests) {
        lead += request.includes("assets=s0") ? 1 : -1
        assert.isAtMost(Math.abs(lead), 1, request)
      }
    })
  )

  it.effect("sends requests in the order in which they were made", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make({ ...FakeWindow.trial, latency: realistic })
      yield* streams(40).pipe(Effect.provide(api.layer()), Virtual.run)
      assert.deepStrictEqual(
        yield* api.requests,
        Array.from({ length: 40 }, (_, index) => `/reference-data/assets?page_size=10000&assets=s${index}`)
      )
    })
  )

  it.effect("never has more than ten requests in flight, a streamed body counting until its end", () =>
    Effect.gen(function* () {
      const body = [FakeApi.lines(["a"]), Effect.sleep("10 seconds"), FakeApi.lines(["b"])]
      const headers = FakeApi.limits("6000, 6000;w=20", 5_000, 20, "default")
      const api = FakeApi.serve(() => Effect.succeed({ headers, body }))
      const read = Stream.runCount(ReferenceData.assets({ format: "json_stream" }))
      const { elapsed } = yield* Effect.all(Arr.replicate(read, 25), { concurrency: "unbounded" }).pipe(
        Effect.provide(api.layer()),
        Virtual.timed
      )
      assert.strictEqual(yield* api.most, 10)
      assert.deepStrictEqual(yield* api.times, [
        ...Array(10).fill(0),
        ...Array(10).fill(10_000),
        ...Array(5).fill(20_000)
      ])
      assert.strictEqual(elapsed, 30_000)
    })
  )

  it.effect("runs as many requests at once as the client is set to", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make({ policies: [], silent: true, latency: () => 1_000 })
      yield* streams(9).pipe(Effect.provide(api.layer({ parallel: 3 })), Virtual.run)
      assert.strictEqual(yield* api.most, 3)
      assert.deepStrictEqual(yield* api.times, [0, 0, 0, 1_000, 1_000, 1_000, 2_000, 2_000, 2_000])
    })
  )
})

describe("Quota, after a 429", () => {
  it.effect("waits for the server's reset, then resumes on the same page; no queued request goes out before", () =>
    Effect.gen(function* () {
      const headers = FakeApi.limits("6000, 6000;w=20", 0, 9, "default")
      let nth = 0
      const api = FakeApi.serve(({ url }) =>
        Effect.sync(() => {
          nth += 1
          return nth === 3 ? { status: 429, headers } : FakeApi.assets([url.searchParams.get("assets") ?? ""])
        })
      )
      yield* streams(12).pipe(Effect.provide(api.layer({ parallel: 1, plan: "default" })), Virtual.run)
      const times = yield* api.times
      assert.deepStrictEqual(times.slice(0, 3), [0, 0, 0])
      assert.strictEqual(times.length, 13)
      for (const at of times.slice(3)) assert.isAtLeast(at, 9_000)
      const requests = yield* api.requests
      assert.include(requests.slice(3), requests[2])
    })
  )

  it.effect("lets Retry-After go before the reset", () =>
    Effect.gen(function* () {
      const headers = { ...FakeApi.limits("6000, 6000;w=20", 0, 2, "default"), "retry-after": "30" }
      const api = FakeApi.make([{ status: 429, headers }, FakeApi.assets([])])
      yield* streams(1).pipe(Effect.provide(api.layer()), Virtual.run)
      assert.isAtLeast((yield* api.times)[1] ?? 0, 30_000)
    })
  )

  it.effect("waits its time out wherever between two milliseconds it begins", () =>
    Effect.gen(function* () {
      for (let nth = 0; nth < TestMode.times(30, 100); nth++) {
        const api = FakeApi.make([{ status: 503 }, { status: 503 }, { status: 429 }, FakeApi.assets([])])
        const retry = Schedule.spaced(233.775705 + nth * 5.654321)
        const read = Virtual.run(streams(1).pipe(Effect.provide(api.layer({ retry }))), "1 minute")
        yield* Effect.provide(read, TestClock.layer(), { local: true })
        const [, , rejected = 0, next = 0] = yield* api.times
        assert.isAtLeast(next - rejected, 1_000 - 1e-6)
      }
    })
  )

  it.effect("backs off longer each time when the 429 says nothing", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(() => Effect.succeed({ status: 429, headers: {} }))
      const error = yield* streams(1).pipe(
        Effect.flip,
        Effect.provide(api.layer({ retry: Retry.make({ times: 6, base: "10 millis", cap: "20 millis" }) })),
        Virtual.run
      )
      assert.deepInclude(error, { _tag: "RateLimited", attempts: 7 } as const)
      const times = yield* api.times
      const gaps = times.slice(1).map((at, index) => at - times[index]!)
      assert.strictEqual(gaps.length, 6)
      gaps.forEach((gap, index) => assert.isAtLeast(gap, 1_000 * 2 ** index))
    })
  )
})
