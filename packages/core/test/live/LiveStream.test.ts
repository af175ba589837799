import { assert, describe, it } from "@effect/vitest"
import { Live, LiveStream, type LiveMessage } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

const { noHttp, time, trade, word } = FakeLive

const metrics = ["PriceUSD", "SplyCur"] as const

const part = (asset: string, second: number, sequence: number, columns: object) => ({
  asset,
  time: time(second),
  ...columns,
  cm_sequence_id: String(sequence)
})

const told = (message: LiveMessage.LiveMessage<Live.LiveAssetMetric<"PriceUSD" | "SplyCur", "1s">>): string =>
  message._tag === "Data"
    ? `${message.record.asset} ${message.record.time.slice(17, 19)} ${message.record.PriceUSD} ${message.record.SplyCur}`
    : message._tag

const merged = (count: number, wait?: LiveStream.MergeOptions["wait"]) =>
  Live.assetMetrics({ assets: "btc,eth", metrics, frequency: "1s" }).pipe(
    LiveStream.mergeMetrics({ metrics, wait }),
    Stream.take(count),
    Stream.map(told),
    Stream.runCollect
  )

describe("Merged metrics of one instant", () => {
  it.effect("are one record, as soon as all are there", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [
          { frame: part("btc", 1, 0, { PriceUSD: "1" }) },
          { frame: part("eth", 1, 1, { SplyCur: "9", PriceUSD: "8" }) },
          Effect.sleep("1 second"),
          { frame: part("btc", 1, 2, { SplyCur: "2" }) }
        ]
      ])
      const read = yield* Virtual.run(merged(3).pipe(Effect.provide(live.layer(noHttp))))
      assert.deepStrictEqual(read, ["Connected", "eth 01 8 9", "btc 01 1 2"])
    })
  )

  it.effect("are delivered in parts when the next instant begins, when the wait is over, and nothing is lost", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [
          { frames: [part("btc", 1, 0, { PriceUSD: "1" }), part("btc", 2, 1, { PriceUSD: "2" })] },
          Effect.sleep("10 seconds"),
          { frame: part("btc", 2, 2, { SplyCur: "2" }) },
          { frames: [part("btc", 3, 3, { PriceUSD: "3" }), part("btc", 3, 4, { SplyCur: "3" })] }
        ]
      ])
      const read = yield* Virtual.run(merged(5).pipe(Effect.provide(live.layer(noHttp))))
      assert.deepStrictEqual(read, [
        "Connected",
        "btc 01 1 undefined",
        "btc 02 2 undefined",
        "btc 02 undefined 2",
        "btc 03 3 3"
      ])
    })
  )

  it.effect("wait as long as they are told to", () =>
    Effect.gen(function* () {
      const script = [[{ frame: part("btc", 1, 0, { PriceUSD: "1" }) }]]
      for (const [wait, millis] of [
        ["30 millis", 30],
        ["20 seconds", 20_000]
      ] as const) {
        const { elapsed, exit } = yield* Virtual.timed(
          merged(2, wait).pipe(Effect.provide(FakeLive.make(script).layer(noHttp)))
        )
        assert.strictEqual(exit._tag, "Success")
        assert.isAtLeast(elapsed, millis)
        assert.isBelow(elapsed, millis + 10)
      }
    })
  )

  it.effect("are delivered before the loss of the connection is told, and at the end of the stream", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frame: part("btc", 1, 0, { PriceUSD: "1" }) }, { close: 1001 }],
        [{ frame: part("btc", 1, 0, { PriceUSD: "1" }) }]
      ])
      const read = yield* Virtual.run(merged(4, Infinity).pipe(Effect.provide(live.layer(noHttp))))
      assert.deepStrictEqual(read, ["Connected", "btc 01 1 undefined", "Disconnected", "Connected"])
      const ending = yield* Virtual.run(
        Live.assetMetrics({ assets: "btc", metrics, frequency: "1s" }).pipe(
          Stream.take(2),
          LiveStream.mergeMetrics({ metrics, wait: Infinity }),
          Stream.map(told),
          Stream.runCollect,
          Effect.provide(FakeLive.make([[{ frame: part("btc", 1, 0, { PriceUSD: "1" }) }]]).layer(noHttp))
        )
      )
      assert.deepStrictEqual(ending, ["Connected", "btc 01 1 undefined"])
    })
  )
})

const trades = Live.marketTrades({ markets: "a-btc-usd-spot" })

const steady = (count: number) =>
  Array.from({ length: count }, (_, at) => [Effect.sleep("1 second"), { frame: trade(String(at), at, at) }]).flat()

describe("A shared stream", () => {
  it.effect("gives every reader every message over one connection, which closes when the last one leaves", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([steady(10), steady(10)])
      yield* Virtual.run(
        Effect.gen(function* () {
          const shared = yield* LiveStream.share(trades)
          const read = (count: number) =>
            shared.messages().pipe(Stream.take(count), Stream.map(word), Stream.runCollect)
          const first = yield* Effect.forkChild(read(4))
          yield* Effect.sleep("1500 millis")
          const second = yield* Effect.forkChild(read(4))
          assert.deepStrictEqual(yield* Fiber.join(first), ["Connected", "live 0", "live 1", "live 2"])
          assert.strictEqual(yield* shared.readers, 1)
          assert.strictEqual(live.open(), 1)
          // One that joins later is told that there is a connection.
          assert.deepStrictEqual(yield* Fiber.join(second), ["Connected", "live 1", "live 2", "live 3"])
          assert.strictEqual(yield* shared.readers, 0)
          assert.strictEqual(live.open(), 0)
          assert.strictEqual(live.sockets.length, 1)
          assert.deepStrictEqual(yield* read(2), ["Connected", "live 0"])
          assert.strictEqual(live.sockets.length, 2)
        }).pipe(Effect.scoped, Effect.provide(live.layer(noHttp)))
      )
      assert.strictEqual(live.open(), 0)
    })
  )

  it.effect("lets each reader choose what happens when it is slow, and ends only those that asked to fail", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([steady(40)])
      yield* Virtual.run(
        Effect.gen(function* () {
          const shared = yield* LiveStream.share(trades)
          const all = yield* Effect.forkChild(
            shared.messages().pipe(Stream.take(41), Stream.map(word), Stream.runCollect)
          )
          const slow = (options: LiveStream.ReaderOptions) =>
            shared.messages(options).pipe(
              Stream.map(word),
              Stream.mapArrayEffect((batch) => Effect.as(Effect.sleep("10 seconds"), batch)),
              Stream.takeUntil((text) => text === "live 39"),
              Stream.runCollect
            )
          const dropping = yield* Effect.forkChild(slow({ capacity: 3, whenFull: "dropOldest" }))
          const failing = yield* Effect.forkChild(Effect.flip(slow({ capacity: 3, whenFull: "fail" })))
          const error = yield* Fiber.join(failing)
          assert.strictEqual(error._tag, "TooSlow")
          assert.strictEqual(
            error.message,
            "a shared stream: the reader is slower than the service, and the buffer of 3 messages is full"
          )
          assert.deepStrictEqual(
            (yield* Fiber.join(all)).slice(1),
            Array.from({ length: 40 }, (_, at) => `live ${at}`)
          )
          const read = yield* Fiber.join(dropping)
          const dropped = read.flatMap((text) => (text.startsWith("dropped") ? [Number(text.slice(8))] : []))
          const delivered = read.filter((text) => text.startsWith("live")).length
          assert.isNotEmpty(dropped)
          assert.strictEqual(delivered + dropped.reduce((sum, count) => sum + count, 0), 40)
        }).pipe(Effect.scoped, Effect.provide(live.layer(noHttp)))
      )
    })
  )

  it.effect("never discards a gap, or what tells of the connection, for a reader with `dropOldest`", () =>
    Effect.gen(function* () {
      const first = [
        { frame: trade("1", 1, 0) },
        Effect.sleep("1 second"),
        { frame: trade("2", 2, 1) },
        { close: 1011 }
      ]
      const second = Array.from({ length: 25 }, (_, at) => [
        { frame: trade(String(5 + at), 5 + at, at) },
        Effect.sleep("1 second")
      ])
      const live = FakeLive.make([first, second.flat()])
      const read = yield* Virtual.run(
        Effect.gen(function* () {
          const shared = yield* LiveStream.share(trades)
          return yield* shared.messages({ capacity: 2, whenFull: "dropOldest" }).pipe(
            Stream.map(word),
            Stream.mapArrayEffect((batch) => Effect.as(Effect.sleep("10 seconds"), batch)),
            Stream.takeUntil((text) => text === "live 29"),
            Stream.runCollect
          )
        }).pipe(Effect.scoped, Effect.provide(live.layer(FakeApi.make([FakeApi.refusal(403, "forbidden", "no")]))))
      )
      const told = read.filter((text) => !text.startsWith("live") && !text.startsWith("dropped"))
      assert.deepStrictEqual(told, ["Connected", "Disconnected", "Connected", "gap 01..05 failed"])
      const delivered = read.filter((text) => text.startsWith("live")).length
      const dropped = read.flatMap((text) => (text.startsWith("dropped") ? [Number(text.slice(8))] : []))
      assert.strictEqual(delivered + dropped.reduce((sum, count) => sum + count, 0), 27)
      assert.isAbove(dropped.length, 0)
    })
  )

  it.effect("lets go of a slow reader that leaves, and fails for every reader when the stream fails", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([steady(20)])
      yield* Virtual.run(
        Effect.gen(function* () {
          const shared = yield* LiveStream.share(trades)
          const all = yield* Effect.forkChild(
            shared.messages().pipe(Stream.take(21), Stream.map(word), Stream.runCollect)
          )
          const stuck = yield* Effect.forkChild(
            shared.messages({ capacity: 1 }).pipe(Stream.runForEachArray(() => Effect.never))
          )
          yield* Effect.sleep("8 seconds")
          yield* Fiber.interrupt(stuck)
          assert.strictEqual((yield* Fiber.join(all)).length, 21)
        }).pipe(Effect.scoped, Effect.provide(live.layer(noHttp)))
      )
      const late = Effect.scoped(LiveStream.share(trades)).pipe(
        Effect.flatMap(({ messages }) => Stream.runCollect(messages())),
        Effect.provide(live.layer(noHttp))
      )
      assert.deepStrictEqual(yield* Virtual.run(late), [])
      const refusing = FakeLive.serve(() => [{ refuse: 403 }])
      const errors = yield* Virtual.run(
        Effect.gen(function* () {
          const shared = yield* LiveStream.share(trades)
          const read = Effect.flip(Stream.runDrain(shared.messages()))
          return yield* Effect.all([read, read], { concurrency: "unbounded" })
        }).pipe(Effect.scoped, Effect.provide(refusing.layer(FakeApi.make([]))))
      )
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["Forbidden", "Forbidden"]
      )
    })
  )
})
