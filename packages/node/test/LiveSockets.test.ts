import { type WebSocket, WebSocketServer } from "@effect/platform-node/NodeWS"
import { assert, describe, it } from "@effect/vitest"
import { Live, LiveClient, type LiveMessage, Retry } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { inspect } from "node:util"
import { until } from "./Harness.ts"
import { listen } from "./ProxyServer.ts"

const markets = "coinbase-btc-usd-spot"

const sandbox = Sandbox.layer()

const trades = Live.marketTrades({ markets })

const client = (root: string, options: NodeLive.Options = {}, key = "demo-key") =>
  NodeLive.layer({ root, apiKey: Redacted.make(key), retry: Retry.none, live: options })

/**
 * A service that sends so many frames of a kilobyte as fast as they are read, and tells how many it has sent. `ahead` waits until it has
 * sent a thousand more, or no more come.
 */
const fast = (total: number) =>
  Effect.gen(function* () {
    let sent = 0
    let isClosed = false
    const padding = "x".repeat(900)
    const frame = (index: number) =>
      JSON.stringify({
        market: markets,
        time: "2026-01-01T00:00:00.000000000Z",
        coin_metrics_id: String(index),
        amount: "1",
        price: "2",
        collect_time: "2026-01-01T00:00:00.000000000Z",
        side: "buy",
        cm_sequence_id: String(index),
        padding
      })
    const feed = (socket: WebSocket) => {
      isClosed = socket.readyState !== 1
      if (isClosed) return
      while (sent < total && socket.bufferedAmount < 65_536) socket.send(frame(sent++))
      if (sent < total) setTimeout(() => feed(socket), 1)
    }
    const { port } = yield* listen(() => {
      const server = createServer()
      new WebSocketServer({ server }).on("connection", feed)
      return server
    })
    const ahead = Effect.suspend(() => {
      const enough = Math.min(sent + 1_000, total)
      return until(
        Effect.sync(() => isClosed || sent >= enough),
        (isSo) => isSo
      )
    })
    return { root: `http://127.0.0.1:${port}/v4`, sent: Effect.sync(() => sent), ahead }
  })

const [capacity, maxBufferedBytes] = [100, 100_000]

/** What RFC 6455 appends to the key of a handshake. */
const accepting = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

const idOf = (message: LiveMessage.LiveMessage<Live.LiveMarketTrade>) =>
  message._tag === "Data" ? [Number(message.record.coin_metrics_id)] : []

describe("The socket of a live stream", () => {
  it.live("is closed when its reader is interrupted, and a service that never answers the end does not hold it", () =>
    Effect.gen(function* () {
      const { stats, url } = yield* Sandbox.Sandbox
      const fiber = yield* Effect.forkChild(Effect.provide(Stream.runDrain(trades), client(url)))
      yield* until(stats, ({ connections }) => connections === 1)
      yield* Fiber.interrupt(fiber)
      yield* until(stats, ({ connections }) => connections === 0)

      const [opened, closed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { port } = yield* listen(() =>
        createServer().on("upgrade", ({ headers }, socket) => {
          const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${accepting}`).digest("base64")
          const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
          socket.write(`${head.join("\r\n")}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
          socket.on("error", () => {}).resume()
          socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
          Deferred.doneUnsafe(opened, Effect.void)
        })
      )
      const deaf = yield* Effect.forkChild(
        Effect.provide(Stream.runDrain(trades), client(`http://127.0.0.1:${port}/v4`))
      )
      yield* Deferred.await(opened)
      yield* Fiber.interrupt(deaf)
      yield* Deferred.await(closed)
    }).pipe(Effect.provide(sandbox))
  )

  it.live("leaves nothing behind when two hundred are open at once and closed", () =>
    Effect.gen(function* () {
      const { stats, url } = yield* Sandbox.Sandbox
      yield* Effect.gen(function* () {
        const { connections } = yield* LiveClient.LiveClient
        const all = Array.from({ length: 200 }, () => Stream.runDrain(trades))
        const fiber = yield* Effect.forkChild(Effect.all(all, { concurrency: "unbounded" }))
        const open = until(stats, (seen) => seen.connections === 200)
        // A stream that fails would be waited for until the test is given up.
        yield* Effect.raceFirst(open, Fiber.join(fiber))
        assert.strictEqual(yield* connections, 200)
        yield* Fiber.interrupt(fiber)
        yield* until(stats, (seen) => seen.connections === 0)
        assert.strictEqual(yield* connections, 0)
        // A busy machine may take more than the usual ten seconds for all.
      }).pipe(Effect.provide(client(url, { openWithin: "1 hour" })))
      const { opened, running } = yield* stats
      assert.deepStrictEqual([opened, running], [200, 0])
    }).pipe(Effect.provide(sandbox))
  )
})

describe("A reader slower than a fast service", () => {
  it.live("holds the socket back with suspend: little is sent that it has not read, and it gets all in order", () =>
    Effect.gen(function* () {
      const total = 28_000
      const { root, sent } = yield* fast(total)
      let isFirst = true
      let before = 0
      let next = 0
      yield* trades.pipe(
        Stream.runForEachArray((messages) =>
          Effect.gen(function* () {
            for (const id of messages.flatMap(idOf)) assert.strictEqual(id, next++)
            if (next > 0 && isFirst) {
              isFirst = false
              yield* Effect.sleep("300 millis")
              before = yield* sent
            }
            if (next >= total) return yield* Effect.fail("all" as const)
          })
        ),
        Effect.catchIf(
          (error) => error === "all",
          () => Effect.void
        ),
        Effect.provide(client(root, { capacity, maxBufferedBytes }))
      )
      assert.strictEqual(next, total)
      // What both buffers and the system hold. All of it would be 28 megabytes.
      assert.isBelow(before, 20_000)
    })
  )
})

describe("The key of a handshake that failed", () => {
  const key = "zebra/gnu7+91c=d"
  const keys = { [key]: { plan: "download" } } as const
  const forms = ["zebra", "gnu7", encodeURIComponent(key)]
  const faults = [
    "live-status=403,live-echo-key",
    "live-status=500;body=html",
    "live-reset",
    "live-stall=0,live-echo-key"
  ]

  it.live.each(["unknown", ...faults])("is in no error, span or line of the log: %s", (fault) =>
    Effect.gen(function* () {
      const { faultUrl, url } = yield* Sandbox.Sandbox
      const root = fault === "unknown" ? url : faultUrl(fault)
      const own = fault === "unknown" ? `${key}x` : key
      const kept: Array<unknown> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          kept.push(span)
          return span
        }
      })
      const exit = yield* Stream.runDrain(trades).pipe(
        Effect.provide(client(root, {}, own)),
        Effect.exit,
        Effect.provide(Logger.layer([Logger.make((line) => kept.push(line.message, line.cause))])),
        Effect.provideService(Tracer.Tracer, tracer),
        Effect.provideService(References.MinimumLogLevel, "All")
      )
      assert(exit._tag === "Failure")
      const text = inspect([exit, kept.map(String), Cause.pretty(exit.cause), JSON.stringify(exit)], { depth: 12 })
      const spans = kept.flatMap((one) =>
        one instanceof Tracer.NativeSpan ? [one.name, one.attributes, one.events, one.status] : [one]
      )
      for (const form of forms) assert.notInclude(text + inspect(spans, { depth: 12 }), form)
      assert.isNotEmpty(spans)
    }).pipe(Effect.provide(Sandbox.layer({ keys })))
  )
})
