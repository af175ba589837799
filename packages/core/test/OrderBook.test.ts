import { assert, describe, it } from "@effect/vitest"
import { type Live, OrderBook } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "./Virtual.ts"

type Levels = ReadonlyArray<readonly [price: string, size: string]>

const levels = (all: Levels) => all.map(([price, size]) => ({ price, size }))

/** A frame by its second, which is its id as well. */
const frame = (type: "snapshot" | "update", second: number, sequence: number, asks: Levels, bids: Levels = []) => ({
  market: "a-btc-usd-spot",
  time: FakeLive.time(second),
  coin_metrics_id: String(second),
  asks: levels(asks),
  bids: levels(bids),
  collect_time: FakeLive.time(second),
  type,
  cm_sequence_id: String(sequence)
})

const start = (second: number, sequence = 0) =>
  frame("snapshot", second, sequence, [["101", "1"], ["102", "2"]], [["100", "1"], ["99", "5"]]) // prettier-ignore

const side = (all: ReadonlyArray<OrderBook.Level>) => all.map(({ price, size }) => `${price}x${size}`).join(" ")

const word = (message: OrderBook.BookMessage): string => {
  if (message._tag === "Gap") return `gap ${message.from?.slice(17, 19)}..${message.to.slice(17, 19)} ${message.reason}`
  if (message._tag === "Dropped") return `dropped ${message.count}`
  if (message._tag !== "Book") return message._tag
  const { asks, bids, coin_metrics_id } = message.book
  return `${message.origin} ${coin_metrics_id}: ${side(bids)} | ${side(asks)}`
}

const params = { markets: "a-btc-usd-spot" }

const words = (count: number, options?: OrderBook.Options) =>
  OrderBook.follow(params, options).pipe(Stream.take(count), Stream.map(word), Stream.runCollect)

/** Updates as they come over HTTP. */
const stored = (live: ReturnType<typeof frame>) =>
  Object.fromEntries(Object.entries(live).filter(([name]) => name !== "cm_sequence_id" && name !== "type"))

const updates = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => frame("update", from + at, from + at - 1, [["101", `${from + at}`]]))

describe("A followed order book", () => {
  it.effect("is whole after each update: sizes replaced, levels added in order of their price, and removed", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [
          {
            frames: [
              start(1),
              frame("update", 2, 1, [["101.5", "3"], ["102", "0"]], [["100", "4"]]), // prettier-ignore
              frame("update", 3, 2, [["101.0", "0"]], [["100.50", "1"], ["98", "1"]]) // prettier-ignore
            ]
          }
        ]
      ])
      const read = yield* Virtual.run(words(4).pipe(Effect.provide(live.layer(FakeLive.noHttp))))
      assert.deepStrictEqual(read, [
        "Connected",
        "live 1: 100x1 99x5 | 101x1 102x2",
        "live 2: 100x4 99x5 | 101x1 101.5x3",
        "live 3: 100.50x1 100x4 99x5 98x1 | 101.5x3"
      ])
    })
  )

  it.effect(
    "that cannot be right is not delivered: a new snapshot is asked for, and a gap says from when to when",
    () =>
      Effect.gen(function* () {
        const broken = [
          frame("update", 3, 2, [["105", "0"]]),
          frame("update", 3, 2, [["99.5", "1"]]),
          frame("update", 3, 2, [["105", "1"], ["104", ""]]), // prettier-ignore
          frame("snapshot", 3, 2, [["105", "1"], ["104", "1"]]) // prettier-ignore
        ]
        for (const wrong of broken) {
          const live = FakeLive.make([
            [
              {
                frames: [start(1), frame("update", 2, 1, [["101", "2"]]), wrong, frame("update", 4, 3, [["101", "9"]])]
              }
            ],
            [{ frames: [start(5), frame("update", 6, 1, [["101", "7"]])] }]
          ])
          const api = FakeApi.make([
            FakeApi.page([2, 3, 4, 5].map((second) => stored(frame("update", second, 0, [["101", String(second)]]))))
          ])
          const read = yield* Virtual.run(words(8).pipe(Effect.provide(live.layer(api))))
          assert.deepStrictEqual(read.slice(2), [
            "live 2: 100x1 99x5 | 101x2 102x2",
            "Disconnected",
            "Connected",
            "gap 02..05 unfillable",
            "live 5: 100x1 99x5 | 101x1 102x2",
            "live 6: 100x1 99x5 | 101x7 102x2"
          ])
        }
      })
  )

  it.effect("goes on through a broken connection with the updates that HTTP has", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frame: start(1) }, { close: 1012 }],
        [
          {
            frames: [
              frame("snapshot", 3, 0, [["101", "3"], ["102", "2"]], [["100", "1"], ["99", "5"]]), // prettier-ignore
              frame("update", 4, 1, [["101", "4"]])
            ]
          }
        ]
      ])
      const api = FakeApi.make([
        FakeApi.page([2, 3].map((second) => stored(frame("update", second, 0, [["101", String(second)]]))))
      ])
      const read = yield* Virtual.run(words(7).pipe(Effect.provide(live.layer(api))))
      assert.deepStrictEqual(read.slice(4), [
        "filled 2: 100x1 99x5 | 101x2 102x2",
        "live 3: 100x1 99x5 | 101x3 102x2",
        "live 4: 100x1 99x5 | 101x4 102x2"
      ])
      assert.include((yield* api.requests)[0], "dataset=updates")
    })
  )

  it.effect("is not asked for again and again where its snapshots cannot be right: a warning says so", () =>
    Effect.gen(function* () {
      const crossed = (sequence: number) => frame("snapshot", 1, sequence, [["99", "1"]], [["100", "1"]])
      const live = FakeLive.make([
        [{ frame: crossed(0) }],
        [{ frames: [crossed(0), frame("update", 2, 1, [["98", "0"]]), start(3, 2)] }]
      ])
      const api = FakeApi.make([FakeApi.page([stored(crossed(0))])])
      const read = yield* Virtual.run(words(5).pipe(Effect.provide(live.layer(api))))
      assert.deepStrictEqual(read, [
        "Connected",
        "Disconnected",
        "Connected",
        "Warning",
        "live 3: 100x1 99x5 | 101x1 102x2"
      ])
    })
  )

  it.effect("is the newest one after updates were dropped for a slow reader, and right from there on", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [
          { frame: start(1) },
          Effect.sleep("100 millis"),
          { frames: updates(2, 20) },
          Effect.sleep("100 millis"),
          { frames: updates(20, 30) },
          Effect.sleep("10 seconds"),
          { frames: updates(30, 33) }
        ]
      ])
      const read = yield* Virtual.run(
        OrderBook.follow(params, { capacity: 5, whenFull: "dropOldest" }).pipe(
          Stream.map(word),
          Stream.takeUntil((text) => text.startsWith("live 32")),
          Stream.mapArrayEffect((batch) => Effect.as(Effect.sleep("1 second"), batch)),
          Stream.runCollect,
          Effect.provide(live.layer(FakeLive.noHttp))
        )
      )
      const books = read.filter((text) => text.startsWith("live"))
      assert.isTrue(read.some((text) => text.startsWith("dropped")))
      for (const text of books.slice(1)) {
        const [, id = ""] = /^live (\d+):/.exec(text) ?? []
        assert.strictEqual(text, `live ${id}: 100x1 99x5 | 101x${id} 102x2`)
      }
      assert.isBelow(books.length, 20)
      assert.include(books, "live 29: 100x1 99x5 | 101x29 102x2")
    })
  )

  it("is bounded, and one book never changes another", () => {
    // Type boundary: as the decoder would give it.
    const change = (made: ReturnType<typeof frame>) => made as unknown as Live.LiveMarketOrderbook
    const first = Result.getOrThrow(OrderBook.apply(undefined, change(start(1))))
    const second = OrderBook.apply(first, change(frame("update", 2, 1, [["101", "0"], ["103", "1"]]))) // prettier-ignore
    assert.deepStrictEqual(first.asks.map(String).length, 2)
    assert.deepStrictEqual(
      Result.getOrThrow(second).asks.map(({ price }) => String(price)),
      ["102", "103"]
    )
    assert.strictEqual(first.asks[0]?.price, "101")
    const deep = change(frame("update", 2, 1, [["103", "1"]]))
    assert.deepStrictEqual(OrderBook.apply(first, deep, 2), Result.fail("a side has 3 levels, more than 2"))
    assert.isTrue(Result.isFailure(OrderBook.apply(undefined, deep)))
  })
})
