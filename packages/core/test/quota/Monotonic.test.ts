import { assert, describe, it } from "@effect/vitest"
import { type Client, ReferenceData, Retry } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"
import * as WallClock from "../WallClock.ts"

const hour = 3_600_000

/** A wall clock that can be set while the test clock goes on. */
const makeWall = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  let offset = 0
  const wall = WallClock.at(clock, () => clock.currentTimeMillisUnsafe() + offset)
  const set = (by: number) =>
    Effect.sync(() => {
      offset += by
    })
  return { wall, set }
})

type Set = Effect.Success<typeof makeWall>["set"]

/** Reads a list of a service that sets the wall clock, and tells the outcome and the time it took. */
const read = (
  service: (set: Set) => FakeApi.FakeApi,
  { format, ...options }: Client.Options & { readonly format?: "json_stream" } = {}
) =>
  Effect.gen(function* () {
    const { elapsed, exit } = yield* Effect.gen(function* () {
      const { set, wall } = yield* makeWall
      const api = service(set)
      const call = format === undefined ? ReferenceData.assets() : ReferenceData.assets({ format })
      const result = yield* Stream.runCount(call).pipe(
        Effect.result,
        Effect.provide(api.layer(options)),
        Effect.provideService(Clock.Clock, wall)
      )
      return { result, requests: (yield* api.requests).length }
    }).pipe(Virtual.timed)
    return { elapsed, ...(yield* exit) }
  })

describe.each([
  ["back", -hour],
  ["forward", hour]
] as const)("A wall clock that is set %s by an hour", (_, by) => {
  const failing = (set: Set) => FakeApi.serve(() => Effect.as(set(by), { status: 500 }))

  it.effect("delays no request that waits for the window", () =>
    Effect.gen(function* () {
      let nth = 0
      const headers = { "x-ratelimit-limit": "10, 10;w=6", "x-ratelimit-plan": "trial" }
      const service = (set: Set) =>
        FakeApi.serve(() => {
          nth += 1
          const page = { ...FakeApi.assets(["a"], nth < 40 ? `${nth}` : undefined), headers }
          return Effect.as(nth === 15 ? set(by) : Effect.void, page)
        })
      const { elapsed, requests } = yield* read(service)
      assert.strictEqual(requests, 40)
      assert.isAtLeast(elapsed, 18_000)
      assert.isAtMost(elapsed, 18_300)
    })
  )

  it.effect("changes nothing about the wait that a 429 asks for", () =>
    Effect.gen(function* () {
      const refused = { status: 429, headers: { "retry-after": "9" } }
      const service = (set: Set) => FakeApi.make([Effect.as(set(by), refused), FakeApi.assets(["a"])])
      const { elapsed } = yield* read(service)
      assert.isAtLeast(elapsed, 9_000)
      assert.isAtMost(elapsed, 9_100)
    })
  )

  it.effect.each([[undefined], ["json_stream"]] as const)(
    "changes nothing about when a body stands still: %s",
    ([format]) =>
      Effect.gen(function* () {
        const text = format === undefined ? JSON.stringify({ data: [FakeApi.asset("a")] }) : FakeApi.lines(["a"])
        const body = (set: Set) => [text.slice(0, 3), Effect.sleep(10), text.slice(3, 5), set(by), Effect.never]
        const service = (set: Set) => FakeApi.make([{ body: body(set) }, { body: text }])
        const { elapsed, result } = yield* read(service, { idle: "7 seconds", ...(format && { format }) })
        assert.deepInclude(result, { _tag: "Success", success: 1 } as const)
        assert.isAtLeast(elapsed, 7_000)
        assert.isAtMost(elapsed, 7_400)
      })
  )

  it.effect("changes nothing about the time that a retry policy has", () =>
    Effect.gen(function* () {
      const retry = Retry.make({ times: 1_000, within: "1 minute", base: "10 seconds", cap: "10 seconds" })
      const { elapsed, requests, result } = yield* read(failing, { retry })
      assert.strictEqual(result._tag, "Failure")
      assert.isAtLeast(requests, 5)
      assert.isAtMost(elapsed, 60_000)
    })
  )
})
