import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveEndpoint, type LiveMessage, OrderBook } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

const { broken, market, numbered, time, trade, word } = FakeLive

type Trade = ReturnType<typeof trade>

/** A trade at a time of its own. */
const at = (id: string, when: string): Trade => ({ ...trade(id, 0), time: when })

/** A service that has these trades over HTTP, each from a second of the run on, in the order given. */
const having = (trades: ReadonlyArray<Trade>, shownFrom: (trade: Trade) => number = () => 0) =>
  FakeLive.having((second) => trades.filter((one) => shownFrom(one) <= second))

/** What a reader is told within two minutes, as words, each with the second of the run at which it was. */
const follow = (
  scripts: ReadonlyArray<FakeLive.Script>,
  http: Effect.Effect<FakeApi.FakeApi>,
  markets: LiveEndpoint.CallOptions & { readonly markets?: ReadonlyArray<string> } = {}
) =>
  Virtual.run(
    Effect.gen(function* () {
      const api = yield* http
      const { markets: asked = [market], ...options } = markets
      const origin = yield* Clock.currentTimeMillis
      const told: Array<readonly [text: string, second: number]> = []
      const tell = (message: LiveMessage.LiveMessage<Live.LiveMarketTrade>) =>
        Effect.map(Clock.currentTimeMillis, (millis) => told.push([word(message), (millis - origin) / 1_000]))
      const live = FakeLive.make(scripts)
      const failure = yield* Live.marketTrades({ markets: asked }, options).pipe(
        Stream.runForEach(tell),
        Effect.flip,
        Effect.timeoutOption("2 minutes"),
        Effect.provide(live.layer(api, { silence: Infinity }))
      )
      return { failure, requests: yield* api.requests, told, words: told.map(([text]) => text) }
    })
  )

const records = (words: ReadonlyArray<string>) => words.filter((text) => /^(live|filled|gap)/.test(text))

describe("A live record whose time does not exist", () => {
  const times = ["2026-13-01T00:00:02.000000000Z", "2026-11-31T00:00:02.000000000Z", "2026-01-01T00:00:60.000000000Z"]

  it.effect.each(times)("replaces the connection, and hides nothing that comes later: %s", (when) =>
    Effect.gen(function* () {
      const scripts = [
        [numbered([trade("1", 1), at("2", when), trade("3", 3)]), broken],
        [numbered([trade("4", 4), trade("5", 5)])]
      ]
      const { words } = yield* follow(scripts, having([trade("1", 1), trade("3", 3), trade("4", 4)]))
      assert.deepStrictEqual(records(words), ["live 1", "filled 3", "live 4", "live 5"])
      assert.include(words, "Disconnected")
    })
  )

  it.effect("ends the stream with its name where it comes again in each connection", () =>
    Effect.gen(function* () {
      const script = [numbered([at("2", times[0]!)]), broken]
      const { failure, words } = yield* follow([script, script, script], having([]))
      assert(failure._tag === "Some" && failure.value._tag === "Decode")
      assert.include(failure.value.message, `"${times[0]}" is no time that exists`)
      assert.lengthOf(
        words.filter((text) => text === "Connected"),
        3
      )
    })
  )

  it.effect("leaves a gap where HTTP shows it, beside the records that it has", () =>
    Effect.gen(function* () {
      const scripts = [[numbered([trade("1", 1)]), broken], [numbered([trade("4", 4)])]]
      const shown = [trade("1", 1), at("2", "2026-01-01T00:00:02.5000000xxZ"), trade("3", 3)]
      const { words } = yield* follow(scripts, having(shown))
      assert.deepStrictEqual(records(words), ["live 1", "filled 3", "gap 01..04 failed", "live 4"])
    })
  )
})

describe("A live record whose time is wrong", () => {
  const past = ["1970-01-01T00:00:00.000000000Z", "2025-12-31T23:50:00.000000000Z"]
  const history = [at("0", "2025-12-31T23:55:00.000000000Z"), ...[1, 2, 3, 4, 5].map((id) => trade(String(id), id))]

  it.effect.each(past)("by years or minutes in the past repeats nothing after a break: %s", (when) =>
    Effect.gen(function* () {
      for (const first of [
        [trade("1", 1), at("x", when)],
        [trade("1", 1), trade("2", 2), at("x", when)]
      ]) {
        const scripts = [[numbered(first), broken], [numbered([trade("4", 4), trade("5", 5)])]]
        const { requests, words } = yield* follow(scripts, having([at("x", when), ...history]))
        const said = first.map(({ coin_metrics_id: id }) => `live ${id}`)
        const filled = ["2", "3"].filter((id) => !said.includes(`live ${id}`)).map((id) => `filled ${id}`)
        assert.deepStrictEqual(records(words), [...said, ...filled, "live 4", "live 5"])
        assert.notInclude(requests.join(), when)
      }
    })
  )

  it.effect.each([3, 60, 240])("by %i seconds ahead loses nothing after a break, and is not repeated", (seconds) =>
    Effect.gen(function* () {
      const ahead = at(
        "x",
        new Date(Date.parse("2026-01-01T00:00:03Z") + seconds * 1_000).toISOString().replace("Z", "000000Z")
      )
      const all = [...history, ahead]
      const later = at("9", "2026-01-01T00:10:00.000000000Z")
      const scripts = [[numbered([trade("1", 1), trade("2", 2), ahead, trade("3", 3)]), broken], [numbered([later])]]
      const { words } = yield* follow(scripts, having([...all, later]))
      const said = ["live 1", "live 2", "live x", "live 3", "filled 4", "filled 5", "live 9"]
      assert.deepStrictEqual(records(words), said)
    })
  )

  it.effect("of a service that begins minutes behind what it has sent is not delivered again", () =>
    Effect.gen(function* () {
      const minutes = Array.from({ length: 30 }, (_, id) =>
        at(String(id), `2026-01-01T00:${String(id).padStart(2, "0")}:00.000000000Z`)
      )
      const scripts = [
        [numbered(minutes), broken],
        [numbered([...minutes.slice(20), at("30", "2026-01-01T00:30:00.000000000Z")])]
      ]
      const { words } = yield* follow(scripts, having(minutes))
      assert.deepStrictEqual(
        records(words),
        Array.from({ length: 31 }, (_, id) => `live ${id}`)
      )
    })
  )
})

describe("A hole", () => {
  it.effect("is filled whatever the order in which HTTP sends its records", () =>
    Effect.gen(function* () {
      const scripts = [[numbered([trade("1", 1)]), broken], [numbered([trade("6", 6)])]]
      const shown = [6, 4, 2, 5, 3, 1].map((id) => trade(String(id), id))
      const { words } = yield* follow(scripts, having(shown))
      assert.sameMembers(records(words), ["live 1", ...[2, 3, 4, 5].map((id) => `filled ${id}`), "live 6"])
    })
  )

  it.effect("is looked at again for records that HTTP shows after the one at its end", () =>
    Effect.gen(function* () {
      const scripts = [
        [numbered([trade("1", 1)]), broken],
        [numbered([trade("4", 4)]), Effect.sleep("1 minute")]
      ]
      const shown = [1, 2, 3, 4].map((id) => trade(String(id), id))
      const { words } = yield* follow(
        scripts,
        having(shown, ({ coin_metrics_id: id }) => (id === "2" ? 4 : id === "3" ? 2 : 0))
      )
      assert.deepStrictEqual(records(words), ["live 1", "live 4", "filled 3", "filled 2"])
    })
  )

  it.effect("of an entity that is first seen after a break is filled, though the clock of this machine is ahead", () =>
    Effect.gen(function* () {
      // By a day.
      yield* TestClock.setTime(Date.parse("2026-01-02T00:00:00Z"))
      const other = (id: string, second: number) => trade(id, second, undefined, "b-btc-usd-spot")
      const scripts = [[numbered([trade("1", 1)]), Effect.sleep("10 seconds"), broken], [numbered([other("6", 14)])]]
      const { words } = yield* follow(scripts, having([other("3", 8), other("5", 12), other("6", 14)]), {
        markets: [market, "b-btc-usd-spot"]
      })
      assert.deepStrictEqual(records(words), ["live 1", "filled 3", "filled 5", "live 6"])
    })
  )
})

describe("What cannot be read", () => {
  it.effect("ends no stream because of two frames on a quiet market", () =>
    Effect.gen(function* () {
      const scripts = [
        [numbered([trade("1", 1)]), { text: "{oops" }],
        [numbered([trade("1", 1)]), Effect.sleep("10 seconds"), { text: "{oops" }],
        [numbered([trade("1", 1)]), Effect.sleep("10 seconds"), { frame: trade("2", 2, 1) }]
      ]
      const { failure, words } = yield* follow(scripts, having([trade("1", 1)]))
      assert.deepStrictEqual(records(words), ["live 1", "live 2"])
      assert.strictEqual(failure._tag, "None")
    })
  )
})

describe("A reader that wants each record as it arrives", () => {
  const trades = [1, 2, 3, 4, 5].map((id) => trade(String(id), id))

  it.effect("does not wait for HTTP, and gets what was missed behind it", () =>
    Effect.gen(function* () {
      for (const order of ["series", "arrival"] as const) {
        const scripts = [
          [numbered(trades.slice(0, 1)), broken],
          [numbered(trades.slice(3)), Effect.sleep("1 minute")]
        ]
        const { told } = yield* follow(
          scripts,
          having(trades, () => 15),
          { order }
        )
        const secondOf = (text: string) => told.find(([one]) => one === text)?.[1] ?? Infinity
        assert.sameMembers(records(told.map(([text]) => text)), ["live 1", "filled 2", "filled 3", "live 4", "live 5"])
        assert.isAtLeast(secondOf("filled 3"), 15)
        if (order === "arrival") assert.isBelow(secondOf("live 5"), 5)
        else assert.isAtLeast(secondOf("live 4"), 15)
      }
    })
  )

  it.effect("is told where the hole begins, though the record behind it was delivered before", () =>
    Effect.gen(function* () {
      const scripts = [[numbered(trades.slice(0, 3)), broken], [numbered([trade("9", 50)])]]
      const { words } = yield* follow(scripts, having(trades), { order: "arrival" })
      assert.include(words, "gap 01..50 lagging")
    })
  )

  it.effect.each(["series", "arrival"] as const)("waits once for all entities, though they are many: %s", (order) =>
    Effect.gen(function* () {
      const markets = Array.from({ length: 400 }, (_, index) => `m${String(index).padStart(3, "0")}-btc-usd-spot`)
      const all = markets.flatMap((name) => [1, 2, 3].map((id) => trade(String(id), id, undefined, name)))
      const of = (id: string) => numbered(all.filter((one) => one.coin_metrics_id === id))
      const { requests, told } = yield* follow(
        [[of("1"), broken], [of("3")]],
        having(all, () => 15),
        { markets, order }
      )
      const words = told.map(([text]) => text)
      assert.lengthOf(
        words.filter((text) => text === "filled 2"),
        400
      )
      assert.lengthOf(
        words.filter((text) => text === "live 3"),
        400
      )
      assert.isEmpty(words.filter((text) => text.startsWith("gap")))
      assert.isBelow(Math.max(...told.map(([, second]) => second)), 30)
      // Eight for each look, since their ranges are one.
      assert.isBelow(requests.length, 120, String(requests.length))
    })
  )
})

describe("A quiet series", () => {
  it.effect("goes on though its connections, which last for a minute each, bring nothing new", () =>
    Effect.gen(function* () {
      const script = [numbered([trade("1", 1)]), Effect.sleep("50 seconds"), broken]
      const live = FakeLive.serve(() => script)
      const api = FakeApi.serve(() => Effect.succeed(FakeApi.page([trade("1", 1)])))
      const ended = yield* Virtual.run(
        Live.marketTrades({ markets: [market] }).pipe(
          Stream.runDrain,
          Effect.timeoutOption("30 minutes"),
          Effect.provide(live.layer(api, { silence: Infinity }))
        )
      )
      assert.strictEqual(ended._tag, "None")
      assert.isAbove(live.sockets.length, 30)
    })
  )

  it.effect("is read over HTTP for what comes late, as long as that lags, though its last record came again", () =>
    Effect.gen(function* () {
      const late = at("late", "2026-01-01T00:00:00.900000000Z")
      const scripts = [
        [numbered([trade("0", 0), trade("1", 1)]), broken],
        [numbered([trade("1", 1)]), Effect.sleep("1 minute")]
      ]
      const { words } = yield* follow(
        scripts,
        having([trade("0", 0), late, trade("1", 1)], () => 10)
      )
      assert.deepStrictEqual(records(words), ["live 0", "live 1", "filled late"])
    })
  )
})

const minute = (hour: number, index: number) => `2026-01-01T0${hour}:${String(index).padStart(2, "0")}:00.000000000Z`

describe("A clock of the service that is set back by an hour", () => {
  it.effect("leaves records out that may have been delivered, and says so", () =>
    Effect.gen(function* () {
      // As many as are remembered, an hour ahead, and more than a generation of them.
      const ahead = Array.from({ length: 60 }, (_, index) => at(`a${index}`, minute(1, index)))
      const right = [at("r0", minute(0, 1)), at("r1", minute(0, 2))]
      const scripts = [
        [
          ...ahead
            .map((one, index) => [{ frame: { ...one, cm_sequence_id: String(index) } }, Effect.sleep("10 seconds")])
            .flat(),
          broken
        ],
        [numbered(right)]
      ]
      const all: Array<string> = []
      const told = yield* Virtual.run(
        Live.marketTrades({ markets: [market] }).pipe(
          Stream.map(word),
          Stream.runForEach((text) => Effect.sync(() => all.push(text))),
          Effect.timeoutOption("20 minutes"),
          Effect.provide(FakeLive.make(scripts).layer(yield* having([]), { silence: Infinity }))
        )
      )
      assert.strictEqual(told._tag, "None")
      const after = all.slice(all.indexOf("Disconnected"))
      assert.deepStrictEqual(records(after), ["gap 00..00 forgotten"])
    })
  )
})

const level = (price: string) => [{ price, size: "1" }]

const book = (id: string, second: number, sequence: number, type = "update") => ({
  market,
  time: time(second),
  coin_metrics_id: id,
  asks: level("3"),
  bids: type === "snapshot" ? level("1") : level(`1.${id}`),
  collect_time: time(second),
  type,
  cm_sequence_id: String(sequence)
})

describe("A book that is followed", () => {
  it.effect("has a gap where a connection begins with a snapshot that is older than the last book", () =>
    Effect.gen(function* () {
      const scripts = [
        [{ frames: [book("1", 1, 0, "snapshot"), book("2", 9, 1)] }, broken],
        [{ frames: [book("3", 5, 0, "snapshot"), book("4", 20, 1)] }]
      ]
      const told = yield* Virtual.run(
        OrderBook.follow({ markets: [market] }).pipe(
          Stream.flatMap((message) =>
            Stream.fromIterable(
              message._tag === "Book"
                ? [`book ${message.book.coin_metrics_id}`]
                : message._tag === "Gap"
                  ? [`gap ${message.from?.slice(17, 19)}..${message.to.slice(17, 19)}`]
                  : []
            )
          ),
          Stream.take(5),
          Stream.runCollect,
          Effect.provide(FakeLive.make(scripts).layer(FakeLive.noHttp))
        )
      )
      assert.deepStrictEqual(told, ["book 1", "book 2", "book 3", "gap 05..20", "book 4"])
    })
  )
})
