import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveEndpoint, type LiveMessage } from "@sluice/core"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as JobScript from "../jobs/JobScript.ts"
import { isLong } from "../TestMode.ts"
import * as Virtual from "../Virtual.ts"

const { broken, having, market, numbered, trade, word } = FakeLive

/** Reads for two minutes; what `to` makes of the messages, and how it ended. */
const read = <A>(
  stream: LiveEndpoint.Messages<A>,
  scripts: ReadonlyArray<FakeLive.Script>,
  http: Effect.Effect<FakeApi.FakeApi>,
  to: (message: LiveMessage.LiveMessage<A>) => string
) =>
  Virtual.run(
    Effect.gen(function* () {
      const words: Array<string> = []
      const api = yield* http
      const exit = yield* stream.pipe(
        Stream.runForEach((message) => Effect.sync(() => words.push(to(message)))),
        Effect.timeoutOption("2 minutes"),
        Effect.exit,
        JobScript.withWallClock,
        Effect.provide(FakeLive.make(scripts).layer(api, { silence: Infinity }))
      )
      return { exit, words: words.filter((text) => /^(live|filled|gap|hist)/.test(text)) }
    })
  )

const trades = (options: LiveEndpoint.CallOptions = {}) =>
  Live.marketTrades({ markets: `${market},b-btc-usd-spot` }, options)

describe("What a reader throws of a filled record", () => {
  const thrown = new Error("no such record")
  const options = (id: string, order: "series" | "arrival"): LiveEndpoint.CallOptions => ({
    order,
    verify: (record) => {
      if (Reflect.get(record, "coin_metrics_id") === id) throw thrown
      return undefined
    }
  })
  const all = [1, 2, 3, 4].map((id) => trade(String(id), id))
  const scripts = [[numbered(all.slice(0, 1)), broken], [numbered(all.slice(3))]]

  it.effect.each(["series", "arrival"] as const)("ends the stream with it, in whatever order: %s", (order) =>
    Effect.gen(function* () {
      const { exit } = yield* read(
        trades(options("3", order)),
        scripts,
        having(() => all),
        word
      )
      assert(Exit.isFailure(exit))
      assert.strictEqual(Cause.squash(exit.cause), thrown)
    })
  )

  it.effect.each(["series", "arrival"] as const)("ends the stream with it, also where it came late: %s", (order) =>
    Effect.gen(function* () {
      const late = having((second) => all.filter(({ coin_metrics_id: id }) => id !== "3" || second > 2))
      const { exit } = yield* read(trades(options("3", order)), scripts, late, word)
      assert(Exit.isFailure(exit))
      assert.strictEqual(Cause.squash(exit.cause), thrown)
    })
  )
})

const candle = (minute: number, volume: string) => ({
  market,
  time: `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000000000Z`,
  price_open: "1",
  price_close: "1",
  price_high: "1",
  price_low: "1",
  vwap: "1",
  volume,
  candle_usd_volume: volume,
  candle_trades_count: volume
})

const candleWord = (message: LiveMessage.LiveMessage<{ readonly time: string; readonly volume?: string | null }>) =>
  message._tag === "Data"
    ? `${message.origin} ${message.record.time.slice(14, 16)}:${message.record.volume}`
    : message._tag.toLowerCase()

describe("A record that HTTP shows before it is complete", () => {
  const candles = Live.marketCandles({ markets: market, frequency: "1m" })

  it.effect("is not told again once the stream has brought it", () =>
    Effect.gen(function* () {
      const scripts = [
        [numbered([candle(1, "9"), candle(2, "9"), candle(3, "9")]), broken],
        [numbered([candle(5, "9")]), Effect.sleep("1 minute")]
      ]
      const growing = having((second) =>
        [1, 2, 3, 4, 5].map((minute) => candle(minute, minute >= 3 && minute < 5 && second < 4 ? "5" : "9"))
      )
      const { words } = yield* read(candles, scripts, growing, candleWord)
      assert.deepStrictEqual(words, ["live 01:9", "live 02:9", "live 03:9", "filled 04:5", "live 05:9", "filled 04:9"])
    })
  )

  it.effect("is not told as it was by a reply that took longer than a newer one", () =>
    Effect.gen(function* () {
      const scripts = [
        [numbered([candle(1, "9"), candle(2, "9"), candle(3, "9")]), broken],
        [numbered([candle(5, "9")]), Effect.sleep("3 seconds"), broken],
        [numbered([candle(7, "9")]), Effect.sleep("1 minute")]
      ]
      const http = Effect.sync(() => {
        let asked = 0
        return FakeApi.serve(() =>
          Effect.suspend(() => {
            const [is, volume] = [asked++, asked > 2 ? "9" : "5"]
            const reply = FakeApi.page(
              [1, 2, 3, 4, 5, 6, 7].map((minute) => candle(minute, minute === 4 ? volume : "9"))
            )
            // The second reply, to the first look behind the hole, comes behind those for the next hole.
            return Effect.delay(Effect.succeed(reply), is === 1 ? "4 seconds" : 0)
          })
        )
      })
      const { words } = yield* read(candles, scripts, http, candleWord)
      assert.deepStrictEqual(
        words.filter((text) => text.includes(" 04:")),
        ["filled 04:5", "filled 04:9"]
      )
    })
  )
})

describe("A record that HTTP shows late, while a server that lags answers", () => {
  const [first, late, last] = [trade("1", 1), trade("2", 2), trade("4", 4)]
  const scripts = [
    [numbered([first]), broken],
    [numbered([last]), Effect.sleep("3 minutes")]
  ]

  it.effect("is looked for until the record at the hole is there again", () =>
    Effect.gen(function* () {
      const http = having((second) => (second < 3 ? [first, last] : second < 20 ? [] : [first, late, last]))
      const { words } = yield* read(trades(), scripts, http, word)
      assert.deepStrictEqual(words, ["live 1", "live 4", "filled 2"])
    })
  )

  it.effect("leaves a gap where that record does not come back in time", () =>
    Effect.gen(function* () {
      const http = having((second) => (second < 3 ? [first, last] : []))
      const { words } = yield* read(trades(), scripts, http, word)
      assert.deepStrictEqual(words, ["live 1", "live 4", "gap 01..04 lagging"])
    })
  )
})

describe("A record that came again as the last one", () => {
  it.effect("leaves a gap where HTTP lags for so long that nobody knows what came late", () =>
    Effect.gen(function* () {
      const late = trade("late", 2)
      const scripts = [
        [numbered([trade("1", 1), trade("2", 2)]), broken],
        [numbered([trade("2", 2)]), Effect.sleep("1 minute")]
      ]
      const all = [trade("1", 1), late, trade("2", 2)]
      const { words } = yield* read(
        trades(),
        scripts,
        having((second) => (second < 100 ? [] : all)),
        word
      )
      assert.deepStrictEqual(words, ["live 1", "live 2", "gap 01..02 lagging"])
    })
  )
})

describe("A record that was lost before the last one", () => {
  it.effect.each([1, 30, 65, 100])("is read over HTTP, also where the connection lasted %i seconds more", (seconds) =>
    Effect.gen(function* () {
      const all = [1, 4, 5].map((second) => trade(String(second), second))
      const scripts = [
        [numbered([all[0]!, all[2]!]), Effect.sleep(`${seconds} seconds`), broken],
        [numbered([all[2]!]), Effect.sleep("1 minute")]
      ]
      const { words } = yield* read(
        trades(),
        scripts,
        having(() => all),
        word
      )
      assert.deepStrictEqual(words, ["live 1", "live 5", "filled 4"])
    })
  )

  it.effect("is read over HTTP, also where a connection brought nothing in between", () =>
    Effect.gen(function* () {
      const all = [1, 4, 5].map((second) => trade(String(second), second))
      const scripts = [
        [numbered([all[0]!, all[2]!]), broken],
        [Effect.sleep("70 seconds"), broken],
        [numbered([all[2]!]), Effect.sleep("1 minute")]
      ]
      const { words } = yield* read(
        trades(),
        scripts,
        having(() => all),
        word
      )
      assert.deepStrictEqual(words, ["live 1", "live 5", "filled 4"])
    })
  )
})

describe("Quiet markets that were last seen at different seconds", () => {
  it.effect("are read together behind a break", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 40 }, (_, index) => `m${index}-btc-usd-spot`)
      const before = names.map((name, index) => trade(`a${index}`, 10 + (index % 17), undefined, name))
      const behind = names.map((name, index) => trade(`b${index}`, 30 + (index % 7), undefined, name))
      const asked: Array<number> = []
      const counted = Effect.gen(function* () {
        const origin = yield* Clock.currentTimeMillis
        return FakeApi.serve(() =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            asked.push(now - origin)
            return FakeApi.page([...before, ...behind].toSorted((a, b) => (a.time < b.time ? -1 : 1)))
          })
        )
      })
      const { words } = yield* read(
        Live.marketTrades({ markets: names }, { order: "arrival" }),
        [
          [numbered(before), broken],
          [numbered(behind), Effect.sleep("1 minute")]
        ],
        counted,
        word
      )
      assert.lengthOf(words, 80)
      // One look, and two later ones.
      assert.isAtMost(asked.length, 3)
    })
  )
})

describe("Wrong times of the last records before a hole", () => {
  it.effect.each([1, 2, 3].flatMap((wrong) => [5, 30].map((skew) => [wrong, skew] as const)))(
    "do not hide what was lost: %i, by %i seconds",
    ([wrong, skew]) =>
      Effect.gen(function* () {
        const seconds = Array.from({ length: 30 }, (_, index) => index)
        const all = seconds.map((second) =>
          trade(String(second), second >= 10 - wrong && second < 10 ? second + skew : second)
        )
        const scripts = [
          [numbered(all.slice(0, 10)), broken],
          [numbered(all.slice(20)), Effect.sleep("1 minute")]
        ]
        const { words } = yield* read(
          trades(),
          scripts,
          having(() => all.toSorted((a, b) => (a.time < b.time ? -1 : 1))),
          word
        )
        const data = words.filter((text) => !text.startsWith("gap")).map((text) => text.split(" ")[1])
        assert.sameMembers(data, seconds.map(String))
      })
  )
})

describe("A candle that grows while filled ones wait for the reader", () => {
  it.effect("is not told as it was before", () =>
    Effect.gen(function* () {
      const minutes = Array.from({ length: 40 }, (_, index) => index + 1)
      const scripts = [
        [numbered([candle(1, "1")]), broken],
        [
          numbered([candle(40, "1")]),
          Effect.sleep("2 seconds"),
          ...minutes.slice(22, 27).map((minute) => ({ frame: candle(minute, "2") })),
          Effect.sleep("1 minute")
        ]
      ]
      const stream = Live.marketCandles({ markets: market, frequency: "1m" }, { order: "arrival" })
      const slow = Stream.rechunk(stream, 1).pipe(Stream.tap(() => Effect.sleep("300 millis")))
      const all = minutes.map((minute) => candle(minute, "1"))
      // One page is with the reader, one waits for it, and one has no room.
      const inPages = Effect.sync(() =>
        FakeApi.serve(({ url: { searchParams } }) => {
          const from = Number(searchParams.get("next_page_token") ?? "0")
          return Effect.succeed(FakeApi.page(all.slice(from, from + 10), from < 30 ? String(from + 10) : undefined))
        })
      )
      const { words } = yield* read(slow as typeof stream, scripts, inPages, candleWord)
      const last = new Map(words.map((text) => [text.slice(-4, -2), text]))
      for (const minute of minutes.slice(22, 27)) assert.match(last.get(String(minute)) ?? "", /:2$/)
    })
  )
})

const other = (id: string, second: number, sequence?: number) => trade(id, second, sequence, "b-btc-usd-spot")

describe("A frame lost on the first connection", () => {
  it.effect("is read over HTTP, also where it was the first of its entity", () =>
    Effect.gen(function* () {
      const scripts = [
        [
          { frame: trade("1", 1, 0) },
          Effect.sleep("5 seconds"),
          { frame: trade("2", 6, 2) },
          { frame: other("4", 7, 3) }
        ]
      ]
      const { words } = yield* read(
        trades(),
        scripts,
        having(() => [trade("1", 1), trade("2", 6), other("3", 5), other("4", 7)]),
        word
      )
      assert.deepStrictEqual(words, ["live 1", "live 2", "filled 3", "live 4"])
    })
  )
})

describe("The first record of an entity behind a break", () => {
  const years = 40 * 365 * 86_400_000

  it.effect.each([0, years, -years])(
    "has those before it since the stream began, where a clock is set by %i",
    (millis) =>
      Effect.gen(function* () {
        const earlier = { ...other("0", 0), time: "2001-01-01T00:00:00.000000000Z" }
        const scripts = [
          [{ frame: trade("1", 1) }, Effect.sleep("5 seconds"), JobScript.jump(millis), broken],
          [{ frame: trade("2", 6) }, { frame: other("4", 7) }]
        ]
        const http = having(() => [earlier, trade("1", 1), trade("2", 6), other("3", 5), other("4", 7)])
        const { words } = yield* read(trades(), scripts, http, word)
        assert.deepStrictEqual(words, ["live 1", "live 2", "filled 3", "live 4"])
      })
  )
})

describe("A reply that does not end where it was asked to", () => {
  it.effect("is a failed request: a gap says so, and the stream goes on", () =>
    Effect.gen(function* () {
      const scripts = [[{ frame: trade("1", 1) }, broken], [{ frame: trade("3", 3) }]]
      let pages = 0
      const http = FakeApi.serve(() => {
        const start = 4 + 1_000 * pages++
        const rows = Array.from({ length: 1_000 }, (_, index) => ({
          ...trade(`late ${start + index}`, 0),
          time: `2027-01-01T00:00:00.${String(start + index).padStart(9, "0")}Z`
        }))
        return Effect.succeed(FakeApi.page(rows, `token-${pages}`))
      })
      const { words } = yield* read(trades(), scripts, Effect.succeed(http), word)
      assert.deepStrictEqual(words, ["live 1", "gap 01..03 failed", "live 3"])
      assert.isAtMost(pages, 12)
    })
  )
})

const book = (id: string, when: string, type: "snapshot" | "update") => ({
  market,
  time: when,
  coin_metrics_id: id,
  asks: [{ price: "3", size: "1" }],
  bids: [{ price: "1", size: "1" }],
  collect_time: when,
  type
})

describe("An update of a book whose time does not exist", () => {
  it.effect("is not told behind a history, and a gap says why", () =>
    Effect.gen(function* () {
      const books = [
        book("1", FakeLive.time(1), "snapshot"),
        book("2", FakeLive.time(2), "update"),
        book("3", "2026-01-01T00:00:03.5000000xxZ", "update"),
        book("4", FakeLive.time(4), "update")
      ]
      let asked = 0
      const { words } = yield* read(
        Live.marketOrderbooks({ markets: market }, { since: FakeLive.time(1) }),
        [[numbered([book("5", FakeLive.time(5), "snapshot")])]],
        having(() => (asked++ === 0 ? books.slice(0, 2) : books)),
        (message) =>
          message._tag === "Data"
            ? `${message.origin} ${message.record.coin_metrics_id}`
            : message._tag === "Gap"
              ? `gap ${message.reason}`
              : message._tag
      )
      assert.deepStrictEqual(words, ["history 1", "history 2", "filled 4", "gap failed", "live 5"])
    })
  )
})

describe("More records beside a hole than are remembered", () => {
  it.effect.skipIf(!isLong)("are not told again, and a gap says that the hole is not filled", () =>
    Effect.gen(function* () {
      const at = (index: number) => ({
        ...trade(String(index), 0),
        time: `2026-01-01T00:00:${String(10 + Math.floor(index / 10_000)).padStart(2, "0")}.${String(index % 10_000).padStart(9, "0")}Z`
      })
      const many = Array.from({ length: 46_000 }, (_, index) => at(index))
      const scripts = [
        [numbered([trade("x", 1), trade("y", 2)]), broken],
        [numbered(many), Effect.sleep("1 minute")]
      ]
      const shown = [trade("x", 1), trade("y", 2), trade("z", 3), ...many]
      const { words } = yield* read(
        trades({ order: "arrival", capacity: 100_000 }),
        scripts,
        having((second) => (second < 10 ? shown.slice(0, 2) : shown)),
        word
      )
      assert.strictEqual(words.length, new Set(words).size)
      assert.isEmpty(words.filter((text) => text.startsWith("filled") && text !== "filled z"))
      assert.deepStrictEqual(
        words.filter((text) => text.startsWith("gap")),
        ["gap 01..10 forgotten"]
      )
    })
  )
})
