import { assert, describe, it } from "@effect/vitest"
import { type ApiError, ReferenceData, Retry } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:net"
import * as FreePort from "./FreePort.ts"
import { fast, settings, until } from "./Harness.ts"
import { pagesOf, serve } from "./Server.ts"

const read = (root: string, options: NodeClient.Options = {}) =>
  Effect.flip(Stream.runDrain(ReferenceData.assets())).pipe(
    Effect.provide(NodeClient.layer({ root, ...settings, ...options }))
  )

/** A port that answers every connection with these bytes, hangs up, or keeps silent. */
const rawPort = (reply: string | undefined) =>
  Effect.gen(function* () {
    let accepted = 0
    const server = createServer((socket) => {
      accepted += 1
      socket.on("error", () => {})
      socket.once("data", () => {
        if (reply === undefined) socket.destroy()
        else if (reply !== "silence") socket.end(reply)
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () => Effect.sync(() => server.close())
    )
    const address = server.address()
    return { port: typeof address === "object" && address !== null ? address.port : 0, accepted: () => accepted }
  })

/** What every error must be, whatever happened below it. */
const assertPlain = (error: ApiError.ApiError) => {
  assert.strictEqual(error._tag, "Unavailable")
  assert.notInclude(error.message, "\n")
  assert.notMatch(error.message, /\bat .*:\d+|node:|undici|demo-key|\?/)
  assert.isBelow(error.message.length, 200)
}

const fieldsOf = (error: ApiError.ApiError) =>
  error._tag === "Unavailable" ? [error.phase, error.transient, error.attempts, error.status] : [error._tag]

describe("a service that cannot be reached", () => {
  it.live("a refused port is retried as often as the policy allows", () =>
    Effect.gen(function* () {
      const error = yield* read(`http://127.0.0.1:${yield* FreePort.find}/v4`)
      assertPlain(error)
      assert.deepStrictEqual(fieldsOf(error), ["connect", true, 3, undefined])
      assert.include(error.message, "the host refused the connection")
    })
  )

  it.live("a refused port is told in a warning before the wait, and once for an outage", () =>
    Effect.gen(function* () {
      const port = yield* FreePort.find
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ logLevel, message }) => said.push(`${logLevel} ${message}`))])
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => createHttpServer(pagesOf(1))),
        (server) => Effect.sync(() => server.close())
      )
      const warning = `Warn No connection to 127.0.0.1:${port}: the host refused the connection`
      const client = (retry: Retry.Policy) =>
        NodeClient.layer({ root: `http://127.0.0.1:${port}/v4`, ...settings, retry })
      // The attempt after a wait that never ends is not made, so nothing but the first can have told.
      const waiting = yield* Stream.runDrain(ReferenceData.assets()).pipe(
        Effect.provide(client(Retry.make({ base: "1 hour", cap: "1 hour", within: "1 day" }))),
        Effect.provide(logger),
        Effect.forkChild
      )
      while (said.length === 0) yield* Effect.sleep("5 millis")
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(said[0], warning)
      said.length = 0
      // The error of the only attempt says the same, so there is no warning.
      const alone = Effect.flip(Stream.runDrain(ReferenceData.assets()))
      const { message } = yield* alone.pipe(Effect.provide(client(Retry.none)), Effect.provide(logger))
      assert.include(message, "the host refused the connection")
      assert.deepStrictEqual(said, [])
      yield* Effect.gen(function* () {
        const both = Effect.all([Stream.runDrain(ReferenceData.assets()), Stream.runDrain(ReferenceData.pairs())], {
          concurrency: 2
        })
        yield* Effect.flip(both)
        assert.deepStrictEqual(said, [warning])
        yield* Effect.callback<void>((resume) => {
          server.listen(port, "127.0.0.1", () => resume(Effect.void))
        })
        yield* Stream.runDrain(ReferenceData.assets())
      }).pipe(Effect.provide(client(fast)), Effect.provide(logger))
      assert.deepStrictEqual(said, [warning])
    })
  )

  it.live("an unknown host is not retried", () =>
    Effect.gen(function* () {
      const error = yield* read("http://no-such-host.invalid/v4")
      assertPlain(error)
      // Without a network the resolver itself may be out of reach, and that may pass.
      if (!error.message.includes("could not be looked up")) {
        assert.deepStrictEqual(fieldsOf(error), ["connect", false, 1, undefined])
        assert.include(error.message, "the host name is not known")
      }
    })
  )

  it.live("a connection that is never completed ends with the connect timeout", () =>
    Effect.gen(function* () {
      // Accepts, and then stays silent in the middle of the TLS handshake, which belongs to connecting.
      const { accepted, port } = yield* rawPort("silence")
      const error = yield* read(`https://127.0.0.1:${port}/v4`, { connect: "20 millis", retry: Retry.none })
      assertPlain(error)
      assert.deepStrictEqual(fieldsOf(error), ["connect", true, 1, undefined])
      assert.include(error.message, "no connection within the connect timeout")
      yield* until(Effect.sync(accepted), (count) => count === 1)
    })
  )

  it.live("TLS to a port that speaks plain HTTP", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(1))
      const error = yield* read(`https://127.0.0.1:${server.port}/v4`)
      assertPlain(error)
      assert.deepStrictEqual(fieldsOf(error), ["connect", false, 1, undefined])
      assert.include(error.message, "the host does not speak TLS as expected")
    })
  )

  it.live("a port that speaks no HTTP", () =>
    Effect.gen(function* () {
      const { accepted, port } = yield* rawPort("SSH-2.0-OpenSSH_9.6\r\n\r\n")
      const error = yield* read(`http://127.0.0.1:${port}/v4`)
      assertPlain(error)
      assert.isAtLeast(accepted(), 1)
    })
  )

  it.live("a port that hangs up", () =>
    Effect.gen(function* () {
      const { accepted, port } = yield* rawPort(undefined)
      const error = yield* read(`http://127.0.0.1:${port}/v4`)
      assertPlain(error)
      assert.deepStrictEqual(fieldsOf(error).slice(1), [true, 3, undefined])
      assert.strictEqual(accepted(), 3)
    })
  )

  const page = '{"data":[{"asset":"btc"}]}'
  const lengths = {
    "longer than the body": `content-length: ${page.length + 10}\r\n\r\n${page}`,
    "shorter than the body": `content-length: 5\r\n\r\n${page}`,
    "no number": `content-length: abc\r\n\r\n${page}`,
    negative: `content-length: -5\r\n\r\n${page}`,
    "given twice": `content-length: 5\r\ncontent-length: 6\r\n\r\n${page}`,
    "given beside chunks": `content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${page.length.toString(16)}\r\n${page}\r\n0\r\n\r\n`
  }
  it.live.each(Object.entries(lengths))(
    "a content-length that is %s is a fault of the reply, not of the connection",
    ([, rest]) =>
      Effect.gen(function* () {
        const { port } = yield* rawPort(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}`)
        const error = yield* read(`http://127.0.0.1:${port}/v4`)
        assertPlain(error)
        const [phase, transient] = fieldsOf(error)
        assert.notStrictEqual(phase, "connect")
        assert.strictEqual(transient, true)
        assert.notInclude(error.message, "connection failed")
      })
  )

  it.live("headers beyond the limit", () =>
    Effect.gen(function* () {
      const { port } = yield* rawPort(`HTTP/1.1 200 OK\r\nx-long: ${"x".repeat(200_000)}\r\n\r\n`)
      const error = yield* read(`http://127.0.0.1:${port}/v4`)
      assertPlain(error)
      assert.deepStrictEqual(fieldsOf(error).slice(1), [false, 1, undefined])
    })
  )

  it.live("a body shorter than its length says, and then the end", () =>
    Effect.gen(function* () {
      const body = '{"data":[]}'
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length + 100}\r\n\r\n`
      const { accepted, port } = yield* rawPort(head + body)
      const error = yield* read(`http://127.0.0.1:${port}/v4`)
      assertPlain(error)
      assert.deepStrictEqual(fieldsOf(error), ["body", true, 3, undefined])
      assert.strictEqual(accepted(), 3)
    })
  )

  it.live("a chunked json_stream without its last chunk is not taken for complete", () =>
    Effect.gen(function* () {
      const line = '{"asset":"btc"}\n'
      const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
      const { accepted, port } = yield* rawPort(`${head}${line.length.toString(16)}\r\n${line}\r\n`)
      const records: Array<string> = []
      const error = yield* ReferenceData.assets({ format: "json_stream" }).pipe(
        Stream.runForEach(({ asset }) => Effect.sync(() => records.push(asset))),
        Effect.flip,
        Effect.provide(NodeClient.layer({ root: `http://127.0.0.1:${port}/v4`, ...settings }))
      )
      assertPlain(error)
      assert.deepStrictEqual(fieldsOf(error), ["body", true, 3, undefined])
      assert.deepStrictEqual(records, ["btc"])
      assert.strictEqual(accepted(), 3)
    })
  )

  it.live("a program that does not handle it prints one sentence before the trace of its own code", () =>
    Effect.gen(function* () {
      const root = `http://127.0.0.1:${yield* FreePort.find}/v4`
      const exit = yield* Effect.exit(
        Stream.runDrain(ReferenceData.assets()).pipe(
          Effect.provide(NodeClient.layer({ root, apiKey: settings.apiKey, retry: fast }))
        )
      )
      assert.isTrue(Exit.isFailure(exit))
      if (!Exit.isFailure(exit)) return
      const [sentence] = Cause.pretty(exit.cause).split("\n")
      assert.include(
        sentence,
        "/reference-data/assets: unavailable (connect): the host refused the connection; tried 3 times"
      )
      assert.strictEqual(exit.cause.reasons.length, 1)
    })
  )
})
