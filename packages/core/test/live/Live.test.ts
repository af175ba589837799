import { assert, describe, it } from "@effect/vitest"
import { Live, LiveClient, type LiveMessage, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

const { noHttp, trade, word } = FakeLive

const markets = { markets: "a-btc-usd-spot" }

const words = (count: number, options?: Parameters<typeof Live.marketTrades>[1]) =>
  Live.marketTrades(markets, options).pipe(Stream.take(count), Stream.map(word), Stream.runCollect)

const frames = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => trade(String(from + at), 1, from + at))

const slow = (options: Parameters<typeof Live.marketTrades>[1]) =>
  Live.marketTrades(markets, options).pipe(
    Stream.map(word),
    Stream.takeUntil((text) => text === "live 39"),
    Stream.mapArrayEffect((batch) => Effect.as(Effect.sleep("1 second"), batch)),
    Stream.runCollect
  )

const one = () => FakeLive.serve(() => [{ frame: trade("1", 1, 0) }])

const feed = () =>
  FakeLive.make([
    [
      { frames: frames(0, 10) },
      Effect.sleep("100 millis"),
      { frames: frames(10, 20) },
      Effect.sleep("100 millis"),
      { frames: frames(20, 30) },
      Effect.sleep("10 seconds"),
      { frames: frames(30, 40) }
    ]
  ])

/** A connection that works, and then others as scripted. */
const workingAndThen = (script: (connection: number) => FakeLive.Script) =>
  FakeLive.serve((connection) =>
    connection === 0 ? [{ frame: trade("1", 1, 0) }, { close: 1001 }] : script(connection)
  )

const ending = (live: FakeLive.FakeLive, options?: LiveClient.Options) =>
  Virtual.run(Effect.flip(words(99).pipe(Effect.provide(live.layer(noHttp, options)))))

describe("A live stream", () => {
  it.effect("delivers records in their order, and closes the socket when nobody reads on", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([[{ frames: [trade("1", 1, 0), trade("2", 2, 1)] }, { frame: trade("3", 3, 2) }]])
      const read = yield* Virtual.run(words(4).pipe(Effect.provide(live.layer(noHttp))))
      assert.deepStrictEqual(read, ["Connected", "live 1", "live 2", "live 3"])
      assert.deepStrictEqual(live.handshakes(), ["/timeseries-stream/market-trades?markets=a-btc-usd-spot"])
      assert.strictEqual(live.open(), 0)
      assert.strictEqual(live.sockets[0]?.closedBy, "client")
    })
  )

  it.effect("tells the kinds of frames apart before it checks a record", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [
          { frame: { warning: { type: "falling_behind", message: "queue is now over 60% full" } } },
          { frame: { kind: "new", what: 1 } },
          { frame: { ...trade("1", 1, 0), newer: "kept" } }
        ]
      ])
      const read = yield* Virtual.run(
        Live.marketTrades(markets).pipe(Stream.take(4), Stream.runCollect, Effect.provide(live.layer(noHttp)))
      )
      const expected: ReadonlyArray<unknown> = [
        { _tag: "Connected", connection: 1 },
        { _tag: "Warning", type: "falling_behind", message: "queue is now over 60% full" },
        { _tag: "Unknown", frame: { kind: "new", what: 1 } },
        {
          _tag: "Data",
          origin: "live",
          received: "1970-01-01T00:00:00.001000000Z",
          record: { ...trade("1", 1, 0), newer: "kept" }
        }
      ]
      assert.deepStrictEqual(read as ReadonlyArray<unknown>, expected)
    })
  )

  it.effect("fills the hole after a broken connection over HTTP, and repeats nothing", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frames: [trade("1", 1, 0), trade("2", 2, 1)] }, { close: 1011 }],
        [{ frame: trade("5", 5, 0) }, { frame: trade("6", 6, 1) }]
      ])
      const api = FakeApi.make([FakeApi.page([trade("2", 2), trade("3", 3), trade("4", 3), trade("5", 5)])])
      const read = yield* Virtual.run(words(9).pipe(Effect.provide(live.layer(api))))
      assert.deepStrictEqual(read, [
        "Connected",
        "live 1",
        "live 2",
        "Disconnected",
        "Connected",
        "filled 3",
        "filled 4",
        "live 5",
        "live 6"
      ])
      assert.deepStrictEqual(yield* api.requests, [
        "/timeseries/market-trades?page_size=10000&markets=a-btc-usd-spot" +
          "&start_time=2026-01-01T00:00:01.000000000Z&end_time=2026-01-01T00:00:05.000000000Z" +
          "&min_confirmations=0&paging_from=start"
      ])
      assert.include(live.handshakes()[1], "backfill=latest")
    })
  )

  it.effect("names a hole that it cannot fill: HTTP lags for too long, or fails", () =>
    Effect.gen(function* () {
      const script = [[{ frame: trade("1", 1, 0) }, { close: 1001 }], [{ frame: trade("5", 5, 0) }]]
      const lagging = FakeApi.serve(() => Effect.succeed(FakeApi.page([trade("1", 1), trade("2", 2)])))
      const read = yield* Virtual.run(words(7).pipe(Effect.provide(FakeLive.make(script).layer(lagging))))
      assert.deepStrictEqual(read.slice(4), ["filled 2", "gap 01..05 lagging", "live 5"])
      const refusing = FakeApi.serve(() => Effect.succeed(FakeApi.refusal(403, "forbidden", "no")))
      const other = yield* Virtual.run(words(6).pipe(Effect.provide(FakeLive.make(script).layer(refusing))))
      assert.deepStrictEqual(other.slice(4), ["gap 01..05 failed", "live 5"])
    })
  )

  it.effect("counts a connection as broken when the service gives it up", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frame: trade("1", 1, 0) }, { frame: { error: { type: "stall", message: "too slow" } } }],
        [{ frame: trade("1", 1, 0) }, { frame: trade("2", 2, 1) }]
      ])
      const read = yield* Virtual.run(
        Live.marketTrades(markets).pipe(Stream.take(5), Stream.runCollect, Effect.provide(live.layer(noHttp)))
      )
      assert.deepStrictEqual(read.map(word), ["Connected", "live 1", "Disconnected", "Connected", "live 2"])
      const why = read.flatMap((message) => (message._tag === "Disconnected" ? [message.error.message] : []))
      assert.include(why[0], "the service gave the connection up (stall: too slow)")
    })
  )

  it.effect("counts a silent connection as broken, unless it answers a ping", () =>
    Effect.gen(function* () {
      const quiet = FakeLive.make([[{ frame: trade("1", 1, 0) }], [{ frame: trade("1", 1, 0) }]])
      const read = yield* Virtual.run(words(4).pipe(Effect.provide(quiet.layer(noHttp))))
      assert.deepStrictEqual(read, ["Connected", "live 1", "Disconnected", "Connected"])
      const answering = FakeLive.make(
        [[{ frame: trade("1", 1, 0) }, Effect.sleep("20 minutes"), { frame: trade("2", 2, 1) }]],
        (url) => new FakeLive.PingableSocket(url)
      )
      const other = yield* Virtual.run(words(3).pipe(Effect.provide(answering.layer(noHttp))))
      assert.deepStrictEqual(other, ["Connected", "live 1", "live 2"])
      assert.isAbove(answering.sockets[0]?.pings ?? 0, 10)
    })
  )

  it.effect("gives up when the retry policy does, with the last error", () =>
    Effect.gen(function* () {
      const live = FakeLive.serve(() => [{ fail: { code: "ECONNREFUSED" } }])
      const error = yield* Virtual.run(Effect.flip(words(1).pipe(Effect.provide(live.layer(noHttp)))))
      assert(error._tag === "Unavailable")
      assert.strictEqual(error.phase, "connect")
      assert.strictEqual(error.attempts, 8)
      assert.strictEqual(live.sockets.length, 8)
      const once = FakeLive.serve(() => [{ hang: true }])
      const timeout = yield* Virtual.run(
        Effect.flip(words(1, { retry: Retry.none }).pipe(Effect.provide(once.layer(noHttp))))
      )
      assert.include(timeout.message, "no connection within 10s")
    })
  )

  it.effect.each([
    ["a host name that is not known", { fail: { code: "ENOTFOUND" } }],
    ["a longer wait than the longest", { refuse: 503, headers: { "retry-after": "600" } }],
    ["a status that is no refusal", { refuse: 501 }]
  ] as const)("that has worked goes on after %s", ([, down]) =>
    Effect.gen(function* () {
      const live = FakeLive.serve((connection) => {
        if (connection === 0) return [{ frame: trade("1", 1, 0) }, { close: 1001 }]
        return connection < 3 ? [down] : [{ frame: trade("2", 2, 0) }]
      })
      const http = FakeApi.serve(() => Effect.succeed(FakeApi.page([trade("1", 1), trade("2", 2)])))
      const read = Live.marketTrades({ markets: "a-btc-usd-spot" }).pipe(
        Stream.map(word),
        Stream.takeUntil((text) => text === "live 2"),
        Stream.runCollect,
        Effect.provide(live.layer(http))
      )
      assert.include(yield* Virtual.run(read, "2 hours"), "live 2")
    })
  )

  it.effect("that has worked does not count an outage as time of frames that cannot be read", () =>
    Effect.gen(function* () {
      const live = FakeLive.serve((connection) => {
        if (connection === 0) return [{ frame: trade("1", 1, 0) }, { text: '{"broken' }]
        if (connection === 60) return [{ text: '{"other' }]
        return connection < 60 ? [{ fail: { code: "ECONNREFUSED" } }] : [{ frame: trade("2", 2, 0) }]
      })
      const http = FakeApi.serve(() => Effect.succeed(FakeApi.page([trade("1", 1), trade("2", 2)])))
      const read = Live.marketTrades({ markets: "a-btc-usd-spot" }).pipe(
        Stream.map(word),
        Stream.takeUntil((text) => text === "live 2"),
        Stream.runCollect,
        Effect.provide(live.layer(http))
      )
      assert.include(yield* Virtual.run(read, "6 hours"), "live 2")
    })
  )

  it.effect("that has worked goes on through an outage of hours, and fills it", () =>
    Effect.gen(function* () {
      const outage = 600
      const live = FakeLive.serve((connection) => {
        if (connection === 0) return [{ frame: trade("1", 1, 0) }, { close: 1001 }]
        if (connection < outage) return [{ fail: { code: "ECONNREFUSED" } }]
        return [{ frame: trade("3", 3, 0) }]
      })
      const api = FakeApi.serve(() => Effect.succeed(FakeApi.page([trade("1", 1), trade("2", 2), trade("3", 3)])))
      const read = yield* Virtual.run(words(6).pipe(Effect.provide(live.layer(api))), "6 hours")
      assert.deepStrictEqual(read, ["Connected", "live 1", "Disconnected", "Connected", "filled 2", "live 3"])
      assert.strictEqual(live.sockets.length, outage + 1)
    })
  )

  it.effect(
    "that has worked gives up where it is refused, where no frame can be read, and as its own policy says",
    () =>
      Effect.gen(function* () {
        const refused = workingAndThen(() => [{ refuse: 401 }])
        assert.strictEqual((yield* ending(refused))._tag, "Unauthorized")
        const unread = workingAndThen((connection) => [{ text: `{"unlike ${connection}` }])
        assert.strictEqual((yield* ending(unread))._tag, "Decode")
        const down = workingAndThen(() => [{ fail: { code: "ECONNREFUSED" } }])
        assert.strictEqual((yield* ending(down, { retry: Retry.make({ times: 2 }) }))._tag, "Unavailable")
        assert.deepStrictEqual([unread.sockets.length, down.sockets.length], [9, 3])
      })
  )

  it.effect("maps a refused handshake as it maps an HTTP reply, and holds the key in no error", () =>
    Effect.gen(function* () {
      const key = "k3y-that-nobody-may-see"
      const body = JSON.stringify({ error: { type: "forbidden", message: `no ${key} here` } })
      const cases = [
        [401, "Unauthorized"],
        [403, "Forbidden"],
        [404, "NotFound"],
        [414, "InvalidRequest"],
        [429, "RateLimited"],
        [503, "Unavailable"]
      ] as const
      for (const [status, tag] of cases) {
        const live = FakeLive.serve(() => [{ refuse: status, body }])
        const error = yield* Virtual.run(
          Effect.flip(
            words(1, { retry: Retry.none }).pipe(Effect.provide(live.layer(noHttp, {}, { apiKey: Redacted.make(key) })))
          )
        )
        assert.strictEqual(error._tag, tag, error.message)
        assert.notInclude(JSON.stringify(error) + error.message + String(error.stack), key)
        assert.include(live.sockets[0]?.url, `api_key=${key}`)
      }
    })
  )

  it.effect("asks twice more for a damaged frame, and then fails with Decode", () =>
    Effect.gen(function* () {
      const { market: _, ...damaged } = trade("2", 2, 1)
      const live = FakeLive.serve(() => [{ frames: [trade("1", 1, 0), damaged] }])
      const read: Array<string> = []
      const error = yield* Virtual.run(
        Live.marketTrades(markets).pipe(
          Stream.runForEach((message) => Effect.sync(() => read.push(word(message)))),
          Effect.flip,
          Effect.provide(live.layer(FakeLive.emptyHttp))
        )
      )
      assert(error._tag === "Decode")
      assert.strictEqual(error.path, ".market")
      const again = ["Connected", "Disconnected"]
      assert.deepStrictEqual(read, ["Connected", "live 1", "Disconnected", ...again, ...again])
    })
  )

  it.effect("refuses wrong parameters before it connects", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([])
      const refused = [
        Live.marketTrades({ markets: [] }),
        Live.marketTrades(markets, { since: "yesterday" }),
        Live.pairQuotes({ pairs: "btc-usd" }, { since: "2026-01-01" }),
        Live.marketTrades({ markets: Array.from({ length: 1_000 }, (_, at) => `market-${at}-spot`) })
      ]
      for (const stream of refused) {
        const error = yield* Effect.flip(
          Stream.runDrain<LiveMessage.LiveMessage<unknown>, unknown, LiveClient.LiveClient>(stream)
        ).pipe(Effect.provide(live.layer(noHttp)))
        assert.propertyVal(error, "_tag", "InvalidRequest")
      }
      assert.strictEqual(live.sockets.length, 0)
    })
  )
})

describe("A slow reader", () => {
  it.effect("holds the socket back, and misses nothing", () =>
    Effect.gen(function* () {
      const read = yield* Virtual.run(slow({ capacity: 5 }).pipe(Effect.provide(feed().layer(noHttp))))
      assert.deepStrictEqual(
        read.slice(1),
        Array.from({ length: 40 }, (_, at) => `live ${at}`)
      )
    })
  )

  it.effect("is told how many of the oldest were discarded", () =>
    Effect.gen(function* () {
      const read = yield* Virtual.run(
        slow({ capacity: 5, whenFull: "dropOldest" }).pipe(Effect.provide(feed().layer(noHttp)))
      )
      const delivered = read.filter((text) => text.startsWith("live")).length
      const dropped = read.flatMap((text) => (text.startsWith("dropped") ? [Number(text.slice(8))] : []))
      assert.isNotEmpty(dropped)
      assert.strictEqual(delivered + dropped.reduce((sum, count) => sum + count, 0), 40)
    })
  )

  it.effect("fails, after what the buffer held was delivered", () =>
    Effect.gen(function* () {
      const read: Array<string> = []
      const error = yield* Virtual.run(
        Live.marketTrades(markets, { capacity: 15, whenFull: "fail" }).pipe(
          Stream.map(word),
          Stream.runForEachArray((batch) => {
            read.push(...batch)
            return Effect.sleep("1 second")
          }),
          Effect.flip,
          Effect.provide(feed().layer(noHttp))
        )
      )
      assert.strictEqual(error._tag, "TooSlow")
      const delivered = read.slice(1)
      assert.isAtLeast(delivered.length, 10)
      assert.isBelow(delivered.length, 30)
      assert.deepStrictEqual(
        delivered,
        delivered.map((_, at) => `live ${at}`)
      )
    })
  )
})

describe("Connections", () => {
  it.effect("are limited: the next waits for one, or fails", () =>
    Effect.gen(function* () {
      const waiting = one()
      const both = Effect.all([words(2), words(2), words(2)], { concurrency: "unbounded" })
      yield* Virtual.run(both.pipe(Effect.provide(waiting.layer(noHttp, { maxConnections: 1 }))))
      assert.strictEqual(waiting.sockets.length, 3)
      const failing = one()
      const error = yield* Virtual.run(
        Effect.flip(both).pipe(Effect.provide(failing.layer(noHttp, { maxConnections: 2, whenNoConnection: "fail" })))
      )
      assert.strictEqual(error._tag, "TooManyConnections")
    })
  )

  it.effect("leave nothing behind: 200 are opened and closed", () =>
    Effect.gen(function* () {
      const live = one()
      const left = yield* Virtual.run(
        Effect.gen(function* () {
          yield* Effect.forEach(Array.from({ length: 200 }), () => words(2), { concurrency: 20 })
          const client = yield* LiveClient.LiveClient
          return yield* client.connections
        }).pipe(Effect.provide(live.layer(noHttp)))
      )
      assert.strictEqual(left, 0)
      assert.strictEqual(live.sockets.length, 200)
      assert.strictEqual(live.open(), 0)
      for (const { heard, listeners } of live.sockets) {
        assert.strictEqual(listeners.get("message")?.size, 0)
        assert.strictEqual(heard.size, 0)
      }
    })
  )
})
