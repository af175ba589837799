import * as NodeWS from "@effect/platform-node/NodeWS"
import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import { TestClock } from "effect/testing"
import type { Readable } from "node:stream"
import type { Row } from "./Harness.ts"
import { address, open, record } from "./LiveHarness.ts"

const quotes = "/timeseries-stream/market-quotes?markets=coinbase-btc-usd-spot"

/** What clients use of a socket beside what every platform has. */
interface Raw extends Socket.WebSocketLike {
  readonly pause: () => void
  readonly resume: () => void
}

interface Reader {
  readonly socket: Raw
  readonly frames: Array<string>
  closed: number | undefined
}

/** Opens a stream, and reads it as fast as it comes until it is paused. */
const read = Effect.fnUntraced(function* (path: string, fault = "") {
  const make = yield* Socket.WebSocketConstructor
  // Type boundary: the sockets of `ws` and those in memory can be paused.
  const socket = make(yield* address(path, fault)) as Raw
  const reader: Reader = { socket, frames: [], closed: undefined }
  socket.addEventListener("message", ({ data }) => reader.frames.push(String(data)))
  socket.addEventListener("close", ({ code }) => {
    reader.closed = code
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.close(1000)))
  return reader
})

const kindOf = (frame: string) => {
  const { error, warning } = record(frame) as { readonly error?: Row; readonly warning?: Row }
  return String(error?.["type"] ?? warning?.["type"] ?? "record")
}

const isOpen = ({ ended }: { readonly ended: unknown }) => ended === undefined

const small = { live: { httpLag: 0 }, streams: { queue: 100 } } satisfies Sandbox.Options

const memory = Sandbox.layerMemory(small)

describe("A reader that does not keep up", () => {
  it.effect("is warned, gets what waits and a stall error, and is closed", () =>
    Effect.gen(function* () {
      const reader = yield* read(quotes)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(reader.frames.length, 11)
      reader.socket.pause()
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(reader.frames.length, 11)
      assert.isDefined(yield* Effect.map(connection, ({ ended }) => ended))
      const { live, stats } = yield* Sandbox.Sandbox
      assert.strictEqual((yield* stats).connections, 0)
      const [entry] = yield* live.journal
      assert.isDefined(entry)
      assert.strictEqual(entry.reason, "stall")
      // 64 KiB in the socket, and no more than that.
      const bytes = entry.frames.reduce((sum, { text }) => sum + text.length, 0)
      assert.isBelow(bytes, 80_000)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("reads all that was sent before the stall, when it goes on in time", () =>
    Effect.gen(function* () {
      const reader = yield* read(quotes)
      yield* TestClock.adjust("1 second")
      reader.socket.pause()
      const { live } = yield* Sandbox.Sandbox
      const ended = Effect.map(live.journal, ([entry]) => entry?.ended)
      // The queue is full by then, and the reader has time left.
      yield* TestClock.adjust("400 seconds")
      assert.isUndefined(yield* ended)
      reader.socket.resume()
      yield* TestClock.adjust("1 second")
      const kinds = reader.frames.map(kindOf)
      assert.deepStrictEqual(
        kinds.filter((kind) => kind !== "record"),
        ["falling_behind", "stall"]
      )
      assert.strictEqual(kinds.at(-1), "stall")
      const ids = reader.frames
        .filter((frame) => kindOf(frame) === "record")
        .map((frame) => record(frame)["cm_sequence_id"])
      assert.deepStrictEqual(
        ids,
        ids.map((_, n) => String(n))
      )
      assert.strictEqual(reader.closed, 1008)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("that goes on before the queue is full loses nothing, and is warned anew when it falls behind again", () =>
    Effect.gen(function* () {
      const reader = yield* read(quotes)
      yield* TestClock.adjust("1 second")
      for (let turn = 1; turn <= 2; turn++) {
        reader.socket.pause()
        yield* TestClock.adjust("380 seconds")
        reader.socket.resume()
        yield* TestClock.adjust("10 seconds")
        const kinds = reader.frames.map(kindOf).filter((kind) => kind !== "record")
        assert.deepStrictEqual(
          kinds,
          Array.from({ length: turn }, () => "falling_behind")
        )
      }
      assert.isUndefined(reader.closed)
      const records = reader.frames.filter((frame) => kindOf(frame) === "record").map(record)
      assert.deepStrictEqual(
        records.map(({ cm_sequence_id }) => cm_sequence_id),
        records.map((_, n) => String(n))
      )
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.live("over a socket too is closed, and gives its place back", () =>
    Effect.gen(function* () {
      const { live, stats } = yield* Sandbox.Sandbox
      const books = "/timeseries-stream/market-orderbooks?markets=coinbase-btc-*&depth_limit=full_book"
      const reader = yield* read(books)
      reader.socket.addEventListener("open", () => reader.socket.pause())
      // The buffers of the socket are full when nothing more is sent, and the queue is when more than it holds was published since.
      let known = 0
      let looks = 0
      yield* Effect.repeat(Effect.all([live.journal, live.now]), {
        until: ([[entry], now]) => {
          const { frames = [] } = entry ?? {}
          looks = frames.length === known ? looks + 1 : 0
          known = frames.length
          const waited = Date.parse(now) - Date.parse(frames.at(-1)?.at ?? now)
          return looks >= 10 && waited > 1_200_000
        },
        schedule: Schedule.spaced("20 millis")
      })
      reader.socket.resume()
      yield* Effect.repeat(
        Effect.sync(() => reader.closed),
        { until: (code) => code !== undefined, schedule: Schedule.spaced("20 millis") }
      )
      assert.strictEqual(reader.closed, 1008)
      assert.strictEqual(kindOf(reader.frames.at(-1) ?? "{}"), "stall")
      yield* Effect.repeat(stats, {
        until: ({ connections }) => connections === 0,
        schedule: Schedule.spaced("5 millis")
      })
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.merge(Sandbox.layer({ live: { speed: 3000 }, streams: { queue: 50 } }), NodeWS.layerWebSocketConstructor)
      )
    )
  )
})

const connection = Effect.flatMap(Sandbox.Sandbox, ({ live }) =>
  Effect.map(live.journal, ([entry]) => ({ ended: entry?.ended }))
)

describe("The connections of a stand-in", () => {
  it.effect("end when it stops, in memory", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(memory, scope)
      const seen = yield* Effect.provide(open(quotes), context)
      yield* TestClock.adjust("1 second")
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen.ended, { tag: "SocketCloseError", code: 1001, reason: "going away" })
    }).pipe(Effect.scoped)
  )

  it.effect("end all at once when they are told to: closed with 1012, or dropped", () =>
    Effect.gen(function* () {
      const { live, stats } = yield* Sandbox.Sandbox
      for (const [ending, code] of [
        ["restart", 1012],
        ["drop", 1006]
      ] as const) {
        const all = yield* Effect.all([open(quotes), open(quotes)])
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* live.end(ending), 2)
        yield* TestClock.adjust("1 second")
        for (const { ended } of all) assert.strictEqual(ended?.code, code)
        assert.strictEqual((yield* stats).connections, 0)
      }
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("open and end two hundred times without one that stays, and the journal forgets the oldest frames", () =>
    Effect.gen(function* () {
      const { live, stats } = yield* Sandbox.Sandbox
      for (let n = 0; n < 200; n++) {
        yield* Effect.scoped(Effect.andThen(open(quotes), TestClock.adjust("10 seconds")))
        yield* TestClock.adjust("1 millis")
      }
      const { connections, opened } = yield* stats
      assert.deepStrictEqual([connections, opened], [0, 200])
      const entries = yield* live.journal
      const kept = entries.reduce((sum, { frames }) => sum + frames.length, 0)
      assert.isAtMost(kept, 500)
      assert.isAbove(kept, 300)
      const all = entries.reduce((sum, { forgotten, frames }) => sum + frames.length + forgotten, 0)
      assert.isAbove(all, 2000)
      for (const { ended } of entries) assert.isDefined(ended)
    }).pipe(Effect.provide(Sandbox.layerMemory({ live: true, streams: { journal: 500 } })))
  )

  it.effect("of two hundred at once are as many as a key may have", () =>
    Effect.gen(function* () {
      const all = yield* Effect.forEach(Array.from({ length: 201 }), () => open(quotes))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([all.filter(isOpen).length, isOpen(all[200]!)], [200, false])
    }).pipe(Effect.scoped, Effect.provide(Sandbox.layerMemory({ live: true })))
  )

  it.effect("that are refused in memory tell status and body, as an error or as the reply of ws", () =>
    Effect.gen(function* () {
      const make = yield* Socket.WebSocketConstructor
      const told: Array<unknown> = []
      make(yield* address(quotes, "", "nobody")).addEventListener("error", (event) => {
        // Type boundary: what the error of a refused handshake has in memory.
        const { error } = event as { readonly error: { readonly status: number; readonly body: string } }
        told.push([error.status, error.body])
      })
      yield* TestClock.adjust("1 millis")
      const socket = make(yield* address(quotes, "", "nobody")) as Socket.WebSocketLike & {
        readonly on: (type: "unexpected-response", listener: (request: unknown, response: Readable) => void) => void
      }
      yield* Effect.callback<void>((resume) => {
        socket.on("unexpected-response", (_, response) => {
          let body = ""
          response.setEncoding("utf8")
          response.on("data", (part: string) => {
            body += part
          })
          response.on("end", () => {
            told.push(["statusCode" in response ? response.statusCode : undefined, body])
            resume(Effect.void)
          })
        })
      })
      const body = `{"error":{"type":"wrong_credentials","message":"Supplied credentials are not valid."}}`
      assert.deepStrictEqual(told, [
        [401, body],
        [401, body]
      ])
    }).pipe(Effect.provide(memory))
  )

  it.effect("in memory lead to no other host", () =>
    Effect.gen(function* () {
      const make = yield* Socket.WebSocketConstructor
      let message: unknown
      make("wss://elsewhere.invalid/v4/timeseries-stream/market-trades").addEventListener("error", (event) => {
        message = "message" in event ? event.message : undefined
      })
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(message, "getaddrinfo ENOTFOUND elsewhere.invalid")
    }).pipe(Effect.provide(memory))
  )
})
