import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveMessage } from "@sluice/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"
import * as Asked from "../../src/internal/live/Asked.ts"

const { noHttp, time, trade, word } = FakeLive

const markets = { markets: "a-btc-usd-spot" }

const words = (count: number, options?: Parameters<typeof Live.marketTrades>[1]) =>
  Live.marketTrades(markets, options).pipe(Stream.take(count), Stream.map(word), Stream.runCollect)

const block = (height: number, sequence: number) => ({
  asset: "btc",
  time: time(height - 80),
  height: String(height),
  hash: `h${height}`,
  parent_hash: `h${height - 1}`,
  type: "new_block",
  PriceUSD: "1",
  cm_sequence_id: String(sequence)
})

const overHttp = (height: number) => ({
  asset: "btc",
  time: time(height - 80),
  height: String(height),
  block_hash: `h${height}`,
  parent_block_hash: `h${height - 1}`,
  PriceUSD: "1"
})

const warnings = (root: string) => {
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => {
    said.push(String(message))
  })
  const live = FakeLive.make([[{ frame: trade("1", 1, 0) }]])
  return Virtual.run(
    words(1).pipe(
      Effect.provide(live.layer(noHttp, { root }, { apiKey: Redacted.make("thekey") })),
      Effect.provide(Logger.layer([logger]))
    )
  ).pipe(Effect.as(said))
}

describe("Where a live stream begins", () => {
  it.effect("is where a gap begins of an entity that had no record before", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frame: { warning: { type: "falling_behind", message: "" } } }, { close: 1011 }],
        [{ frame: trade("1", 1, 0) }]
      ])
      const api = FakeApi.make([FakeApi.refusal(403, "forbidden", "no")])
      const read = yield* Virtual.run(
        Live.marketTrades(markets).pipe(Stream.take(5), Stream.runCollect, Effect.provide(live.layer(api)))
      )
      const gap = read.find((message): message is LiveMessage.Gap => message._tag === "Gap")
      // As long before the record as the stream has run, less than a second, and two seconds more.
      assert.match(gap?.from ?? "", /^2025-12-31T23:59:58\.\d/)
      assert.strictEqual(gap?.to, time(1))
    })
  )

  it.effect("is the first block: a fill brings none below it", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frames: [block(100, 0), block(101, 1)] }, { close: 1011 }],
        [{ frame: block(103, 0) }]
      ])
      // A service that does not keep to the start of the range.
      const api = FakeApi.make([FakeApi.page(Array.from({ length: 16 }, (_, at) => overHttp(88 + at)))])
      const read = yield* Virtual.run(
        Live.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"] }).pipe(
          Stream.filter((message) => message._tag === "Data"),
          Stream.map(({ origin, record }) => `${origin} ${String(record.height)}`),
          Stream.take(4),
          Stream.runCollect,
          Effect.provide(live.layer(api))
        )
      )
      assert.deepStrictEqual(read, ["live 100", "live 101", "filled 102", "live 103"])
      assert.include((yield* api.requests)[0], "start_height=100&")
    })
  )
})

describe("A connection of a live stream", () => {
  it.effect("ends the stream with a defect where `verify` throws, at once and behind frames that came before", () =>
    Effect.gen(function* () {
      const thrown = new Error("no such record")
      for (const script of [
        [{ frame: trade("1", 1, 0) }],
        [{ frame: trade("0", 0, 0) }, Effect.sleep("1 second"), { frame: trade("1", 1, 1) }]
      ]) {
        const live = FakeLive.make([script])
        const verify = ({ coin_metrics_id: id }: { readonly coin_metrics_id: string }) => {
          if (id === "1") throw thrown
          return undefined
        }
        // Type boundary: `verify` sees records of any endpoint.
        const options = { verify: verify as (record: object) => undefined }
        const exit = yield* Virtual.run(Effect.exit(words(9, options).pipe(Effect.provide(live.layer(noHttp)))))
        assert.deepStrictEqual(exit, Exit.die(thrown))
        assert.strictEqual(live.open(), 0)
      }
    })
  )

  it.effect(
    "that brings nothing is healed from its beginning on, though the clock of this machine is decades behind",
    () =>
      Effect.gen(function* () {
        const live = FakeLive.make([[Effect.sleep("5 seconds"), { close: 1011 }], [{ frame: trade("9", 40, 0) }]])
        const api = FakeApi.make([FakeApi.page([trade("8", 38), trade("9", 40)])])
        const read = yield* Virtual.run(words(5).pipe(Effect.provide(live.layer(api))))
        assert.deepStrictEqual(read, ["Connected", "Disconnected", "Connected", "filled 8", "live 9"])
        const [asked = ""] = yield* api.requests
        const [, start = ""] = /start_time=([^&]+)/.exec(asked) ?? []
        assert.isAbove(Date.parse(start.slice(0, 23) + "Z"), Date.parse(time(31)), asked)
        assert.isBelow(Date.parse(start.slice(0, 23) + "Z"), Date.parse(time(34)), asked)
      })
  )

  it.effect("that ends three times in a row by a frame beyond the limit of the WebSocket names the setting", () =>
    Effect.gen(function* () {
      const tooLong = Object.assign(new Error("Max payload size exceeded"), {
        code: "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"
      })
      const live: ReturnType<typeof FakeLive.serve> = FakeLive.serve((index) => [
        { frame: trade(String(index), index, 0) },
        Effect.sync(() => live.sockets[index]!.emit("error", { error: tooLong }))
      ])
      const http = FakeApi.serve(() => Effect.succeed(FakeApi.page([])))
      const read = yield* Virtual.run(
        Live.marketTrades(markets).pipe(Stream.runDrain, Effect.exit, Effect.provide(live.layer(http)))
      )
      const error = Exit.isFailure(read) ? Cause.squash(read.cause) : undefined
      assert.deepInclude(error, { _tag: "Decode", setting: "maxFrameBytes" })
      assert.lengthOf(live.sockets, 3)
    })
  )

  it.effect("that brings entities that were not asked for gives them as Unknown, and warns once", () =>
    Effect.gen(function* () {
      const strange = (at: number) => trade(String(at), at, at, `stranger-${at}-usd-spot`)
      const live = FakeLive.make([
        [{ frames: [trade("0", 0, 0), strange(1), strange(2)] }, { frame: trade("3", 3, 3) }]
      ])
      const read = yield* Virtual.run(
        Live.marketTrades(markets).pipe(Stream.take(6), Stream.runCollect, Effect.provide(live.layer(noHttp)))
      )
      assert.deepStrictEqual(read.map(word), ["Connected", "live 0", "Unknown", "Warning", "Unknown", "live 3"])
      const warning = read.find((message) => message._tag === "Warning")
      assert.deepInclude(warning, { type: "unasked_entity" })
      assert.include(warning?.message, "stranger-1-usd-spot")
      assert.deepInclude(read[2], { frame: strange(1) })
    })
  )

  it.effect("names none of them by the key of the account", () =>
    Effect.gen(function* () {
      const key = "SECRETKEY12345abc"
      const live = FakeLive.make([[{ frame: trade("1", 1, 1, `a-${key}-spot`) }]])
      const api = { ...noHttp, layer: () => noHttp.layer({ apiKey: Redacted.make(key) }) }
      const read = yield* Virtual.run(
        Live.marketTrades(markets).pipe(Stream.take(3), Stream.runCollect, Effect.provide(live.layer(api)))
      )
      const warning = read.find((message) => message._tag === "Warning")
      assert.deepInclude(warning, { type: "unasked_entity" })
      assert.notInclude(warning?.message, key)
    })
  )

  it.effect("may bring a damaged frame now and then, where others come between", () =>
    Effect.gen(function* () {
      const damaged = { text: "{oops" }
      const live = FakeLive.make([
        [{ frame: trade("1", 1, 0) }, damaged],
        [{ frame: trade("1", 1, 0) }, { frame: trade("2", 2, 1) }, damaged],
        [{ frame: trade("2", 2, 0) }, { frame: trade("3", 3, 1) }]
      ])
      const read = yield* Virtual.run(words(8).pipe(Effect.provide(live.layer(FakeLive.emptyHttp))))
      const live3 = read.filter((text) => text.startsWith("live"))
      assert.deepStrictEqual(live3, ["live 1", "live 2", "live 3"])
    })
  )

  it.effect("ends the stream where one entity's frame is always damaged, though another brings records", () =>
    Effect.gen(function* () {
      const { coin_metrics_id: _, ...damaged } = trade("9", 9, 1, "b-btc-usd-spot")
      const live = FakeLive.serve((connection) => [{ frames: [trade(String(connection), connection, 0), damaged] }])
      const api = FakeApi.serve((request) =>
        Effect.succeed(FakeApi.page([trade("1", Number(request.url.searchParams.get("end_time")?.slice(17, 19)))]))
      )
      const error = yield* Virtual.run(
        Live.marketTrades({ markets: "*" }).pipe(Stream.runDrain, Effect.flip, Effect.provide(live.layer(api)))
      )
      assert.strictEqual(error._tag, "Decode")
      assert.lengthOf(live.sockets, 3)
    })
  )
})

describe("The entities that were asked for", () => {
  const cases = [
    [["a-btc-usd-spot"], "a-btc-usd-spot", true],
    [["A-BTC-usd-spot"], "a-btc-USD-spot", true],
    [["a-btc-usd-spot"], "a-btc-usd-spot2", false],
    [["*"], "anything", true],
    [["a-*-spot"], "a-btc-usd-spot", true],
    [["a-*-spot"], "a-spot", false],
    [["a-*-usd-*"], "a-btc-usd-spot", true],
    [["a-*-usd-*"], "a-btc-eur-spot", false],
    [["a*aba*a"], "aabaa", true],
    [["a*aba*a"], "aaba", false],
    [["a.c*"], "abcd", false],
    [[`${"*a".repeat(40)}*b`], "a".repeat(200), false],
    [["b", "*-spot"], "a-spot", true]
  ] as const
  it.each(cases)("of %j hold %s: %s", (asked, name, isAsked) => {
    assert.strictEqual(Asked.make(asked)(name), isAsked)
  })
})

describe("The root of live streams", () => {
  it.effect("is warned of where the key crosses a network unencrypted", () =>
    Effect.gen(function* () {
      const said = yield* warnings("ws://elsewhere.example/v4")
      assert.lengthOf(said, 1)
      assert.include(said[0], "elsewhere.example over ws:")
      assert.notInclude(said[0], "thekey")
      assert.deepStrictEqual(yield* warnings("wss://elsewhere.example/v4"), [])
      assert.deepStrictEqual(yield* warnings("ws://localhost:8080/v4"), [])
    })
  )
})
