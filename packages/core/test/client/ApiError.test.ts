import { assert, describe, it } from "@effect/vitest"
import { ApiError, ReferenceData, Retry } from "@sluice/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Fixtures from "../Fixtures.ts"

interface Case {
  readonly name: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly expect: { readonly type: string | null; readonly message?: string | null }
}

/** Tag by (status, type). Source: docs/interface.md 7.2. */
const tagOf = (status: number, type: string | null): ApiError.ApiError["_tag"] => {
  if (status === 404 && type === "bad_parameter") return "InvalidRequest"
  const tags = {
    400: "InvalidRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    410: "Deprecated",
    414: "InvalidRequest",
    429: "RateLimited"
  } as const
  return status in tags ? tags[status as keyof typeof tags] : "Unavailable"
}

const failing = (replies: ReadonlyArray<FakeApi.Script>) =>
  ReferenceData.pairs(undefined, { retry: Retry.none }).pipe(
    Stream.runDrain,
    Effect.flip,
    Effect.provide(FakeApi.make(replies).layer())
  )

describe("ApiError", () => {
  const cases = Fixtures.read<ReadonlyArray<Case>>("errors.json")

  it.effect.each(cases.map((one) => [one.name, one] as const))("%s", ([, { status, headers, body, expect }]) =>
    Effect.gen(function* () {
      const error = yield* failing([{ status, headers, body }])
      assert.strictEqual(error._tag, tagOf(status, expect.type))
      assert.strictEqual(error.endpoint, "/reference-data/pairs")
      const trace = Object.entries(headers).find(([name]) => name.toLowerCase() === "cf-ray")?.[1]
      assert.strictEqual(error.trace, trace)
      if (trace !== undefined) assert.include(error.message, trace)
      assert.notInclude(error.message, "<")
      assert.isBelow(error.message.length, 700)
      if ("type" in error) assert.strictEqual(error.type, expect.type ?? undefined)
      if ("reason" in error) {
        if (expect.message !== null && expect.message !== undefined) assert.strictEqual(error.reason, expect.message)
        assert.notStrictEqual(error.reason.trim(), "")
      }
    })
  )

  it.effect.each([
    ["Bad parameter 'assets'. Value 'sdvwbtc' is not supported.", "assets", "sdvwbtc"],
    ["Bad parameter 'markets'. Market 'x-y-z-spot' is not supported.", "markets", "x-y-z-spot"],
    ["Bad parameter 'id'. Exchange 'mtgoxx' is not supported.", "id", "mtgoxx"],
    ["Bad parameter 'id'. Exchange-asset pair 'mtgoxx-btc' is not supported.", "id", "mtgoxx-btc"],
    ["Bad parameter 'page_size'. Must be at most 10000.", "page_size", undefined],
    ["Something nobody has seen.", undefined, undefined]
  ] as const)("reads the parameter from the service's own words: %s", ([message, parameter, value]) =>
    Effect.gen(function* () {
      const error = yield* failing([FakeApi.refusal(400, "bad_parameter", message)])
      assert.strictEqual(error._tag, "InvalidRequest")
      assert.strictEqual(error._tag === "InvalidRequest" && error.parameter, parameter)
      assert.strictEqual(error._tag === "InvalidRequest" && error.value, value)
    })
  )

  it.effect.each([
    [
      "Bad parameter 'frequency'. Value '2h' is not supported.",
      `invalid parameter "frequency": Value '2h' is not supported`
    ],
    ["Bad parameter 'frequency'.", `invalid parameter "frequency": Bad parameter 'frequency'`],
    ["Something nobody has seen.", "invalid request: Something nobody has seen"],
    ["To be continued...", "invalid request: To be continued..."]
  ] as const)("says in its message each thing once: %s", ([message, sentence]) =>
    Effect.gen(function* () {
      const error = yield* failing([FakeApi.refusal(400, "bad_parameter", message)])
      assert.strictEqual(error.message.replace(/ \(trace [^)]*\)$/, "").replace(/^\S+: /, ""), sentence)
      assert.deepInclude(error, { reason: message })
    })
  )

  it.effect.each([
    [404, "not_found", undefined, "not found at https://api.example.test/v4: no"],
    [
      404,
      "not_found",
      "https://example.com/data/",
      "not found at https://example.com/data, which does not end in /v4: no"
    ],
    [401, "wrong_credentials", undefined, "no valid key was sent to https://api.example.test/v4: no"],
    [403, "forbidden", undefined, "forbidden at https://api.example.test/v4: no"]
  ] as const)("names the root of the request: %s %s at %s", ([status, type, root, sentence]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.refusal(status, type, "no.")])
      const error = yield* ReferenceData.pairs().pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(api.layer(root === undefined ? {} : { root }))
      )
      assert.strictEqual(error.message.replace(/ \(trace [^)]*\)$/, ""), `/reference-data/pairs: ${sentence}`)
    })
  )

  it.effect(
    "tells what was refused by whom: Forbidden carries root, plan and the service's type, NotFound the type",
    () =>
      Effect.gen(function* () {
        const error = yield* failing([FakeApi.refusal(403, "forbidden", "no", FakeApi.limits("10", 9, 6, "community"))])
        assert.deepInclude(error, {
          _tag: "Forbidden",
          root: FakeApi.root,
          plan: "community",
          type: "forbidden",
          reason: "no"
        })
        const missing = yield* failing([FakeApi.refusal(404, "not_found", "Account 'x' not found.")])
        assert.deepInclude(missing, { _tag: "NotFound", type: "not_found" })
      })
  )

  it.effect("tells how long to wait: RateLimited carries plan, limit and the wait that the service asks for", () =>
    Effect.gen(function* () {
      const headers = { ...FakeApi.limits("10, 10;w=6", 0, 4, "trial"), "retry-after": "5" }
      const error = yield* failing([FakeApi.refusal(429, "rate_limit_exceeded", "slow down", headers)])
      assert.deepInclude(error, { _tag: "RateLimited", plan: "trial", limit: 10, attempts: 1 })
      assert.deepStrictEqual(error._tag === "RateLimited" && error.retryAfter, Duration.seconds(5))
    })
  )

  it.effect("cuts the text of a body that is no error object short", () =>
    Effect.gen(function* () {
      const error = yield* failing([
        { status: 502, headers: { "content-type": "text/plain" }, body: "x".repeat(100_000) }
      ])
      assert.isBelow(error.message.length, 400)
    })
  )

  it.effect("does not read an error body without end", () =>
    Effect.gen(function* () {
      let chunks = 0
      const chunk = Effect.sync(() => {
        chunks += 1
      })
      const body = Array.from({ length: 200 }, () => [chunk, "x".repeat(4_096)]).flat()
      const error = yield* failing([{ status: 500, headers: { "content-type": "text/plain" }, body }])
      assert.strictEqual(error._tag, "Unavailable")
      assert.isBelow(chunks, 20)
    })
  )

  it.effect("keeps the status as the answer when its body breaks off", () =>
    Effect.gen(function* () {
      const error = yield* failing([{ status: 403, body: ['{"error":', FakeApi.cut] }])
      assert.deepInclude(error, { _tag: "Forbidden", reason: "the service answered with status 403" })
    })
  )

  it.effect("tells errors of a call from other values, and writes them as JSON without loss", () =>
    Effect.gen(function* () {
      const headers = { ...FakeApi.limits("10, 10;w=6", 0, 4, "trial"), "cf-ray": "r" }
      const error = yield* failing([FakeApi.refusal(429, "rate_limit_exceeded", "slow down", headers)])
      assert.isTrue(ApiError.isApiError(error))
      assert.isFalse(ApiError.isApiError({ ...error }))
      const codec = Schema.toCodecJson(ApiError.ApiError)
      const text = JSON.stringify(yield* Schema.encodeEffect(codec)(error))
      const back = yield* Schema.decodeEffect(codec)(JSON.parse(text))
      assert.strictEqual(back._tag, "RateLimited")
      assert.strictEqual(back.message, error.message)
    })
  )
})
