import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { inFlight, quarter, settings, until, withClient } from "./Harness.ts"
import { serve } from "./Server.ts"

const many = { concurrency: "unbounded" } as const
const month = { assets: ["btc"], metrics: ["PriceUSD"], frequency: "1m", start_time: "2024-01-01" } as const
const week = { ...month, end_time: "2024-01-07" } as const
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
})
