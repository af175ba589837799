import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { inFlight, large, settings, streamed, underFault, until, withClient } from "./Harness.ts"
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

  it.live("when the consumer fails", () =>
    Effect.gen(function* () {
      const server = yield* endless
      yield* Effect.gen(function* () {
        const error = yield* Effect.flip(Stream.runForEach(lines, () => Effect.fail("enough" as const)))
        assert.strictEqual(error, "enough")
        yield* Queue.take(server.closed)
      }).pipe(Effect.provide(client(server)))
    })
  )

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

  it.live("when a request is interrupted that the service has not begun to answer", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const fiber = yield* underFault("stall", Stream.runDrain(streamed)).pipe(Effect.forkChild)
      yield* until(sandbox.stats, (stats) => stats.running === 1)
      yield* Fiber.interrupt(fiber)
      yield* until(sandbox.stats, (stats) => stats.running === 0)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("when the consumer stops a large download after its first records", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* Effect.gen(function* () {
        const taken = yield* Timeseries.assetMetrics({ ...large, format: "json_stream" }).pipe(
          Stream.take(3),
          Stream.runCollect
        )
        assert.strictEqual(taken.length, 3)
        const { records, requests } = yield* until(sandbox.stats, (stats) => stats.running === 0)
        assert.strictEqual(requests, 1)
        assert.isBelow(records, 60_000)
      }).pipe(withClient)
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})

describe("a page that nobody pulls is never requested", () => {
  it.live("Stream.take of one page sends one request", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(5))
      yield* ReferenceData.assets().pipe(Stream.take(1), Stream.runDrain, Effect.provide(client(server)))
      assert.strictEqual(server.requests.length, 1)
    })
  )

  it.live("building a stream sends nothing", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(5))
      const built = ReferenceData.assets()
      assert.strictEqual(server.requests.length, 0)
      yield* Stream.runDrain(built).pipe(Effect.provide(client(server)))
      assert.strictEqual(server.requests.length, 5)
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

  it.live("a smaller limit of parallel requests is a smaller number of connections", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(3))
      yield* Effect.forEach(Array.from({ length: 3 }), () => Stream.runDrain(ReferenceData.assets()), {
        concurrency: "unbounded",
        discard: true
      }).pipe(Effect.provide(client(server, { parallel: 2 })))
      assert.isAtMost(server.accepted(), 2)
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

  it.live("does not wait for a stalled download after its fiber was interrupted", () =>
    Effect.gen(function* () {
      const server = yield* endless
      const began = yield* Deferred.make<void>()
      const fiber = yield* lines.pipe(
        Stream.runForEach(() => Deferred.succeed(began, undefined)),
        Effect.provide(client(server)),
        Effect.forkChild
      )
      yield* Deferred.await(began)
      yield* Fiber.interrupt(fiber)
      yield* until(server.open, (open) => open === 0)
      assert.strictEqual(server.accepted(), 1)
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

describe("the quota follows the socket", () => {
  it.live("a permit is held until the body has ended", () =>
    Effect.gen(function* () {
      const server = yield* endless
      yield* Effect.gen(function* () {
        const began = yield* Deferred.make<void>()
        const fiber = yield* lines.pipe(
          Stream.runForEach(() => Deferred.succeed(began, undefined)),
          Effect.forkChild
        )
        yield* Deferred.await(began)
        const during = yield* Client.quota
        yield* Fiber.interrupt(fiber)
        const after = yield* Client.quota
        assert.deepStrictEqual([during.inFlight, after.inFlight, after.sent], [1, 0, 1])
      }).pipe(Effect.provide(client(server)))
    })
  )
})
