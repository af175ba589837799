import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Client, LiveClient } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { newestValues } from "../src/live/newestValues.ts"

/** The live client over the stand-in in memory, whose first connection falls silent after five seconds. */
const client = Layer.unwrap(
  Effect.map(Sandbox.Sandbox, ({ faultUrl }) => {
    const root = faultUrl("live-silence=5000ms;times=1")
    return Layer.provideMerge(LiveClient.layer(), Client.layer({ root, apiKey: Redacted.make("demo-key") }))
  })
).pipe(Layer.provideMerge(Sandbox.layerMemory({ live: {} })))

const states = (rows: unknown) => (rows as ReadonlyArray<{ readonly state: string }>).map(({ state }) => state)

describe("the service of newest values", () => {
  it.effect(
    "is ready once each asset has a value, tells stale from live, heals, and closes its connection at the end",
    () =>
      Effect.gen(function* () {
        const service = yield* Layer.build(client)
        const { stats } = Context.get(service, Sandbox.Sandbox)
        const http = yield* HttpClient.HttpClient
        const get = Effect.fnUntraced(function* (path: string) {
          const response = yield* http.get(path)
          return { status: response.status, body: yield* response.json }
        })
        const fiber = yield* newestValues.pipe(
          Effect.provideService(LiveClient.LiveClient, Context.get(service, LiveClient.LiveClient)),
          Effect.forkChild
        )
        yield* TestClock.adjust("3 seconds")
        assert.deepStrictEqual(yield* get("/health"), { status: 200, body: { ok: true } })
        assert.deepStrictEqual(yield* get("/ready"), { status: 200, body: { waiting: [], gaps: 0 } })
        assert.deepStrictEqual(states((yield* get("/values")).body), ["live", "live"])

        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual(states((yield* get("/values")).body), ["stale", "stale"])
        assert.strictEqual((yield* get("/ready")).status, 503)
        assert.strictEqual((yield* get("/health")).status, 200)

        yield* TestClock.adjust("90 seconds")
        assert.deepStrictEqual(states((yield* get("/values")).body), ["live", "live"])
        assert.deepStrictEqual(yield* get("/ready"), { status: 200, body: { waiting: [], gaps: 0 } })

        assert.strictEqual((yield* stats).connections, 1)
        yield* Fiber.interrupt(fiber)
        // The stand-in hears of it a moment later.
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* stats).connections, 0)
      }).pipe(Effect.provide(NodeHttpServer.layerTest))
  )
})
