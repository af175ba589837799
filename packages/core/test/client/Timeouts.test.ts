import { assert, describe, it } from "@effect/vitest"
import { type Client, Defaults, ReferenceData, Retry } from "@sluice/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

const pages = ReferenceData.assets()
const lines = ReferenceData.assets({ format: "json_stream" })

const read = (api: FakeApi.FakeApi, stream: typeof pages, options?: Client.Options) =>
  Stream.runCount(stream).pipe(
    Effect.result,
    Effect.provide(api.layer(options)),
    Virtual.timed,
    Effect.flatMap(({ elapsed, exit }) => Effect.map(exit, (result) => ({ elapsed, result })))
  )

const whole = JSON.stringify({ data: [FakeApi.asset("a")] })

describe("Timeouts", () => {
  it.effect.each([
    ["pages", pages, { body: whole }],
    ["json_stream", lines, { body: FakeApi.lines(["a"]) }]
  ] as const)("asks again when the first byte does not come: %s", ([, stream, reply]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([Effect.never, reply])
      const { result } = yield* read(api, stream, { firstByte: "5 seconds" })
      assert.deepInclude(result, { _tag: "Success", success: 1 } as const)
      const [, second] = yield* api.times
      assert.isAtLeast(second!, 5_000)
      assert.isAtMost(second!, 5_400)
      assert.strictEqual(yield* api.open, 0)
    })
  )

  it.effect.each([
    ["pages", pages, { body: [whole.slice(0, 9), Effect.never] }, { body: whole }],
    ["json_stream", lines, { body: [FakeApi.lines(["a"]), Effect.never] }, { body: FakeApi.lines(["a"]) }]
  ] as const)("asks again when a body stands still: %s", ([, stream, stalled, reply]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([stalled, reply])
      const { result } = yield* read(api, stream, { idle: "7 seconds" })
      assert.deepInclude(result, { _tag: "Success", success: 1 } as const)
      const [, second] = yield* api.times
      assert.isAtLeast(second!, 7_000)
      assert.isAtMost(second!, 7_400)
      assert.strictEqual(yield* api.open, 0)
    })
  )

  it.effect("waits as long as the defaults say for the first byte and between chunks, unless told otherwise", () =>
    Effect.gen(function* () {
      const retry = Retry.none
      const silent = yield* read(FakeApi.make([Effect.never]), pages, { retry })
      assert.strictEqual(silent.elapsed, Duration.toMillis(Defaults.firstByte))
      const stalled = yield* read(FakeApi.make([{ body: ["{", Effect.never] }]), pages, { retry })
      assert.strictEqual(stalled.elapsed, Duration.toMillis(Defaults.idle))
    })
  )

  it.effect("tells in the error what was waited for", () =>
    Effect.gen(function* () {
      const options = { retry: Retry.none, firstByte: "5 seconds", idle: "7 seconds" } as const
      const silent = yield* read(FakeApi.make([Effect.never]), pages, options)
      assert.strictEqual(silent.result._tag, "Failure")
      if (silent.result._tag === "Failure") {
        assert.deepInclude(silent.result.failure, { _tag: "Unavailable", phase: "reply", transient: true } as const)
        assert.include(silent.result.failure.message, "5s")
      }
      const stalled = yield* read(FakeApi.make([{ body: ["{", Effect.never] }]), pages, options)
      assert.strictEqual(stalled.result._tag, "Failure")
      if (stalled.result._tag === "Failure") {
        assert.deepInclude(stalled.result.failure, { _tag: "Unavailable", phase: "body", transient: true } as const)
        assert.include(stalled.result.failure.message, "7s")
      }
    })
  )

  it.effect("lets a body take any time while chunks go on arriving, where no least pace is set", () =>
    Effect.gen(function* () {
      const slow = Array.from(whole, (character) => [Effect.sleep("20 seconds"), character]).flat()
      const { elapsed, result } = yield* read(FakeApi.make([{ body: slow }]), pages, { minBytesPerSecond: 0 })
      assert.deepInclude(result, { _tag: "Success", success: 1 } as const)
      assert.strictEqual(elapsed, whole.length * 20_000)
    })
  )

  it.effect.each([
    ["pages", pages, whole, { body: whole }, 1],
    ["json_stream", lines, FakeApi.lines(["a", "b"]), { body: FakeApi.lines(["a", "b"]) }, 2]
  ] as const)("gives a body up that drips for a minute, and asks again: %s", ([, stream, text, reply, count]) =>
    Effect.gen(function* () {
      const drip = Array.from(text, (character) => [Effect.sleep("10 seconds"), character]).flat()
      const api = FakeApi.make([{ body: drip }, reply])
      const { result } = yield* read(api, stream)
      assert.deepInclude(result, { _tag: "Success", success: count } as const)
      const [, second] = yield* api.times
      assert.isAtLeast(second!, 60_000)
      assert.isAtMost(second!, 61_000)
      assert.strictEqual(yield* api.open, 0)
    })
  )

  it.effect("goes on with a json_stream that began to drip where it stopped, and loses and repeats no record", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 400 }, (_, index) => `asset${index}`)
      const fast = names.slice(0, 200).map((name) => FakeApi.lines([name]))
      const slow = names.slice(200).flatMap((name) => [Effect.sleep("20 seconds"), FakeApi.lines([name])])
      const api = FakeApi.make([{ body: [...fast, ...slow] }, { body: FakeApi.lines(names) }])
      const { elapsed, result } = yield* read(api, lines)
      assert.deepInclude(result, { _tag: "Success", success: 400 } as const)
      // What came at once lasts the first minute, not the second.
      assert.isAtLeast(elapsed, 120_000)
      assert.isAtMost(elapsed, 121_000)
    })
  )

  it.effect("lets a slow body take an hour, at more than the least pace, and tells when it is less", () =>
    Effect.gen(function* () {
      const blanks = Array.from({ length: 360 }, () => [Effect.sleep("10 seconds"), " ".repeat(1_300)]).flat()
      const slow = yield* read(FakeApi.make([{ body: [...blanks, whole] }]), pages, { retry: Retry.none })
      assert.deepInclude(slow.result, { _tag: "Success", success: 1 } as const)
      assert.strictEqual(slow.elapsed, 3_600_000)
      const slower = yield* read(FakeApi.make([{ body: [...blanks, whole] }]), pages, {
        retry: Retry.none,
        minBytesPerSecond: 140
      })
      assert.strictEqual(slower.elapsed, 60_000)
      assert.strictEqual(slower.result._tag, "Failure")
      if (slower.result._tag === "Failure") {
        assert.deepInclude(slower.result.failure, { _tag: "Unavailable", phase: "body", transient: true } as const)
        assert.include(slower.result.failure.message, "less than 140 bytes a second")
      }
    })
  )

  it.effect("watches over the pace without a limit for standing still", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([{ body: ["{", Effect.never] }, { body: whole }])
      const { elapsed, result } = yield* read(api, pages, { idle: "Infinity" })
      assert.deepInclude(result, { _tag: "Success", success: 1 } as const)
      assert.isAtMost(elapsed, 61_000)
    })
  )

  it.effect("does not count the time a slow consumer takes towards the pace of a body", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 15 }, (_, index) => `a${index}`)
      const body = names.flatMap((name) => [FakeApi.lines([name]), Effect.sleep("3 seconds")])
      const slow = lines.pipe(Stream.tap(() => Effect.sleep("5 minutes")))
      const { result } = yield* read(FakeApi.make([{ body }]), slow, { retry: Retry.none })
      assert.deepInclude(result, { _tag: "Success", success: 15 } as const)
    })
  )

  it.effect("does not count the time a slow consumer takes", () =>
    Effect.gen(function* () {
      const names = ["a", "b", "c"]
      const api = FakeApi.make([{ body: names.flatMap((name) => [FakeApi.lines([name]), Effect.yieldNow]) }])
      const slow = lines.pipe(Stream.tap(() => Effect.sleep("5 minutes")))
      const { result } = yield* read(api, slow, { retry: Retry.none })
      assert.deepInclude(result, { _tag: "Success", success: 3 } as const)
    })
  )

  it.effect("does not count the time a request waits for its place in the window", () =>
    Effect.gen(function* () {
      const headers = FakeApi.limits("1, 1;w=100", 0, 100)
      const api = FakeApi.make([
        { ...FakeApi.assets(["a"], "1"), headers },
        { ...FakeApi.assets(["b"]), headers }
      ])
      const { elapsed, result } = yield* read(api, pages, { retry: Retry.none, firstByte: "1 second" })
      assert.deepInclude(result, { _tag: "Success", success: 2 } as const)
      assert.isAtLeast(elapsed, 100_000)
    })
  )

  it.effect("does not wait for the body of an error longer than for any other", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([{ status: 403, body: ["{", Effect.never] }])
      const { elapsed, result } = yield* read(api, pages, { idle: "7 seconds" })
      assert.strictEqual(result._tag === "Failure" && result.failure._tag, "Forbidden")
      assert.strictEqual(elapsed, 7_000)
      assert.strictEqual(yield* api.open, 0)
    })
  )
})
