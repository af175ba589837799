import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeWindow from "./FakeWindow.ts"
import * as TestMode from "../TestMode.ts"
import * as Virtual from "../Virtual.ts"

/** Reads all pages of so many streams side by side, and tells how many records came. */
const streams = (count: number) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: count }, (_, index) => `s${index}`),
      (assets) => Stream.runCount(ReferenceData.assets({ assets })),
      { concurrency: "unbounded" }
    ),
    (counts) => counts.reduce((total, one) => total + one, 0)
  )

/** Between 40 and 240 milliseconds, the same in every run. */
const realistic = (nth: number) => 40 + ((nth * 7_919) % 200)

/** How often the request that was sent most often was sent. */
const mostTries = (requests: ReadonlyArray<string>) => {
  const tries = new Map<string, number>()
  for (const request of requests) tries.set(request, (tries.get(request) ?? 0) + 1)
  return Math.max(...tries.values())
}

describe("Pace, with a service that answers 429 and says nothing", () => {
  it.effect.each([
    { limit: 10, window: 6_000, pages: 5, latency: 0, factor: 1.2, refused: 5 },
    { limit: 10, window: 6_000, pages: 5, latency: 20, factor: 1.2, refused: 15 },
    { limit: 10, window: 6_000, pages: 5, latency: undefined, factor: 1.2, refused: 15 },
    // For eight times as long.
    ...(TestMode.isLong ? [{ limit: 10, window: 6_000, pages: 40, latency: undefined, factor: 1.1, refused: 20 }] : []),
    { limit: 100, window: 1_000, pages: 60, latency: 20, factor: 6, refused: 60 },
    { limit: 20, window: 1_000, pages: 50, latency: undefined, factor: 2, refused: 25 },
    { limit: 1, window: 1_000, pages: 10, latency: undefined, factor: 1.4, refused: 20 },
    { limit: 5, window: 60_000, pages: 5, latency: undefined, factor: 1.2, refused: 100 }
  ])(
    "all of sixteen streams end, near what it allows: $limit in $window ms, $pages pages each, latency $latency",
    ({ factor, latency, limit, pages, refused, window }) =>
      Effect.gen(function* () {
        const policies = [{ limit, window }]
        const wait = latency === undefined ? realistic : () => latency
        const api = FakeWindow.make({ policies, silent: true, latency: wait, pages })
        const { elapsed, exit } = yield* streams(16).pipe(
          Effect.provide(api.layer()),
          Virtual.timed,
          Random.withSeed("pace")
        )
        assert.deepInclude(exit, { _tag: "Success", value: 16 * pages } as const)
        const ideal = Math.floor((16 * pages - 1) / limit) * window
        assert.isAtLeast(elapsed, ideal)
        assert.isAtMost(elapsed, ideal * factor)
        assert.isAtMost(yield* api.rejected, refused)
        // Of the eight the policy allows. With the last row it is 5, and 6 in 3 of 100 seeds of the random delays.
        assert.isAtMost(mostTries(yield* api.requests), 6)
      })
  )

  it.effect("the strictest plan is assumed after the first 429, and lifted when no more come", () =>
    Effect.gen(function* () {
      let nth = 0
      const api = FakeApi.serve(({ url }) =>
        Effect.as(
          Effect.sleep(10),
          ++nth === 50 ? { status: 429 } : FakeApi.assets([`${url}`], nth < 2_000 ? `${nth}` : undefined)
        )
      )
      yield* Effect.gen(function* () {
        yield* Virtual.run(streams(1))
        assert.strictEqual((yield* Client.quota).rejected, 1)
      }).pipe(Effect.provide(api.layer()))
      const times = yield* api.times
      const refused = times[49] ?? 0
      const within = (from: number, to: number) =>
        times.filter((at) => at > refused + from && at <= refused + to).length
      assert.strictEqual(within(0, 1_000), 0)
      assert.isAtMost(within(1_000, 7_000), 10)
      // Six times doubled, a window each; from then on as fast as replies come.
      assert.isAtLeast(within(42_000, 48_000), 500)
    })
  )

  it.effect("fewer requests run at once after a 429, and all ten again when no more come", () =>
    Effect.gen(function* () {
      let nth = 0
      let running = 0
      const counts: Array<number> = []
      const api = FakeApi.serve(({ url }) =>
        Effect.suspend(() => {
          running += 1
          counts.push(running)
          const isRefused = ++nth === 11
          const page = FakeApi.assets([`${url}`], nth < 600 ? `${nth}` : undefined)
          const reply = isRefused ? { status: 429 } : page
          return Effect.ensuring(
            Effect.as(Effect.sleep(isRefused ? 1 : 2_000), reply),
            Effect.sync(() => {
              running -= 1
            })
          )
        })
      )
      yield* streams(20).pipe(Effect.provide(api.layer()), Virtual.run)
      assert.strictEqual(Math.max(...counts.slice(0, 11)), 10)
      // Those that were running then ended first.
      assert.isAtMost(Math.max(...counts.slice(20, 25)), 5)
      assert.strictEqual(Math.max(...counts.slice(-100)), 10)
    })
  )

  it.effect("requests refused together are one refusal: all go on after a second", () =>
    Effect.gen(function* () {
      let nth = 0
      const api = FakeApi.serve(() =>
        Effect.as(Effect.sleep(20), ++nth <= 10 ? { status: 429 } : FakeApi.assets(["a"]))
      )
      yield* streams(10).pipe(Effect.provide(api.layer()), Virtual.run)
      const times = yield* api.times
      assert.strictEqual(times.length, 20)
      assert.isAtLeast(times[10] ?? 0, 1_000)
      assert.isAtMost(times[10] ?? 0, 1_100)
    })
  )

  it.effect("a service whose 429s say how long to wait is not slowed beyond that", () =>
    Effect.gen(function* () {
      let nth = 0
      const api = FakeApi.serve(() =>
        Effect.sync(() =>
          ++nth === 30
            ? { status: 429, headers: { "retry-after": "3" } }
            : FakeApi.assets(["a"], nth < 300 ? `${nth}` : undefined)
        )
      )
      const { elapsed } = yield* streams(1).pipe(Effect.provide(api.layer()), Virtual.timed)
      assert.isAtLeast(elapsed, 3_000)
      assert.isAtMost(elapsed, 3_100)
    })
  )
})
