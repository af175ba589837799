import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveMessage } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

const { noHttp, time, trade, word } = FakeLive

const market = (name: string) => `${name}-btc-usd-spot`

const [a, b] = [market("a"), market("b")]

/** The trades of a market, by second. */
const tradesOf = (seconds: ReadonlyArray<number>, name = a) =>
  seconds.map((second) => trade(`${name[0]}${second}`, second, undefined, name))

/** A service that has these trades over HTTP. */
const having = (trades: ReadonlyArray<ReturnType<typeof trade>>) =>
  FakeApi.serve(({ url }) => Effect.succeed(FakeApi.page(FakeLive.within(trades, url))))

/** Reads until so long after the start, and tells the messages as words. */
const read = <A>(stream: Stream.Stream<LiveMessage.LiveMessage<A>, unknown, never>, to: (message: never) => string) =>
  Virtual.run(
    Effect.gen(function* () {
      const all: Array<string> = []
      // Type boundary: the tests read records of several types.
      const each = (message: unknown) => Effect.sync(() => all.push(to(message as never)))
      yield* Effect.timeoutOption(Stream.runForEach(stream, each), "3 minutes")
      return all
    })
  )

const follow = (live: FakeLive.FakeLive, api: FakeApi.FakeApi, markets: ReadonlyArray<string> = [a]) =>
  read(
    Live.marketTrades({ markets }, { since: undefined }).pipe(Stream.provide(live.layer(api, { silence: Infinity }))),
    word
  )

const spaced = (frames: ReadonlyArray<object>): FakeLive.Script =>
  frames.flatMap((frame) => [{ frame }, Effect.sleep("1 second")])

/** How the numbers of a connection may run, by the number of the frame from 0. */
const words: ReadonlyArray<readonly [name: string, number: (frame: number) => number]> = [
  ["from 0", (frame) => frame],
  ["from 1", (frame) => frame + 1],
  ["from 1000", (frame) => frame + 1_000],
  ["in steps of 2", (frame) => 2 * frame],
  ["with a jump now and then", (frame) => frame + 5 * Math.floor(frame / 4)]
]

const numbered = (second: number, number: number) => trade(`a${second}`, second, number)

describe("The numbers of the frames of a connection", () => {
  it.effect.each(words)("may run %s: one connection brings every record once, alone and at once", ([name, number]) =>
    Effect.gen(function* () {
      const trades = tradesOf(Array.from({ length: 30 }, (_, second) => second))
      const both = trades.flatMap((one, at) => [one, ...tradesOf([at], b)])
      const counted = (all: typeof trades) => all.map((one, at) => ({ ...one, cm_sequence_id: String(number(at)) }))
      const cases = [
        [trades, spaced(counted(trades))],
        [trades, [{ frames: counted(trades) }]],
        [both, spaced(counted(both))],
        [both, [{ frames: counted(both) }]]
      ] as const
      for (const [all, script] of cases) {
        const live = FakeLive.make([script])
        const api = having(all)
        const said = yield* follow(live, api, [a, b])
        const isPlain = name.startsWith("from")
        assert.deepStrictEqual(
          said.filter((text) => text !== "Warning"),
          ["Connected", ...all.map(({ coin_metrics_id }) => `live ${coin_metrics_id}`)]
        )
        // Jumps are believed no more after three of them, at each of which every market was checked, and looked at twice again; that is
        // said once.
        assert.strictEqual(said.filter((text) => text === "Warning").length, isPlain ? 0 : 1)
        const requests = yield* api.requests
        assert.isAtMost(requests.length, isPlain ? 0 : 18, requests.join("\n"))
        assert.strictEqual(live.sockets.length, 1)
      }
    })
  )

  it.effect("that jump where a record was lost heal it on the same connection, every time, in whatever market", () =>
    Effect.gen(function* () {
      const seconds = Array.from({ length: 12 }, (_, second) => second)
      const all = seconds.flatMap((second) => [...tradesOf([second], a), ...tradesOf([second], b)])
      const lost = new Set([5, 12, 16])
      const frames = all.map((one, at) => ({ ...one, cm_sequence_id: String(at) })).filter((_, at) => !lost.has(at))
      for (const script of [spaced(frames), [{ frames }]]) {
        const live = FakeLive.make([script])
        const said = yield* follow(live, having(all), [a, b])
        for (const name of ["a", "b"]) {
          const expected = all.flatMap(({ coin_metrics_id: id }, at) =>
            id.startsWith(name) ? [`${lost.has(at) ? "filled" : "live"} ${id}`] : []
          )
          assert.deepStrictEqual(
            said.filter((text) => text.split(" ")[1]?.startsWith(name)),
            expected
          )
        }
        assert.notInclude(said, "Warning")
        assert.strictEqual(live.sockets.length, 1)
      }
    })
  )

  it.effect(
    "that proved false for some markets are still checked once for another, and believed again if it lost records",
    () =>
      Effect.gen(function* () {
        const c = "c-btc-usd-spot"
        const quiet = tradesOf([0, 2, 4, 6, 8], c)
        const lost = quiet.slice(1, 4)
        const seconds = Array.from({ length: 8 }, (_, second) => second)
        const all = seconds.flatMap((second) => [
          ...tradesOf([second]),
          ...tradesOf([second], b),
          ...quiet.filter((one) => one.time.includes(`:0${second}.`))
        ])
        const last = quiet.at(-1)!
        const numbered = [...all, last].map((one, at) => ({ ...one, cm_sequence_id: String(at) }))
        const sent = numbered.filter(
          (one) => !lost.some((other) => other.coin_metrics_id === one.coin_metrics_id && other.market === one.market)
        )
        const said = yield* follow(FakeLive.make([spaced(sent)]), having([...all, last]), [a, b, c])
        for (const { coin_metrics_id } of lost) assert.include(said, `filled ${coin_metrics_id}`)
        assert.include(said, `live ${last.coin_metrics_id}`)
      })
  )

  it.effect("that jump while HTTP lags leave a gap, and are checked again later", () =>
    Effect.gen(function* () {
      const all = tradesOf([1, 3, 5, 7])
      const live = FakeLive.make([spaced(all.map((one, at) => ({ ...one, cm_sequence_id: String(3 * at) })))])
      const said = yield* follow(live, having(tradesOf([1])))
      assert.deepStrictEqual(said, [
        "Connected",
        "live a1",
        "gap 01..03 lagging",
        "live a3",
        "Warning",
        "live a5",
        "gap 01..07 lagging",
        "live a7"
      ])
      assert.strictEqual(live.sockets.length, 1)
    })
  )

  it.effect(
    "that fall, or come again with another record, tell of a broken connection; a repeated frame does not",
    () =>
      Effect.gen(function* () {
        const fallen = FakeLive.make([
          [{ frames: [numbered(1, 7), numbered(2, 8), numbered(3, 0)] }],
          [{ frame: numbered(4, 0) }]
        ])
        assert.deepStrictEqual(yield* follow(fallen, having(tradesOf([1, 2, 3, 4]))), [
          "Connected",
          "live a1",
          "live a2",
          "Disconnected",
          "Connected",
          "filled a3",
          "live a4"
        ])
        const stuck = FakeLive.make([spaced([numbered(1, 0), numbered(2, 0)]), [{ frame: numbered(2, 0) }]])
        assert.deepStrictEqual(yield* follow(stuck, having(tradesOf([1, 2]))), [
          "Connected",
          "live a1",
          "Disconnected",
          "Connected",
          "live a2"
        ])
        const twice = [numbered(1, 0), numbered(1, 0), numbered(2, 1), numbered(2, 1)]
        for (const script of [spaced(twice), [{ frames: twice }]]) {
          const live = FakeLive.make([script])
          assert.deepStrictEqual(yield* follow(live, noHttp), ["Connected", "live a1", "live a2"])
        }
      })
  )
})

/** A quote by its second, with an id that no record over HTTP has. */
const quote = (second: number, sequence?: number, id = `9000-${second}`) => ({
  market: a,
  time: time(second),
  coin_metrics_id: id,
  ask_price: "2",
  ask_size: "1",
  ...(sequence === undefined ? {} : { cm_sequence_id: String(sequence) })
})

const followQuotes = (live: FakeLive.FakeLive, api: FakeApi.FakeApi, since?: string) =>
  read(Live.marketQuotes({ markets: a }, { since }).pipe(Stream.provide(live.layer(api, { silence: Infinity }))), word)

describe("A stream of which HTTP has other records", () => {
  it.effect("warns of a jump once in a connection, asks nothing, and goes on", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [...spaced([quote(1, 3), quote(2, 5), quote(3, 7)]), { close: 1011 }],
        [{ frames: [quote(3, 0), quote(4, 1), quote(5, 3)] }]
      ])
      assert.deepStrictEqual(yield* followQuotes(live, noHttp), [
        "Connected",
        "live 9000-1",
        "Warning",
        "live 9000-2",
        "live 9000-3",
        "Disconnected",
        "Connected",
        "live 9000-4",
        "Warning",
        "live 9000-5"
      ])
    })
  )

  it.effect("has a gap at once after a broken connection, and asks nothing over HTTP", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frame: quote(1, 0) }, { close: 1011 }],
        [{ frame: quote(5, 0) }, { frame: quote(6, 1) }]
      ])
      assert.deepStrictEqual(yield* followQuotes(live, noHttp), [
        "Connected",
        "live 9000-1",
        "Disconnected",
        "Connected",
        "gap 01..05 unfillable",
        "live 9000-5",
        "live 9000-6"
      ])
    })
  )

  it.effect(
    "reads those with `since` as history, and says that the records of the stream are missing from there on",
    () =>
      Effect.gen(function* () {
        const live = FakeLive.make([[{ frame: quote(15, 0) }, { frame: quote(16, 1) }]])
        const api = FakeApi.make([FakeApi.page([quote(0, undefined, "0-0"), quote(10, undefined, "10-0")])])
        assert.deepStrictEqual(yield* followQuotes(live, api, time(0)), [
          "history 0-0",
          "history 10-0",
          "Connected",
          "gap 00..15 unfillable",
          "live 9000-15",
          "live 9000-16"
        ])
      })
  )
})

const metric = (second: number) => ({ asset: "btc", time: time(second), PriceUSD: "1" })

describe("A stream of which HTTP has nothing", () => {
  it.effect("as metrics at 200ms refuses `since`, and has a gap after a broken connection without asking", () =>
    Effect.gen(function* () {
      const params = { assets: "btc", metrics: ["PriceUSD"], frequency: "200ms" } as const
      const live = FakeLive.make([[{ frame: metric(1) }, { close: 1011 }], [{ frame: metric(3) }]])
      const said = yield* read(
        Live.assetMetrics(params).pipe(Stream.provide(live.layer(noHttp, { silence: Infinity }))),
        ({ _tag }: LiveMessage.LiveMessage<unknown>) => _tag
      )
      assert.deepStrictEqual(said, ["Connected", "Data", "Disconnected", "Connected", "Gap", "Data"])
      const refused = yield* Live.assetMetrics(params, { since: "2026-01-01" }).pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(FakeLive.make([]).layer(noHttp))
      )
      assert.strictEqual(refused._tag, "InvalidRequest")
    })
  )
})

const book = (type: "snapshot" | "update", second: number, sequence: number) => ({
  market: a,
  time: time(second),
  coin_metrics_id: String(second),
  asks: [{ price: "2", size: String(second) }],
  bids: [],
  collect_time: time(second),
  type,
  cm_sequence_id: String(sequence)
})

describe("A stream whose connections begin with the whole", () => {
  it.effect("replaces the connection for a jump once, and warns of the others", () =>
    Effect.gen(function* () {
      const live = FakeLive.make([
        [{ frames: [book("snapshot", 1, 0), book("update", 2, 2)] }],
        [{ frames: [book("snapshot", 2, 0), book("update", 3, 2), book("update", 4, 4)] }]
      ])
      const api = FakeApi.serve(() => Effect.succeed(FakeApi.page([book("update", 2, 0)])))
      const said = yield* read(
        Live.marketOrderbooks({ markets: a }).pipe(Stream.provide(live.layer(api, { silence: Infinity }))),
        word
      )
      assert.deepStrictEqual(
        said.filter((text) => !text.startsWith("gap")),
        ["Connected", "live 1", "Disconnected", "Connected", "live 2", "Warning", "live 3", "live 4"]
      )
      assert.strictEqual(live.sockets.length, 2)
    })
  )
})

describe("An error frame", () => {
  it.effect.each([
    ["bad_parameter", "InvalidRequest"],
    ["unauthorized", "Unauthorized"],
    ["wrong_credentials", "Unauthorized"],
    ["forbidden", "Forbidden"],
    ["not_found", "NotFound"]
  ] as const)("of the type %s is %s at once, after what came before it", ([type, tag]) =>
    Effect.gen(function* () {
      const message = "Bad parameter 'markets'. Market 'x' is not supported."
      const live = FakeLive.make([
        [{ frame: trade("1", 1, 0) }, { frame: { error: { type, message } } }, { close: 1008 }]
      ])
      const said: Array<string> = []
      const error = yield* Virtual.run(
        Live.marketTrades({ markets: a }).pipe(
          Stream.runForEach((read) => Effect.sync(() => said.push(word(read)))),
          Effect.flip,
          Effect.provide(live.layer(noHttp))
        )
      )
      assert.strictEqual(error._tag, tag)
      assert.include(error.message, "is not supported")
      assert.deepStrictEqual(said, ["Connected", "live 1", "Disconnected"])
      assert.strictEqual(live.sockets.length, 1)
      if (error._tag === "InvalidRequest") assert.strictEqual(error.parameter, "markets")
    })
  )

  it.effect.each(["stall", "some_other", undefined])(
    "of the type %s breaks the connection, which is replaced",
    (type) =>
      Effect.gen(function* () {
        const live = FakeLive.make([
          [{ frame: trade("1", 1, 0) }, { frame: { error: { type, message: "no" } } }],
          [{ frame: trade("1", 1, 0) }, { frame: trade("2", 2, 1) }]
        ])
        assert.deepStrictEqual(yield* follow(live, having([trade("1", 1), trade("2", 2)])), [
          "Connected",
          "live 1",
          "Disconnected",
          "Connected",
          "live 2"
        ])
      })
  )
})
