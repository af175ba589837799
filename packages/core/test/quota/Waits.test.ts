import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, Defaults, ReferenceData, Retry } from "@sluice/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeWindow from "./FakeWindow.ts"
import * as Virtual from "../Virtual.ts"

/** Reads all pages of so many streams side by side; tells records, errors, time, and what was logged. */
const read = (api: FakeApi.FakeApi, count: number, options?: Client.Options) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const logger = Logger.make(({ message }) => {
      said.push([message].flat().map(String).join(" "))
    })
    const all = Effect.forEach(
      Array.from({ length: count }, (_, index) => `s${index}`),
      (assets) => Effect.result(Stream.runCount(ReferenceData.assets({ assets }))),
      { concurrency: "unbounded" }
    )
    const { elapsed, exit } = yield* all.pipe(
      Effect.provide(api.layer(options)),
      Effect.provide(Logger.layer([logger])),
      Virtual.timed
    )
    const results = yield* exit
    const errors: ReadonlyArray<ApiError.ApiError> = results.flatMap((one) =>
      one._tag === "Failure" ? [one.failure] : []
    )
    return { elapsed, errors, said, requests: yield* api.requests }
  })

const month = Duration.days(31)

const good = FakeApi.assets(["a"])

const asks = (status: number, seconds: number) => ({ status, headers: { "retry-after": `${seconds}` } })

/** A reply in whose short window others are, and whose long window is full. */
const twoWindows = (seconds: number) => [
  { ...FakeApi.page([FakeApi.asset("a")], "1"), headers: FakeApi.limits(`10, 10;w=6, 1;w=${seconds}`, 5, 1) },
  FakeApi.assets(["b"])
]

describe("Waits for the service", () => {
  it.effect("a window of 31 days that is full fails every request at once, and says for how long", () =>
    Effect.gen(function* () {
      const policies = [{ limit: 10, window: Duration.toMillis(month) }]
      const api = FakeWindow.make({ policies, latency: () => 50 })
      const { elapsed, errors, requests, said } = yield* read(api, 25)
      assert.strictEqual(requests.length, 10)
      assert.strictEqual(errors.length, 15)
      assert.isAtMost(elapsed, 1_000)
      assert.deepStrictEqual(said, [])
      for (const error of errors) {
        assert.deepInclude(error, { _tag: "RateLimited", limit: 10, attempts: 0 } as const)
        if (error._tag !== "RateLimited") continue
        assert.deepStrictEqual(error.longestWait, Duration.minutes(5))
        assert.isAtLeast(Duration.toMillis(error.retryAfter ?? 0), Duration.toMillis(month))
        assert.match(error.message, /leaves no request .* for 31d[^,]*, longer than the longest wait of 5m$/)
        assert.isFalse(Retry.isTransient(error))
      }
    })
  )

  it.effect.each([2_678_400, 3_600])(
    "a window of %i s that is full fails the next request at once, though others left a place in a shorter one",
    (seconds) =>
      Effect.gen(function* () {
        const { elapsed, errors, requests, said } = yield* read(FakeApi.make(twoWindows(seconds)), 1)
        assert.strictEqual(requests.length, 1)
        assert.deepStrictEqual(said, [])
        assert.strictEqual(elapsed, 0)
        const [error] = errors
        assert.deepInclude(error, { _tag: "RateLimited", limit: 1, attempts: 0 } as const)
        if (error?._tag !== "RateLimited") return
        assert.isAtLeast(Duration.toSeconds(error.retryAfter ?? 0), seconds)
      })
  )

  it.effect("a place in a window of 240 s is waited for, and said once, though others leave a shorter one", () =>
    Effect.gen(function* () {
      const api = FakeApi.make(twoWindows(240))
      const { elapsed, errors, said } = yield* read(api, 1)
      assert.deepStrictEqual(errors, [])
      assert.isAtLeast(elapsed, 240_000)
      assert.isAtMost(elapsed, 245_000)
      assert.deepStrictEqual(said, ["Waits 4m 3s for the rate limit (1 requests in 4m)"])
    })
  )

  it.effect.each([
    ["429", asks(429, 3_600), "RateLimited"],
    ["503", asks(503, 3_600), "Unavailable"]
  ] as const)("a longer one than the longest fails at once, and says how long: %s", ([, reply, tag]) =>
    Effect.gen(function* () {
      const { elapsed, errors, requests } = yield* read(FakeApi.make([reply]), 1)
      assert.strictEqual(elapsed, 0)
      assert.strictEqual(requests.length, 1)
      const [error] = errors
      assert.deepInclude(error, { _tag: tag, attempts: 1 } as const)
      if (error?._tag !== "RateLimited" && error?._tag !== "Unavailable") return
      assert.deepStrictEqual(error.retryAfter, Duration.hours(1))
      assert.deepStrictEqual(error.longestWait, Duration.minutes(5))
      assert.include(error.message, "1h, longer than the longest wait of 5m")
    })
  )

  it.effect("a 429 that asks for too long fails those behind it the same way, without a request", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(() => Effect.succeed(asks(429, 3_600)))
      const { elapsed, errors, requests } = yield* read(api, 5, { parallel: 1 })
      assert.strictEqual(elapsed, 0)
      assert.strictEqual(requests.length, 1)
      assert.deepStrictEqual(
        errors.map(
          (error) => error._tag === "RateLimited" && [error.attempts, Duration.toSeconds(error.retryAfter ?? 0)]
        ),
        [[1, 3_600], ...Array.from({ length: 4 }, () => [0, 3_600])]
      )
    })
  )

  it.effect.each([
    ["429", asks(429, 1_800)],
    ["503", asks(503, 1_800)]
  ] as const)("one up to the longest is waited out, whatever time the policy has, and said once: %s", ([, reply]) =>
    Effect.gen(function* () {
      for (const retry of [Retry.make({ within: "1 second" }), Schedule.recurs(3)]) {
        const api = FakeApi.make([reply, reply, good])
        const { elapsed, errors, said } = yield* read(api, 1, { retry, longestWait: "30 minutes" })
        assert.deepStrictEqual(errors, [])
        assert.isAtLeast(elapsed, 3_600_000)
        assert.isAtMost(elapsed, 3_601_000)
        assert.strictEqual(said.length, 2)
        assert.match(said[0] ?? "", /^Waits 30m and tries again: \/reference-data\/assets: /)
      }
    })
  )

  it.effect("bounds each wait, not their sum: each repetition waits as long as asked", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(() => Effect.succeed(asks(429, 290)))
      const { elapsed, errors } = yield* read(api, 1)
      assert.deepInclude(errors[0], { _tag: "RateLimited", attempts: Defaults.retry.times + 1 } as const)
      assert.isAtLeast(elapsed, Defaults.retry.times * 290_000)
      assert.isAtMost(elapsed, Defaults.retry.times * 300_000)
    })
  )

  it.effect("one above ten seconds is said once for all that wait, with how long and what for", () =>
    Effect.gen(function* () {
      const policies = [{ limit: 10, window: 42_000 }]
      const { errors, said } = yield* read(FakeWindow.make({ policies, latency: () => 50 }), 30)
      assert.deepStrictEqual(errors, [])
      assert.deepStrictEqual(said, Array(2).fill("Waits 43s for the rate limit (10 requests in 42s)"))
      const nine = yield* read(FakeWindow.make({ policies: [{ limit: 10, window: 9_000 }] }), 30)
      assert.deepStrictEqual(nine.said, [])
    })
  )

  it.effect("is said for a 429 that holds others back, and for one that names no wait", () =>
    Effect.gen(function* () {
      let nth = 0
      const api = FakeApi.serve(() => Effect.as(Effect.sleep(10), ++nth === 1 ? asks(429, 30) : good))
      const { said } = yield* read(api, 20, { parallel: 2, retry: Retry.make({ base: "1 millis" }) })
      assert.include(said, "Waits 30s because the service asked for it with a 429")
      const silent = FakeApi.serve(() => Effect.succeed({ status: 429 }))
      const strikes = yield* read(silent, 1, { retry: Retry.make({ times: 5, base: "1 millis" }) })
      assert.deepStrictEqual(strikes.said, ["Waits 16s after a 429 that names no wait"])
    })
  )

  it.effect.each([
    [6_000, "7 seconds"],
    [90_000, "92 seconds"]
  ] as const)(
    "the turn of a request among many of the same client is no wait for the service: %d ms",
    ([window, longest]) =>
      Effect.gen(function* () {
        const api = FakeWindow.make({ policies: [{ limit: 10, window }], latency: () => 50 })
        const { elapsed, errors } = yield* read(api, 60, { longestWait: longest })
        assert.deepStrictEqual(errors, [])
        assert.isAtLeast(elapsed, 5 * window)
      })
  )

  it.effect("the turn of a request among many does not use up the time of its retry policy", () =>
    Effect.gen(function* () {
      let nth = 0
      const headers = FakeApi.limits("10, 10;w=6", 0, 6, "trial")
      // Each of the first thirty requests fails once, and comes again after all others.
      const api = FakeApi.serve(() => Effect.succeed(++nth <= 60 ? { status: 503, headers } : { ...good, headers }))
      const { elapsed, errors } = yield* read(api, 30, {
        retry: Retry.make({ within: "2 seconds", base: "100 millis" })
      })
      assert.deepStrictEqual(errors, [])
      assert.isAtLeast(elapsed, 48_000)
    })
  )

  it.effect("a client whose longest wait is zero waits for nothing but its turn in a short window", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make({ ...FakeWindow.trial })
      const paced = yield* read(api, 12, { longestWait: 0 })
      assert.deepStrictEqual(paced.errors, [])
      assert.strictEqual(paced.requests.length, 12)
      for (const headers of [{ "retry-after": "1" }, {}]) {
        const refused = FakeApi.serve(() => Effect.succeed({ status: 429, headers }))
        const { elapsed, errors, requests } = yield* read(refused, 3, { longestWait: 0, parallel: 1 })
        assert.strictEqual(requests.length, 1)
        assert.deepStrictEqual(
          errors.map((error) => error._tag),
          Array(3).fill("RateLimited")
        )
        assert.isAtMost(elapsed, 500)
      }
    })
  )

  it.effect.each([
    ["a window of 31 days with one request", { headers: { "x-ratelimit-limit": "1, 1;w=2678400" } }, 1],
    ["one that others have used up", { headers: FakeApi.limits("10, 10;w=2678400", 0, 2_600_000) }, 1],
    ["a 429 that asks to wait a month", asks(429, 2_600_000), 0]
  ] as const)("one odd reply holds a client for one call, not for a month: %s", ([, odd, first]) =>
    Effect.gen(function* () {
      let nth = 0
      const api = FakeApi.serve(() => Effect.succeed(++nth === 1 ? { ...good, ...odd } : good))
      const call = Stream.runCount(ReferenceData.assets({ assets: "a" }))
      const hours = Effect.forEach(Array(72), () =>
        Effect.gen(function* () {
          // The second finds out, and those beside it wait for what it hears.
          const counts = yield* Effect.all([call, call, call].map(Effect.option), { concurrency: "unbounded" })
          yield* Effect.sleep("1 hour")
          return counts.filter(Option.isSome).length
        })
      )
      const ends = yield* Virtual.run(Effect.provide(hours, api.layer({ parallel: 3 })), "80 hours")
      assert.deepStrictEqual(ends.slice(1), Array(71).fill(3))
      assert.strictEqual(ends[0], first)
      assert.strictEqual((yield* api.requests).length, (ends[0] ?? 0) + 71 * 3 + (first === 0 ? 1 : 0))
    })
  )

  it.effect("a probe that meets a fault of the server changes nothing, and the next one is as late as the first", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([asks(429, 2_600_000), { status: 503 }, good, good, good])
      const call = Effect.result(Stream.runCount(ReferenceData.assets({ assets: "a" })))
      const calls = Effect.forEach(Array(13), () => Effect.tap(call, Effect.sleep("1 minute")))
      const ends = yield* Virtual.run(Effect.provide(calls, api.layer()))
      const minutes = (yield* api.times).map((at) => Math.floor(at / 60_000))
      assert.deepStrictEqual(minutes, [0, 5, 10, 11, 12])
      assert.deepInclude(ends[5]?._tag === "Failure" && ends[5].failure, { heldBy: "retryAfter", attempts: 1 })
    })
  )

  it.effect(
    "a limit of 31 days that is meant so is asked after once in a longest wait, whatever the number of calls",
    () =>
      Effect.gen(function* () {
        const policies = [{ limit: 10, window: Duration.toMillis(month) }]
        const api = FakeWindow.make({ policies })
        const call = Effect.option(Stream.runCount(ReferenceData.assets({ assets: "a" })))
        const calls = Effect.forEach(Array(720), () => Effect.andThen(call, Effect.sleep("5 seconds")))
        yield* Virtual.run(Effect.provide(calls, api.layer()))
        assert.deepStrictEqual(
          (yield* api.times).slice(10).map((at) => Math.floor(at / 1_000)),
          Array.from({ length: 11 }, (_, index) => 45 + 300 * (index + 1))
        )
      })
  )

  it.effect.each([
    [
      "asked for one",
      { "retry-after": "3600" },
      "retryAfter",
      "the service asked with a 429 to send no request for 1h"
    ],
    ["named none", {}, "refusal", "after a 429 that named no wait, no request is sent for 1s"]
  ] as const)(
    "a request that was not sent says why, and names no limit that nobody named: %s",
    ([, headers, heldBy, words]) =>
      Effect.gen(function* () {
        const api = FakeApi.serve(() => Effect.succeed({ status: 429, headers }))
        const { errors } = yield* read(api, 2, { parallel: 1, retry: Retry.none, longestWait: 500 })
        const [, error] = errors
        assert.deepInclude(error, { _tag: "RateLimited", heldBy, attempts: 0 } as const)
        if (error?._tag !== "RateLimited") return
        assert.strictEqual(error.limit, undefined)
        assert.strictEqual(error.message, `/reference-data/assets: ${words}, longer than the longest wait of 500ms`)
      })
  )

  it.effect("a json_stream that is refused for good tells how many records had come", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        {
          headers: { "content-type": "application/x-ndjson" },
          body: [FakeApi.lines(["a", "b"]), Effect.fail(FakeApi.cut)]
        },
        asks(429, 3_600)
      ])
      const stream = ReferenceData.assets({ format: "json_stream" })
      const error = yield* Virtual.run(Effect.flip(Stream.runDrain(stream)).pipe(Effect.provide(api.layer())))
      assert.deepInclude(error, { _tag: "RateLimited", delivered: 2, attempts: 2 } as const)
      assert.include(error.message, "; after 2 records")
    })
  )
})
