import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveMessage } from "@sluice/core"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import * as Buffer from "../../src/internal/live/Buffer.ts"
import * as Discard from "../../src/internal/live/Discard.ts"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

const { noHttp, time, trade, word } = FakeLive

const markets = { markets: "a-btc-usd-spot" }

/** Reads until a message, by one array in so many seconds. */
const slowly = (until: string, options: Parameters<typeof Live.marketTrades>[1]) =>
  Effect.gen(function* () {
    const read: Array<string> = []
    const end = yield* Live.marketTrades(markets, options).pipe(
      Stream.map(word),
      Stream.takeUntil((text) => text === until),
      Stream.runForEachArray((batch) => {
        read.push(...batch)
        return Effect.sleep("30 seconds")
      }),
      Effect.result
    )
    return { read, end: end._tag }
  })

const history = () =>
  FakeApi.make(
    Array.from({ length: 5 }, (_, page) =>
      FakeApi.page(
        Array.from({ length: 4 }, (_record, at) => trade(String(page * 4 + at), page * 4 + at)),
        page < 4 ? `page${page}` : undefined
      )
    )
  )

const afterHistory = () => FakeLive.make([[{ frame: trade("19", 19, 0) }, { frame: trade("20", 20, 1) }]])

const large = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ ...trade(String(at), 1, at), padding: "x".repeat(1_000) }))

const received = "2026-01-01T00:00:00.000000000Z"

describe("History", () => {
  it.effect.each(["suspend", "dropOldest", "fail"] as const)("waits for a slow reader with %s", (whenFull) =>
    Effect.gen(function* () {
      const { end, read } = yield* Virtual.run(
        slowly("live 20", { since: time(0), capacity: 2, whenFull }).pipe(
          Effect.provide(afterHistory().layer(history()))
        )
      )
      assert.strictEqual(end, "Success")
      const expected = [...Array.from({ length: 20 }, (_, at) => `history ${at}`), "Connected", "live 20"]
      assert.deepStrictEqual(read, expected)
    })
  )
})

const tradesFrom = (from: number) =>
  Array.from({ length: 10 }, (_, at) => trade(String(from + at), from + at, from + at))

/** When records came, as the reader is told that is slow. */
const comings = (count: number, pause: Duration.Input, options: Parameters<typeof Live.marketTrades>[1]) =>
  Live.marketTrades(markets, options).pipe(
    Stream.filter((message) => message._tag === "Data"),
    Stream.take(count),
    Stream.mapArrayEffect((batch) => Effect.as(Effect.sleep(pause), batch)),
    Stream.map(({ received }) => received.replace(/^1970-01-01T00:00:(\d\d\.\d{3})0{6}Z$/, "$1")),
    Stream.runCollect
  )

describe("Messages of records", () => {
  it.effect("say when the records came, also those that waited for the reader, and those of HTTP", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [
          Effect.sleep("500 millis"),
          { frames: tradesFrom(20) },
          Effect.sleep("100 millis"),
          { frames: tradesFrom(30) },
          Effect.sleep("100 millis"),
          { frames: tradesFrom(40) },
          Effect.sleep("10 seconds"),
          { frames: tradesFrom(50) }
        ]
      ])
      const times = yield* Virtual.run(Effect.provide(comings(40, "3 seconds", { capacity: 5 }), live.layer(noHttp)))
      // Those that wait are taken together, and none was there before.
      const tens = [0, 10, 20, 30].map((from) => [...new Set(times.slice(from, from + 10))])
      assert.deepStrictEqual(tens, [["00.501", "00.701"], ["00.701"], ["00.701"], ["10.701"]])
      const past = comings(20, 0, { since: time(0) })
      const found = yield* Virtual.run(Effect.provide(past, afterHistory().layer(history())))
      assert.deepStrictEqual([...new Set(found)], ["00.001"])
    })
  )
})

describe("`dropOldest`", () => {
  it.effect("keeps what tells of the stream itself, in its place", () =>
    Effect.gen(function* () {
      const frames = Array.from({ length: 10 }, (_, at) => ({ frame: trade(String(6 + at), 6 + at, at + 1) }))
      const live = FakeLive.make([
        [{ frame: trade("1", 1, 0) }, Effect.sleep("1 second"), { frame: trade("2", 2, 1) }, { close: 1011 }],
        [{ frame: trade("5", 5, 0) }, ...frames]
      ])
      const api = FakeApi.make([FakeApi.refusal(403, "forbidden", "no")])
      const { read } = yield* Virtual.run(
        slowly("live 15", { capacity: 4, whenFull: "dropOldest" }).pipe(Effect.provide(live.layer(api)))
      )
      const kinds = read.filter((text) => !text.startsWith("live") && !text.startsWith("dropped"))
      assert.deepStrictEqual(kinds, ["Connected", "Disconnected", "Connected", "gap 01..05 failed"])
      const delivered = read.filter((text) => text.startsWith("live")).length
      const dropped = read.flatMap((text) => (text.startsWith("dropped") ? [Number(text.slice(8))] : []))
      assert.strictEqual(delivered + dropped.reduce((sum, count) => sum + count, 0), 13)
      assert.isNotEmpty(dropped)
    })
  )

  it("discards books and records read over HTTP of a shared stream, and keeps gaps and reorganisations", () => {
    const gap = { _tag: "Gap", entity: "m", metrics: undefined, unit: "time", reason: "unfillable" } as const
    const block = { asset: "btc", height: "1", hash: "00", parent_hash: undefined, time: undefined }
    const kept: Array<LiveMessage.LiveMessage<object>> = []
    const message: LiveMessage.Gap = { ...gap, from: "1", to: "2", error: undefined }
    const reorg: LiveMessage.Reorg = { _tag: "Reorg", ...block, frame: {} }
    Discard.shared(kept, [{ _tag: "Data", record: {}, origin: "history", received }, message])
    Discard.shared(kept, [reorg, { _tag: "Data", record: {}, origin: "live", received }, { _tag: "Dropped", count: 3 }])
    assert.deepStrictEqual(kept, [{ _tag: "Dropped", count: 1 }, message, reorg, { _tag: "Dropped", count: 4 }])
  })

  it("holds a bounded number of messages, though a connection breaks again and again", () => {
    const kept: Array<LiveMessage.LiveMessage<object>> = []
    for (let at = 0; at < 5_000; at += 1) {
      const gap = { _tag: "Gap", entity: `e${at % 2}`, metrics: undefined, unit: "height", reason: "lagging" } as const
      Discard.live(kept, [
        { _tag: "Connected", connection: at },
        { ...gap, from: String(at), to: String(at + 1), error: undefined },
        { _tag: "Data", record: {}, origin: "live", received }
      ])
    }
    assert.isAtMost(kept.length, 1_003)
    const dropped = kept.reduce((sum, message) => sum + (message._tag === "Dropped" ? message.count : 0), 0)
    assert.strictEqual(dropped, 5_000)
    const gaps = kept.filter((message) => message._tag === "Gap")
    assert.deepStrictEqual(
      [gaps[0], gaps[1]].map((gap) => gap?.from),
      ["0", "1"]
    )
    assert.strictEqual(gaps.at(-1)?.to, "5000")
  })
})

describe("A live stream of large frames", () => {
  it.effect("holds them by their bytes", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([large(100).map((frame) => ({ frame }))])
      const { end, read } = yield* Virtual.run(
        slowly("live 99", { whenFull: "fail" }).pipe(Effect.provide(live.layer(noHttp, { maxBufferedBytes: 10_000 })))
      )
      assert.strictEqual(end, "Failure")
      assert.isBelow(read.length, 20)
    })
  )

  it.effect("holds its socket back by their bytes, and misses nothing", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([large(100).map((frame) => ({ frame }))], (url) => new FakeLive.PausableSocket(url))
      const sizes: Array<number> = []
      yield* Virtual.run(
        Live.marketTrades(markets).pipe(
          Stream.take(101),
          Stream.runForEachArray((batch) => {
            sizes.push(batch.length)
            return Effect.sleep("1 second")
          }),
          Effect.provide(live.layer(noHttp, { maxBufferedBytes: 10_000 }))
        )
      )
      assert.strictEqual(
        sizes.reduce((sum, size) => sum + size, 0),
        101
      )
      assert.isAtMost(Math.max(...sizes.slice(0, 4)), 20)
    })
  )

  it.effect(
    "is cut off where its socket cannot be held back, as in a browser, and healed when its reader goes on",
    () =>
      Effect.gen(function* () {
        const live = FakeLive.make([
          [
            { frame: trade("first", 0, 0) },
            Effect.sleep("1 second"),
            { frames: large(20).map((frame, at) => ({ ...frame, cm_sequence_id: at + 1 })) }
          ],
          [{ frame: trade("19", 1, 0) }]
        ])
        const missed = Array.from({ length: 20 }, (_, at) => trade(String(at), 1))
        const api = FakeApi.serve(() => Effect.succeed(FakeApi.page([trade("first", 0), ...missed])))
        const read = yield* Virtual.run(
          Live.marketTrades(markets, { capacity: 1 }).pipe(
            Stream.takeUntil((message) => word(message) === "live 19"),
            Stream.mapArrayEffect((batch) => Effect.as(Effect.sleep("30 seconds"), batch)),
            Stream.runCollect,
            Effect.provide(live.layer(api, { maxBufferedBytes: 5_000 }))
          )
        )
        const why = read.flatMap((message) => (message._tag === "Disconnected" ? [message.error.message] : []))
        assert.lengthOf(why, 1)
        assert.include(why[0], "5000 bytes wait for the reader (maxBufferedBytes)")
        const ids = read.flatMap((message) => (message._tag === "Data" ? [message.record.coin_metrics_id] : []))
        assert.sameMembers([...new Set(ids)], ids)
        assert.lengthOf(ids, 21)
        assert.lengthOf(live.sockets, 2)
      })
  )

  it.effect("lets others run between slices of what came at once", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([[{ frames: large(2_000) }]])
      const sizes: Array<number> = []
      yield* Virtual.run(
        Live.marketTrades(markets).pipe(
          Stream.take(2_001),
          Stream.runForEachArray((batch) => Effect.sync(() => sizes.push(batch.length))),
          Effect.provide(live.layer(noHttp))
        )
      )
      assert.isAtMost(Math.max(...sizes), 500)
    })
  )
})

/** Reads a buffer as a stream does, and by a handler. */
const readers = {
  take: ({ take }: Buffer.Buffer<number, "end">, add: (items: ReadonlyArray<number>) => void) =>
    Effect.forever(Effect.map(take, add), { disableYield: true }),
  run: ({ run }: Buffer.Buffer<number, "end">, add: (items: ReadonlyArray<number>) => void) => run<never, never>(add),
  "run with effects": ({ run }: Buffer.Buffer<number, "end">, add: (items: ReadonlyArray<number>) => void) =>
    run((items) => Effect.sync(() => add(items)))
}

/** A fiber yields after so many steps, wherever it is then. */
const steps = Array.from({ length: 20 }, (_, at) => at + 3)

describe("A reader whose fiber yields", () => {
  it.effect.each(["take", "run", "run with effects"] as const)(
    "gets all items in their order and then the end, also where it does so before it waits: %s",
    (kind) =>
      Effect.forEach(
        steps,
        Effect.fnUntraced(function* (ops) {
          const buffer = Buffer.make<number, "end">({
            capacity: 1_000,
            maxBytes: 1_000,
            whenFull: "suspend",
            overflow: () => "end",
            discard: () => {}
          })
          const taken: Array<number> = []
          const reading = readers[kind](buffer, (items) => taken.push(...items)).pipe(
            Effect.flip,
            Effect.provideService(Scheduler.MaxOpsBeforeYield, ops)
          )
          const items = Array.from({ length: 100 }, (_, item) => item)
          const ended = yield* Virtual.run(
            Effect.gen(function* () {
              const reader = yield* Effect.forkChild(reading)
              for (const item of items) {
                yield* buffer.offer([item], 1)
                if (item % 3 === 0) yield* Effect.yieldNow
              }
              buffer.end(Cause.fail("end"))
              return yield* Fiber.join(reader)
            })
          )
          assert.strictEqual(ended, "end")
          assert.deepStrictEqual(taken, items, `a fiber that yields after ${ops} steps`)
        }),
        { discard: true }
      )
  )
})
