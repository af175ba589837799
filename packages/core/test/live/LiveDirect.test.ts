import { assert, describe, it } from "@effect/vitest"
import { Live, LiveStream } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

const { noHttp, time, trade, word } = FakeLive

const trades = (options?: Parameters<typeof Live.marketTrades>[1]) =>
  Live.marketTrades({ markets: "a-btc-usd-spot" }, options)

/** Reads with a function up to a message. */
const upTo = (last: string, stream: ReturnType<typeof trades>) =>
  Effect.gen(function* () {
    const read: Array<string> = []
    const end = yield* stream.pipe(
      LiveStream.runForEachArray((messages) => {
        read.push(...messages.map(word))
        return read.includes(last) ? Effect.fail("read") : undefined
      }),
      Effect.flip
    )
    assert.strictEqual(end, "read")
    return read
  })

const asStream = (last: string, stream: ReturnType<typeof trades>) =>
  stream.pipe(
    Stream.map(word),
    Stream.takeUntil((text) => text === last),
    Stream.runCollect
  )

/** A connection that is lost after a repeat, and one that lacks frames. */
const broken = () =>
  FakeLive.make([
    [{ frame: trade("1", 1, 0) }, { frame: trade("2", 2, 1) }, { frame: trade("2", 2, 2) }, { close: 1011 }],
    [{ frame: trade("5", 5, 0) }, { frame: trade("6", 6, 1) }, { frame: trade("9", 9, 3) }],
    [{ frame: trade("9", 9, 0) }, { frame: trade("10", 10, 1) }]
  ])

const page = (...ids: ReadonlyArray<number>) => FakeApi.page(ids.map((id) => trade(String(id), id)))

/** History, what was published before the second connection, and a refusal before the third. */
const http = () =>
  FakeApi.serve(({ url }) => {
    const end = url.searchParams.get("end_time")
    if (end === null) return Effect.succeed(page(0, 1))
    return Effect.succeed(end < time(8) ? page(0, 1, 2, 3, 4, 5) : FakeApi.refusal(403, "forbidden", "no"))
  })

describe("A function that is called with live messages", () => {
  it.effect("has each record before the event of its frame ends, and again after a wait", () =>
    Effect.gen(function* () {
      const read: Array<string> = []
      const within: Array<string> = []
      const send = (at: number) =>
        Effect.sync(() => {
          const before = read.length
          live.sockets[0]?.emit("message", { data: JSON.stringify(trade(String(at), at, at)) })
          within.push(...read.slice(before))
        })
      const live = FakeLive.make([
        [send(0), send(1), Effect.sleep("1 second"), send(2), Effect.sleep("10 seconds"), send(3)]
      ])
      yield* Virtual.run(
        trades().pipe(
          LiveStream.runForEachArray((messages) => {
            const words = messages.map(word)
            read.push(...words)
            if (words.includes("live 2")) return Effect.sleep("2 seconds")
            return words.includes("live 3") ? Effect.fail("read") : undefined
          }),
          Effect.exit,
          Effect.provide(live.layer(noHttp))
        )
      )
      assert.deepStrictEqual(within, ["live 0", "live 1", "live 2", "live 3"])
      assert.strictEqual(live.open(), 0)
    })
  )

  it.effect("has what a reader of the stream has: history, connections, fills without repeats, and gaps", () =>
    Effect.gen(function* () {
      const stream = trades({ since: time(0) })
      const expected = yield* Virtual.run(asStream("live 10", stream).pipe(Effect.provide(broken().layer(http()))))
      const read = yield* Virtual.run(upTo("live 10", stream).pipe(Effect.provide(broken().layer(http()))))
      assert.deepStrictEqual(read, expected)
      assert.includeMembers(read, ["history 0", "filled 4", "live 6", "gap 00..09 failed", "live 10"])
    })
  )

  it.effect.each(["suspend", "dropOldest", "fail"] as const)("may be slower than the feed, with %s", (whenFull) =>
    Effect.gen(function* () {
      const frames = Array.from({ length: 40 }, (_, at) => [
        { frame: trade(String(at), at, at) },
        Effect.sleep("1 second")
      ])
      const read: Array<string> = []
      const end = yield* Virtual.run(
        trades({ capacity: 4, whenFull }).pipe(
          LiveStream.runForEachArray((messages) => {
            read.push(...messages.map(word))
            return read.at(-1) === "live 39" ? Effect.fail("read" as const) : Effect.sleep("10 seconds")
          }),
          Effect.flip,
          Effect.provide(FakeLive.make([frames.flat()]).layer(noHttp))
        )
      )
      const delivered = read.filter((text) => text.startsWith("live"))
      const dropped = read.flatMap((text) => (text.startsWith("dropped") ? [Number(text.slice(8))] : []))
      if (whenFull === "fail") return assert.strictEqual(end === "read" ? end : end._tag, "TooSlow")
      assert.strictEqual(end, "read")
      assert.strictEqual(delivered.length + dropped.reduce((sum, count) => sum + count, 0), 40)
      assert.strictEqual(dropped.length > 0, whenFull === "dropOldest")
    })
  )

  it.effect("ends with what it throws or fails with, or is interrupted, and the connection is closed", () =>
    Effect.gen(function* () {
      const script = [Array.from({ length: 3 }, (_, at) => ({ frame: trade(String(at), at, at) }))]
      const run = (handler: () => Effect.Effect<unknown, string> | undefined) =>
        Effect.gen(function* () {
          const live = FakeLive.make(script)
          const exit = yield* Virtual.run(
            LiveStream.runForEachArray(trades(), (messages) =>
              messages.some((message) => message._tag === "Data") ? handler() : undefined
            ).pipe(Effect.provide(live.layer(noHttp)), Effect.exit)
          )
          assert.deepStrictEqual([live.sockets.length, live.open()], [1, 0])
          return exit
        })
      const defect = new Error("no")
      assert.deepStrictEqual(
        yield* run(() => {
          throw defect
        }),
        Exit.die(defect)
      )
      assert.deepStrictEqual(yield* run(() => Effect.fail("enough")), Exit.fail("enough"))
      assert.isTrue(Exit.hasInterrupts(yield* run(() => Effect.interrupt)))

      const live = FakeLive.make(script)
      yield* Virtual.run(
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(LiveStream.runForEachArray(trades(), () => undefined))
          yield* Effect.sleep("1 second")
          assert.strictEqual(live.open(), 1)
          yield* Fiber.interrupt(fiber)
          assert.strictEqual(live.open(), 0)
        }).pipe(Effect.provide(live.layer(noHttp)))
      )
    })
  )

  it.effect("is called with those of any other stream, until its end", () =>
    Effect.gen(function* () {
      const read: Array<string> = []
      yield* Virtual.run(
        trades().pipe(
          Stream.take(3),
          LiveStream.runForEachArray((messages) => void read.push(...messages.map(word))),
          Effect.provide(FakeLive.make([[0, 1].map((at) => ({ frame: trade(String(at), at, at) }))]).layer(noHttp))
        )
      )
      assert.deepStrictEqual(read, ["Connected", "live 0", "live 1"])
    })
  )

  it.effect("may return what is no effect, as a listener may, on any stream", () =>
    Effect.gen(function* () {
      const read: Array<string> = []
      const listener: (messages: ReadonlyArray<Parameters<typeof word>[0]>) => void = (messages) =>
        read.push(...messages.map(word))
      yield* Virtual.run(
        trades().pipe(
          Stream.take(2),
          LiveStream.runForEachArray(listener),
          Effect.provide(FakeLive.make([[{ frame: trade("0", 0, 0) }]]).layer(noHttp))
        )
      )
      assert.deepStrictEqual(read, ["Connected", "live 0"])
    })
  )
})

const change = (messages: ReadonlyArray<Parameters<typeof word>[0]>) => {
  for (const message of messages) if (message._tag === "Data") Object.assign(message.record, { time: 5, price: "0" })
}

describe("A program that changes the records it gets", () => {
  for (const [how, inFrames] of [
    ["one by one", (frames: ReadonlyArray<object>) => frames.map((frame) => ({ frame }))],
    ["many at once", (frames: ReadonlyArray<object>) => [{ frames }]]
  ] as const) {
    it.effect(`has none of them again after a new connection, where they come ${how}`, () =>
      Effect.gen(function* () {
        const first = [1, 2, 3].map((id) => trade(String(id), id, id - 1))
        const live = FakeLive.make([
          [...inFrames(first), { close: 1011 }],
          [{ frame: trade("3", 3, 0) }, { frame: trade("4", 4, 1) }]
        ])
        const read: Array<string> = []
        yield* Virtual.run(
          trades().pipe(
            LiveStream.runForEachArray((messages) => {
              read.push(...messages.map(word))
              change(messages)
              return read.includes("live 4") ? Effect.fail("read") : undefined
            }),
            Effect.exit,
            Effect.provide(live.layer(noHttp))
          )
        )
        const data = read.filter((text) => text.startsWith("live"))
        assert.deepStrictEqual(data, ["live 1", "live 2", "live 3", "live 4"])
      })
    )
  }
})

describe("A record whose time is far ahead", () => {
  it.effect("is delivered once, though records of the right time come after it", () =>
    Effect.gen(function* () {
      const ahead = { ...trade("2", 2), time: "2026-01-02T00:00:00.000000000Z" }
      const frames = [trade("1", 1), ahead, trade("3", 3), ahead, trade("4", 4), ahead, trade("5", 5)]
      const numbered = frames.map((frame, at) => ({ frame: { ...frame, cm_sequence_id: String(at) } }))
      const read = yield* Virtual.run(
        upTo("live 5", trades()).pipe(Effect.provide(FakeLive.make([numbered]).layer(noHttp)))
      )
      assert.deepStrictEqual(read, ["Connected", "live 1", "live 2", "live 3", "live 4", "live 5"])
    })
  )
})
