import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import { TestClock } from "effect/testing"
import { address, fetch, get, refused } from "./Harness.ts"

const path = "/reference-data/assets?assets=btc"
const trial = { key: "sandbox-trial" }

const limits = (answer: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
  ["plan", "limit", "remaining", "reset"].map((name) => answer.headers[`x-ratelimit-${name}`])

const first = (rateLimitHeaders: "plain" | "none" | "malformed") =>
  Effect.map(get(path), limits).pipe(Effect.provide(Sandbox.layerMemory({ dialect: { rateLimitHeaders } })))

describe("Rate limit", () => {
  it.effect("lets ten requests through within six seconds, and one more for each that slides out", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 9; n++) {
        assert.deepStrictEqual(limits(yield* get(path, trial)), ["trial", "10, 10;w=6", String(9 - n), "6"])
      }
      yield* TestClock.adjust("2500 millis")
      assert.deepStrictEqual(limits(yield* get(path, trial)), ["trial", "10, 10;w=6", "0", "4"])
      const eleventh = yield* get(path, trial)
      refused(eleventh, 429, "rate_limit_exceeded")
      assert.deepStrictEqual(limits(eleventh), ["trial", "10, 10;w=6", "0", "4"])
      assert.match(eleventh.headers["cf-ray"] ?? "", /^[0-9a-f]{16}-[A-Z]{3}$/)
      assert.isUndefined(eleventh.headers["retry-after"])
      yield* TestClock.adjust("3499 millis")
      assert.strictEqual((yield* get(path, trial)).status, 429)
      yield* TestClock.adjust("1 millis")
      // Nine have slid out, the tenth has not: a fixed bucket would have room for ten.
      for (let n = 0; n < 9; n++) assert.strictEqual((yield* get(path, trial)).status, 200)
      assert.strictEqual((yield* get(path, trial)).status, 429)
      const { stats } = yield* Sandbox.Sandbox
      assert.strictEqual((yield* stats).rejected, 3)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("counts rejected requests towards the window on request", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) yield* get(path, trial)
      yield* TestClock.adjust("5 seconds")
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* get(path, trial)).status, 429)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual((yield* get(path, trial)).status, 429)
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* get(path, trial)).status, 200)
    }).pipe(Effect.provide(Sandbox.layerMemory({ dialect: { countRejected: "yes" } })))
  )

  it.effect("holds each key to its own window, and the community root to the address", () =>
    Effect.gen(function* () {
      const { communityUrl } = yield* Sandbox.Sandbox
      for (let n = 0; n < 10; n++) yield* get(path, trial)
      assert.deepStrictEqual(limits(yield* get(path, { key: "sandbox-default" })), [
        "default",
        "6000, 6000;w=20",
        "5999",
        "20"
      ])
      assert.deepStrictEqual(limits(yield* get(path, { key: "sandbox-download" }))[0], "download")
      assert.deepStrictEqual(limits(yield* get(path))[0], "trial")
      for (let n = 0; n < 10; n++) {
        // The key is ignored there.
        const answer = yield* n % 2 === 0 ? fetch(`${communityUrl}${path}`) : get(path, { root: communityUrl })
        assert.deepStrictEqual(limits(answer), ["community", "10, 10;w=6", String(9 - n), "6"])
      }
      assert.strictEqual((yield* fetch(`${communityUrl}${path}`)).status, 429)
    }).pipe(Effect.provide(Sandbox.layerMemory({ plan: "trial" })))
  )

  it.effect("sends the headers in the form that was asked for", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* first("plain"), ["download", "6000", "5999", "20"])
      assert.deepStrictEqual(yield* first("none"), [undefined, undefined, undefined, undefined])
      assert.deepStrictEqual(yield* first("malformed"), ["download", "many;;w=", "-?", "soon"])
    })
  )

  it.effect("adds Retry-After and an HTML body on request", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) yield* get(path, trial)
      const answer = yield* get(path, trial)
      assert.strictEqual(answer.status, 429)
      assert.strictEqual(answer.headers["retry-after"], "6")
      assert.strictEqual(answer.headers["content-type"], "text/html")
      assert.include(answer.text, "<html>")
    }).pipe(Effect.provide(Sandbox.layerMemory({ dialect: { retryAfter: "yes", rejectedBody: "html" } })))
  )

  it.effect("runs ten requests of a key at once; the eleventh waits, another key does not", () =>
    Effect.gen(function* () {
      const { stats } = yield* Sandbox.Sandbox
      const fibers = yield* Effect.forEach(Array.from({ length: 11 }), () => Effect.forkChild(get(path)))
      const other = yield* Effect.forkChild(get(path, { key: "sandbox-default" }))
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(fibers.filter((fiber) => fiber.pollUnsafe() !== undefined).length, 10)
      assert.strictEqual((yield* Fiber.join(other)).status, 200)
      assert.deepStrictEqual(fibers[10]?.pollUnsafe(), undefined)
      assert.strictEqual((yield* stats).running, 1)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual((yield* Fiber.join(fibers[10]!)).status, 200)
      assert.strictEqual((yield* stats).running, 0)
      assert.strictEqual((yield* stats).peak, 11)
    }).pipe(Effect.provide(Sandbox.layerMemory({ latency: "1 seconds" })))
  )

  it.effect("gives the place of an unread body to the next when its scope closes", () =>
    Effect.gen(function* () {
      const { stats } = yield* Sandbox.Sandbox
      const client = HttpClient.withScope(yield* HttpClient.HttpClient)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* client.get(yield* address("/reference-data/assets?format=json_stream"))
          assert.strictEqual((yield* stats).running, 1)
        })
      )
      yield* Effect.yieldNow
      assert.strictEqual((yield* stats).running, 0)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("gives the place of an interrupted request to the next", () =>
    Effect.gen(function* () {
      const { faultUrl, stats } = yield* Sandbox.Sandbox
      const root = faultUrl("stall")
      const stalled = yield* Effect.forEach(Array.from({ length: 10 }), () => Effect.forkChild(get(path, { root })))
      const waiting = yield* Effect.forkChild(get(path))
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(waiting.pollUnsafe())
      assert.strictEqual((yield* stats).running, 10)
      yield* Fiber.interrupt(stalled[3]!)
      assert.strictEqual((yield* Fiber.join(waiting)).status, 200)
      yield* Fiber.interruptAll(stalled)
      assert.strictEqual((yield* stats).running, 0)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})
