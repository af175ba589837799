import { assert, describe, it } from "@effect/vitest"
import { ReferenceData } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { inFlight, settings, until } from "./Harness.ts"
import { pagesOf, type Server, serve } from "./Server.ts"

const client = (server: Server, options: NodeClient.Options = {}) =>
  NodeClient.layer({ root: server.url, ...settings, ...options })

/** A body that begins and never ends: one record, then nothing. */
const endless = serve((request, response) => {
  const isStream = request.url?.includes("json_stream") === true
  response.writeHead(200, { "content-type": "application/json" })
  response.write(isStream ? '{"asset":"btc","full_name":"Bitcoin"}\n' : '{"data":[')
})

const lines = ReferenceData.assets({ format: "json_stream" })

describe("the socket closes at once", () => {
  it.live("when the consumer stops reading a json_stream", () =>
    Effect.gen(function* () {
      const server = yield* endless
      yield* Effect.gen(function* () {
        const taken = yield* lines.pipe(Stream.take(1), Stream.runCollect)
        assert.deepStrictEqual(
          taken.map(({ asset }) => asset),
          ["btc"]
        )
        yield* Queue.take(server.closed)
        assert.strictEqual(yield* server.open, 0)
        assert.strictEqual(yield* inFlight, 0)
      }).pipe(Effect.provide(client(server)))
    })
  )

  for (const [name, source] of Object.entries({ page: ReferenceData.assets(), json_stream: lines })) {
    it.live(`when the fiber that reads a ${name} is interrupted`, () =>
      Effect.gen(function* () {
        const server = yield* endless
        yield* Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Stream.runDrain(source))
          yield* until(Effect.sync(server.accepted), (accepted) => accepted === 1)
          yield* until(inFlight, (running) => running === 1)
          yield* Fiber.interrupt(fiber)
          yield* Queue.take(server.closed)
          assert.strictEqual(yield* inFlight, 0)
        }).pipe(Effect.provide(client(server)))
      })
    )
  }

  it.live("when no reply comes within the time for the first byte", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => {})
      const error = yield* Effect.flip(Stream.runDrain(lines)).pipe(
        Effect.tap(() => Effect.all([Queue.take(server.closed), Queue.take(server.closed), Queue.take(server.closed)])),
        Effect.provide(client(server, { firstByte: "50 millis" }))
      )
      assert.deepInclude(error, { _tag: "Unavailable", phase: "reply", attempts: 3 })
      assert.strictEqual(server.requests.length, 3)
    })
  )
})

describe("keep-alive", () => {
  it.live("pages one after the other share one connection", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(8))
      const records = yield* Stream.runCollect(ReferenceData.assets()).pipe(Effect.provide(client(server)))
      assert.strictEqual(records.length, 8)
      assert.strictEqual(server.requests.length, 8)
      assert.strictEqual(server.accepted(), 1)
    })
  )

  it.live("streams one after the other share one too, in either format, with or without gzip", () =>
    Effect.gen(function* () {
      const server = yield* serve((request, response) => {
        const isStream = request.url?.includes("json_stream") === true
        response.writeHead(200, { "x-ratelimit-limit": "6000, 6000;w=20" })
        response.end(isStream ? '{"asset":"btc","full_name":"Bitcoin"}\n' : '{"data":[]}')
      })
      yield* Effect.gen(function* () {
        yield* Stream.runDrain(lines)
        yield* Stream.runDrain(ReferenceData.assets())
        yield* Stream.runDrain(lines)
      }).pipe(Effect.provide(client(server)))
      assert.strictEqual(server.accepted(), 1)
    })
  )

  it.live("an error reply leaves its connection to the next attempt", () =>
    Effect.gen(function* () {
      let count = 0
      const server = yield* serve((request, response) => {
        if (count++ > 1) return pagesOf(1)(request, response)
        response.writeHead(503, { "content-type": "text/html" }).end("<html>Service Temporarily Unavailable</html>")
      })
      yield* Stream.runDrain(ReferenceData.assets()).pipe(Effect.provide(client(server)))
      assert.deepStrictEqual([server.requests.length, server.accepted()], [3, 1])
    })
  )

  it.live("forty streams at once open no more than ten connections", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(3))
      yield* Effect.gen(function* () {
        yield* Stream.runDrain(ReferenceData.assets())
        yield* Effect.forEach(Array.from({ length: 40 }), () => Stream.runDrain(ReferenceData.assets()), {
          concurrency: "unbounded",
          discard: true
        })
      }).pipe(Effect.provide(client(server)))
      assert.strictEqual(server.requests.length, 41 * 3)
      assert.isAtMost(server.accepted(), 10)
    })
  )
})

describe("closing the layer's scope", () => {
  it.live("leaves no connection open", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(2))
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(client(server), scope)
      yield* Stream.runDrain(ReferenceData.assets()).pipe(Effect.provideContext(context))
      assert.strictEqual(yield* server.open, 1)
      yield* Scope.close(scope, Exit.void)
      yield* until(server.open, (open) => open === 0)
    })
  )

  it.live("each client has connections of its own", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(1))
      const read = Stream.runDrain(ReferenceData.assets())
      yield* Effect.provide(read, client(server))
      yield* Effect.provide(read, client(server))
      assert.strictEqual(server.accepted(), 2)
      yield* until(server.open, (open) => open === 0)
    })
  )
})
