import { assert, describe, it } from "@effect/vitest"
import { type Live, OrderBook } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as FakeLive from "../live/FakeLive.ts"
import * as Virtual from "../Virtual.ts"

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

  it.effect("of fewer levels has those that come after the ones that leave", () =>
    Effect.gen(function* () {
      const whole = frame("snapshot", 1, 0, [["103", "3"], ["101", "1"], ["102", "2"]], [["98", "3"], ["100", "1"], ["99", "2"]]) // prettier-ignore
      const left = frame(
        "update",
        2,
        1,
        [["101", "0"]],
        [
          ["100", "0"],
          ["99", "0"]
        ]
      )
      const live = FakeLive.make([[{ frames: [whole, left] }]])
      const read = yield* Virtual.run(words(3, { maxLevels: 1 }).pipe(Effect.provide(live.layer(FakeLive.noHttp))))
      assert.deepStrictEqual(read, ["Connected", "live 1: 100x1 | 101x1", "live 2: 98x3 | 102x2"])
    })
  )

  it.effect("that cannot be made is not delivered: a new snapshot is asked for, and a gap says from when to when", () =>
    Effect.gen(function* () {
      const broken = [
        frame("update", 3, 2, [["104", ""]]),
        frame("update", 3, 2, [["104", "-1"]]),
        frame("snapshot", 3, 2, [["high", "1"]]),
        { ...frame("update", 3, 2, [["104", "1"]]), type: "change" }
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
        const read = yield* Virtual.run(words(8).pipe(Effect.provide(live.layer(FakeLive.noHttp))))
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

  it.effect("may be told in any order, with levels that are not there removed, and empty on either side", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [
          {
            frames: [
              frame("snapshot", 1, 0, [["102", "2"], ["101", "1"], ["103", "0"]], [["99", "5"], ["100", "1"]]), // prettier-ignore
              frame("update", 2, 1, [["105", "0"]], [["98", "0"]]), // prettier-ignore
              frame("update", 3, 2, []),
              frame("update", 4, 3, [["101", "0"], ["102", "0"]]), // prettier-ignore
              frame("snapshot", 5, 4, [])
            ]
          }
        ]
      ])
      const read = yield* Virtual.run(words(6).pipe(Effect.provide(live.layer(FakeLive.noHttp))))
      assert.deepStrictEqual(read, [
        "Connected",
        "live 1: 100x1 99x5 | 101x1 102x2",
        "live 2: 100x1 99x5 | 101x1 102x2",
        "live 3: 100x1 99x5 | 101x1 102x2",
        "live 4: 100x1 99x5 | ",
        "live 5:  | "
      ])
    })
  )

  it.effect(
    "is that of each snapshot, wherever it comes: one that says nothing new, and one of another collector",
    () =>
      Effect.gen(function* () {
        const repeated = frame("snapshot", 2, 2, [["101", "2"], ["102", "2"]], [["100", "1"], ["99", "5"]]) // prettier-ignore
        const live = FakeLive.make([
          [
            {
              frames: [
                start(1),
                frame("update", 2, 1, [["101", "2"]]),
                repeated,
                { ...repeated, cm_sequence_id: "3" },
                frame("snapshot", 3, 4, [["201", "1"]], [["200", "1"]]), // prettier-ignore
                frame("update", 4, 5, [["201", "3"]])
              ]
            }
          ]
        ])
        const read = yield* Virtual.run(words(5).pipe(Effect.provide(live.layer(FakeLive.noHttp))))
        assert.deepStrictEqual(read.slice(2), [
          "live 2: 100x1 99x5 | 101x2 102x2",
          "live 3: 200x1 | 201x1",
          "live 4: 200x1 | 201x3"
        ])
      })
  )

  it.effect("goes on through a broken connection with a new snapshot, without HTTP, and says what is not known", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frames: [start(1), frame("update", 2, 1, [["101", "2"]])] }, { close: 1012 }],
        // Later than the last book.
        [{ frames: [frame("snapshot", 4, 0, [["101", "3"]]), frame("update", 5, 1, [["101", "4"]])] }, { close: 1012 }],
        // Older than the last book: what follows changes it, also where it was told before, and may lack what changed meanwhile.
        [{ frames: [frame("snapshot", 3, 0, [["101", "8"]]), frame("update", 5, 1, [["101", "4"]])] }, { close: 1012 }],
        // The same book as before.
        [{ frames: [frame("snapshot", 5, 0, [["101", "4"]]), frame("update", 6, 1, [["102", "1"]])] }]
      ])
      const read = yield* Virtual.run(words(16).pipe(Effect.provide(live.layer(FakeLive.noHttp))))
      assert.deepStrictEqual(read.slice(2), [
        "live 2: 100x1 99x5 | 101x2 102x2",
        "Disconnected",
        "Connected",
        "gap 02..04 unfillable",
        "live 4:  | 101x3",
        "live 5:  | 101x4",
        "Disconnected",
        "Connected",
        "live 3:  | 101x8",
        "gap 03..05 unfillable",
        "live 5:  | 101x4",
        "Disconnected",
        "Connected",
        "live 6:  | 101x4 102x1"
      ])
    })
  )

  it.effect("is that of no other connection: one that does not begin with a snapshot is replaced, once", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frames: [start(1)] }, { close: 1012 }],
        [{ frames: [frame("update", 2, 0, [["101", "2"]])] }],
        [{ frames: [frame("update", 3, 0, [["101", "3"]]), frame("update", 4, 1, [["101", "4"]]), start(5, 2)] }]
      ])
      const read = yield* Virtual.run(words(9).pipe(Effect.provide(live.layer(FakeLive.noHttp))))
      assert.deepStrictEqual(read.slice(1), [
        "live 1: 100x1 99x5 | 101x1 102x2",
        "Disconnected",
        "Connected",
        "gap 01..02 unfillable",
        "Disconnected",
        "Connected",
        "gap 01..03 unfillable",
        "live 5: 100x1 99x5 | 101x1 102x2"
      ])
    })
  )

  it.effect("may cross for moments; where it does for more than ten seconds, a new snapshot is asked for", () =>
    Effect.gen(function* () {
      const cross = (second: number, sequence: number) => frame("update", second, sequence, [], [["101.5", `${second}`]]) // prettier-ignore
      const live = FakeLive.make([
        [
          {
            frames: [
              start(1),
              cross(2, 1),
              frame("update", 3, 2, [["101", "0"]]),
              frame("update", 4, 3, [["101", "1"]]),
              cross(14, 4),
              cross(15, 5)
            ]
          }
        ],
        // A snapshot says that the sides cross: so they do.
        [
          {
            frames: [
              frame("snapshot", 16, 0, [["101", "1"]], [["101.5", "15"]]), // prettier-ignore
              cross(40, 1),
              cross(59, 2)
            ]
          }
        ]
      ])
      const read = yield* Virtual.run(words(12).pipe(Effect.provide(live.layer(FakeLive.noHttp))))
      assert.deepStrictEqual(read.slice(2), [
        "live 2: 101.5x2 100x1 99x5 | 101x1 102x2",
        "live 3: 101.5x2 100x1 99x5 | 102x2",
        "live 4: 101.5x2 100x1 99x5 | 101x1 102x2",
        "live 14: 101.5x14 100x1 99x5 | 101x1 102x2",
        "Disconnected",
        "Connected",
        "gap 04..16 unfillable",
        "live 16: 101.5x15 | 101x1",
        "live 40: 101.5x40 | 101x1",
        "live 59: 101.5x59 | 101x1"
      ])
    })
  )

  it.effect("is not asked for again and again where its snapshots cannot be read: a warning says so", () =>
    Effect.gen(function* () {
      const wrong = (sequence: number) => frame("snapshot", 1, sequence, [["99", ""]])
      const live = FakeLive.make([
        [{ frame: wrong(0) }],
        [{ frames: [wrong(0), frame("update", 2, 1, [["98", "0"]]), start(3, 2)] }]
      ])
      const read = yield* Virtual.run(words(6).pipe(Effect.provide(live.layer(FakeLive.noHttp))))
      assert.deepStrictEqual(read, [
        "Connected",
        "Disconnected",
        "Connected",
        "gap 58..01 unfillable",
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
    const deep = change(frame("update", 2, 1, [["101.5", "1"]]))
    const cut = Result.getOrThrow(OrderBook.apply(first, deep, 2))
    // A level that leaves the best of a side may leave without a word.
    assert.strictEqual(side(cut.asks), "101x1 101.5x1")
    assert.isTrue(Result.isFailure(OrderBook.apply(undefined, deep)))
  })
})
