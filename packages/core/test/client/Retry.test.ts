import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, Defaults, type Endpoint, ReferenceData, Retry } from "@sluice/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

/** Reads assets while the clock goes on, and tells the outcome, the requests and their times. */
const read = (
  api: FakeApi.FakeApi,
  settings: { readonly client?: Client.Options; readonly call?: Endpoint.CallOptions } = {}
) =>
  Effect.gen(function* () {
    const call = ReferenceData.assets({}, settings.call)
    const { elapsed, exit } = yield* Stream.runCollect(call).pipe(
      Effect.result,
      Effect.provide(api.layer(settings.client)),
      Virtual.timed
    )
    const result = yield* exit
    const error: ApiError.ApiError | undefined = result._tag === "Failure" ? result.failure : undefined
    const records = result._tag === "Success" ? result.success.length : undefined
    return { elapsed, error, records, times: yield* api.times, requests: yield* api.requests }
  })

const always = (reply: FakeApi.Reply) => FakeApi.serve(() => Effect.succeed(reply))

const good = FakeApi.assets(["a"])

const transient = [408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 527, 530]

const lasting = [
  204, 206, 301, 302, 304, 400, 401, 403, 404, 405, 406, 409, 410, 411, 413, 414, 422, 451, 501, 505, 511
]

const cut = (code: string) => Effect.fail(new FakeApi.Cut({ code }))

describe("Retry", () => {
  it.effect.each(transient.map((status) => ({ status })))("repeats after $status", ({ status }) =>
    Effect.gen(function* () {
      const result = yield* read(FakeApi.make([{ status }, { status }, good]))
      assert.strictEqual(result.records, 1)
      assert.deepStrictEqual(result.requests, Array(3).fill("/reference-data/assets?page_size=10000"))
    })
  )

  it.effect.each(lasting.map((status) => ({ status })))("does not repeat after $status", ({ status }) =>
    Effect.gen(function* () {
      const result = yield* read(FakeApi.make([{ status }]))
      assert.isDefined(result.error)
      assert.isFalse(result.error !== undefined && Retry.isTransient(result.error))
      assert.strictEqual(result.requests.length, 1)
    })
  )

  it.effect.each([
    ["a connection that is reset before the reply", cut("ECONNRESET")],
    ["a refused connection", cut("ECONNREFUSED")],
    ["a host that cannot be looked up for now", cut("EAI_AGAIN")],
    ["a connect timeout", cut("UND_ERR_CONNECT_TIMEOUT")],
    ["a fault nobody has named", cut("E_BRAND_NEW")],
    ["a body that is cut", { body: ['{"data":[{"asset":"a"}', FakeApi.cut] }],
    ["a body that ends early", { body: '{"data":[{"asset":"a"}' }],
    ["an empty body", { body: "" }],
    ["damaged JSON", { body: '{"data":[}' }]
  ] as const)("repeats after %s", ([, script]) =>
    Effect.gen(function* () {
      const result = yield* read(FakeApi.make([script, script, good]))
      assert.strictEqual(result.records, 1)
      assert.strictEqual(result.requests.length, 3)
    })
  )

  it.effect.each([
    ["a host nobody knows", cut("ENOTFOUND"), "Unavailable"],
    ["a certificate that is not accepted", cut("CERT_HAS_EXPIRED"), "Unavailable"],
    ["a record that is not as described", FakeApi.page([{}]), "Decode"],
    ["an error in a body with status 200", { body: '{"error":{"type":"forbidden"}}' }, "Forbidden"]
  ] as const)("does not repeat after %s", ([, script, tag]) =>
    Effect.gen(function* () {
      const result = yield* read(FakeApi.make([script]))
      assert.strictEqual(result.error?._tag, tag)
      assert.strictEqual(result.requests.length, 1)
    })
  )

  it.effect.each([
    ["a page of HTML with status 200", { body: "<html>maintenance</html>" }],
    ["bytes that are not UTF-8", { body: [new Uint8Array([0x22, 0xff, 0x22])] }]
  ] as const)("asks once more, and no more than once, after %s", ([, script]) =>
    Effect.gen(function* () {
      const mended = yield* read(FakeApi.make([script, good]))
      assert.strictEqual(mended.records, 1)
      assert.strictEqual(mended.requests.length, 2)
      const damaged = yield* read(FakeApi.make([script, script]))
      assert.strictEqual(damaged.error?._tag, "Decode")
      const between = yield* read(FakeApi.make([script, { status: 503 }, script]))
      assert.strictEqual(between.error?._tag, "Decode")
      const never = yield* read(FakeApi.make([script]), { client: { retry: Retry.none } })
      assert.strictEqual(never.error?._tag, "Decode")
    })
  )

  it.effect.each([
    ["a refused connection", cut("ECONNREFUSED"), "connect"],
    ["a host nobody knows", cut("ENOTFOUND"), "connect"],
    ["a connection lost after sending", cut("ECONNRESET"), "reply"],
    ["a status", { status: 503 }, "reply"],
    ["a cut body", { body: ["{", FakeApi.cut] }, "body"]
  ] as const)("tells how far the last attempt came: %s", ([, script, phase]) =>
    Effect.gen(function* () {
      const result = yield* read(FakeApi.make([script]), { client: { retry: Retry.none } })
      assert.deepInclude(result.error, { _tag: "Unavailable", phase, attempts: 1 } as const)
    })
  )

  it.effect("repeats the page at fault alone, and loses and repeats no record", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        FakeApi.assets(["a"], "1"),
        { status: 503 },
        FakeApi.cut,
        FakeApi.assets(["b"], "2"),
        { status: 500 },
        FakeApi.assets(["c"])
      ])
      const result = yield* read(api)
      assert.strictEqual(result.records, 3)
      const path = "/reference-data/assets?page_size=10000"
      assert.deepStrictEqual(result.requests, [
        path,
        ...Array(3).fill(`${path}&next_page_token=1`),
        ...Array(2).fill(`${path}&next_page_token=2`)
      ])
    })
  )

  it.effect("gives up after the attempts the standard policy allows, and tells how many they were", () =>
    Effect.gen(function* () {
      const attempts = Defaults.retry.times + 1
      const result = yield* read(always({ status: 503 }))
      assert.deepInclude(result.error, { _tag: "Unavailable", attempts, transient: true, status: 503 } as const)
      assert.strictEqual(result.requests.length, attempts)
      assert.isAtMost(result.elapsed, Duration.toMillis(Defaults.retry.within))
    })
  )

  it.effect("doubles its delays, give or take a fifth, up to the cap", () =>
    Effect.gen(function* () {
      const retry = Retry.make({ times: 6, base: "1 second", cap: "5 seconds" })
      const { times } = yield* read(always({ status: 500 }), { client: { retry } })
      const gaps = times.slice(1).map((at, index) => at - times[index]!)
      assert.strictEqual(gaps.length, 6)
      for (const [index, nominal] of [1_000, 2_000, 4_000, 5_000, 5_000, 5_000].entries()) {
        assert.isAtLeast(gaps[index]!, nominal * 0.8 - 1)
        assert.isAtMost(gaps[index]!, nominal * 1.2 + 1)
      }
    })
  )

  it.effect("begins no repetition later than the policy's total time", () =>
    Effect.gen(function* () {
      const retry = Retry.make({ times: 1_000, within: "1 minute", base: "10 seconds", cap: "10 seconds" })
      const result = yield* read(always({ status: 500 }), { client: { retry } })
      assert.strictEqual(result.error?._tag, "Unavailable")
      assert.isAtMost(result.elapsed, 60_000)
      assert.isAtLeast(result.requests.length, 5)
    })
  )

  it.effect("fails at once when the service asks for a longer wait than the client's longest", () =>
    Effect.gen(function* () {
      const headers = { "retry-after": "600" }
      const result = yield* read(always({ status: 429, headers }))
      assert.deepInclude(result.error, { _tag: "RateLimited", attempts: 1 } as const)
      assert.deepStrictEqual(result.error?._tag === "RateLimited" && result.error.retryAfter, Duration.minutes(10))
      assert.strictEqual(result.elapsed, 0)
    })
  )

  it.effect.each([
    ["X-RateLimit-Reset", { "x-ratelimit-reset": "17" }, 17_000],
    ["Retry-After", { "retry-after": "23" }, 23_000],
    ["Retry-After before X-RateLimit-Reset", { "retry-after": "23", "x-ratelimit-reset": "60" }, 23_000]
  ] as const)("never repeats a 429 sooner than the service asked: %s", ([, headers, wait]) =>
    Effect.gen(function* () {
      const { times, records } = yield* read(FakeApi.make([{ status: 429, headers }, good]))
      assert.strictEqual(records, 1)
      assert.isAtLeast(times[1]!, wait)
      assert.isAtMost(times[1]!, wait + 7_000)
    })
  )

  it.effect("never repeats a 503 sooner than its Retry-After, and is not held back by the reset of the window", () =>
    Effect.gen(function* () {
      const reset = { "x-ratelimit-remaining": "5", "x-ratelimit-reset": "20" }
      const asked = yield* read(FakeApi.make([{ status: 503, headers: { ...reset, "retry-after": "30" } }, good]))
      assert.isAtLeast(asked.times[1]!, 30_000)
      const silent = yield* read(FakeApi.make([{ status: 503, headers: reset }, good]))
      assert.isBelow(silent.times[1]!, 1_000)
      const tooLong = yield* read(FakeApi.make([{ status: 503, headers: { "retry-after": "600" } }]))
      assert.deepInclude(tooLong.error, { _tag: "Unavailable", attempts: 1 } as const)
    })
  )

  it.effect("waits as long as the service asks, whatever the policy says", () =>
    Effect.gen(function* () {
      const { times } = yield* read(FakeApi.make([{ status: 429, headers: { "retry-after": "9" } }, good]), {
        client: { retry: Schedule.recurs(3) }
      })
      assert.isAtLeast(times[1]!, 9_000)
    })
  )

  it.effect("takes the policy of the client, and of a call in its place", () =>
    Effect.gen(function* () {
      const fails = { status: 500 }
      const client = { retry: Retry.make({ times: 2 }) }
      assert.strictEqual((yield* read(always(fails), { client })).requests.length, 3)
      assert.strictEqual((yield* read(always(fails), { client, call: { retry: Retry.none } })).requests.length, 1)
      const more = { retry: Retry.make({ times: 4 }) }
      assert.strictEqual((yield* read(always(fails), { client, call: more })).requests.length, 5)
    })
  )

  it.effect("restarts the retry policy for every page", () =>
    Effect.gen(function* () {
      const fails = { status: 500 }
      const script = [fails, fails, FakeApi.assets(["a"], "1"), fails, fails, FakeApi.assets(["b"])]
      const result = yield* read(FakeApi.make(script), { client: { retry: Retry.make({ times: 2 }) } })
      assert.strictEqual(result.records, 2)
    })
  )

  it.effect("works with one permit: a repetition waits for none but itself", () =>
    Effect.gen(function* () {
      const script = [{ status: 503 }, { body: ["{", FakeApi.cut] }, { status: 429 }, good]
      const result = yield* read(FakeApi.make(script), { client: { parallel: 1 } })
      assert.strictEqual(result.records, 1)
    })
  )
})
