import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { large, outcome, settings, summary, until, withClient } from "./Harness.ts"
import { json, pagesOf, type Server, serve } from "./Server.ts"

const client = (server: Server, options: NodeClient.Options = {}) =>
  NodeClient.layer({ root: server.url, ...settings, ...options })

const assets = outcome(ReferenceData.assets())
const lines = outcome(ReferenceData.assets({ format: "json_stream" }))

describe("a slow reader", () => {
  it.live("slows the service down instead of filling the memory", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const year = { ...large, end_time: "2024-12-31", format: "json_stream" } as const
      const began = yield* Deferred.make<void>()
      const fiber = yield* Timeseries.assetMetrics(year).pipe(
        Stream.runForEach(() => Effect.andThen(Deferred.succeed(began, undefined), Effect.never)),
        (program) => withClient(program, { gzip: false }),
        Effect.forkChild
      )
      yield* Deferred.await(began)
      // Written so far, once nothing more is written between two looks.
      let before = -1
      const { records } = yield* until(Effect.delay(sandbox.stats, "100 millis"), ({ records }) => {
        const isStill = records === before
        before = records
        return isStill
      })
      yield* Fiber.interrupt(fiber)
      assert.isAtLeast(records, 1)
      assert.isBelow(records, 500_000)
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})

describe("an unusual server", () => {
  it.live("closes the connection after every reply: pages are complete all the same", () =>
    Effect.gen(function* () {
      const server = yield* serve((request, response) => {
        response.setHeader("connection", "close")
        pagesOf(5)(request, response)
      })
      const { error, records } = yield* assets.pipe(Effect.provide(client(server)))
      assert.deepStrictEqual([records.length, error], [5, undefined])
      assert.deepStrictEqual([server.requests.length, server.accepted()], [5, 5])
    })
  )

  it.live("closes an idle connection: the next page is requested over another", () =>
    Effect.gen(function* () {
      const server = yield* serve((request, response) => {
        pagesOf(5)(request, response)
        response.once("finish", () => setImmediate(() => response.socket?.destroy()))
      })
      const { error, records } = yield* assets.pipe(Effect.provide(client(server)))
      assert.deepStrictEqual([records.length, error], [5, undefined])
    })
  )

  it.live("sends an error page without end: the status is enough, and the socket is closed", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => {
        response.writeHead(403, { "content-type": "text/html" })
        const more = () => {
          while (!response.destroyed && response.write("<p>no</p>".repeat(2000))) continue
        }
        response.on("drain", more)
        more()
      })
      yield* Effect.gen(function* () {
        const { error } = yield* assets
        assert.deepStrictEqual(error?._tag, "Forbidden")
        yield* Queue.take(server.closed)
      }).pipe(Effect.provide(client(server)))
      assert.strictEqual(server.requests.length, 1)
    })
  )

  it.live("sends one byte at a time", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ url }, response) => {
        const row = '{"asset":"btc","full_name":"Ξ→₿ 🌊"}'
        const bytes = Buffer.from(
          url?.includes("json_stream") === true ? `${row}\r\n\r\n${row}\n` : `{"data":[${row},${row}]}`
        )
        response.writeHead(200, { "content-type": "application/json" })
        const next = (at: number): void => {
          if (at === bytes.length) response.end()
          else response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1))
        }
        next(0)
      })
      for (const read of [assets, lines]) {
        const result = yield* read.pipe(Effect.provide(client(server)))
        const record = { asset: "btc", full_name: "Ξ→₿ 🌊" }
        assert.deepStrictEqual(result, { records: [record, record], error: undefined })
      }
    })
  )

  it.live("answers JSON with a byte order mark, or with spaces around it", () =>
    Effect.gen(function* () {
      for (const body of ['\u{feff}{"data":[{"asset":"btc"}]}', '\r\n {"data":[{"asset":"btc"}]} \r\n']) {
        const server = yield* serve((_, response) => void response.end(body))
        const { error, records } = yield* assets.pipe(Effect.provide(client(server)))
        assert.deepStrictEqual([summary(error), records.length], [undefined, 1])
      }
    })
  )

  it.live("gets requests for JSON, with keep-alive, and without headers about the program", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => json(response, { data: [] }))
      yield* assets.pipe(Effect.withSpan("program"), Effect.provide(client(server)))
      assert.deepStrictEqual(Struct.omit(server.requests[0]?.headers ?? {}, ["user-agent"]), {
        host: `127.0.0.1:${server.port}`,
        connection: "keep-alive",
        accept: "application/json",
        "accept-encoding": "gzip"
      })
    })
  )
})
