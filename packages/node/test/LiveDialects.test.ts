import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveClient, type LiveError, type LiveMessage } from "@sluice/core"
import { Dialect } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Oracle from "./LiveOracle.ts"

type Messages = Stream.Stream<LiveMessage.LiveMessage<object>, LiveError.LiveError, LiveClient.LiveClient>

interface Series {
  readonly path: string
  readonly stream: Messages
  readonly items: Oracle.Items
  /** How long to read it, in seconds, where it is quiet. */
  readonly lasts?: number
}

const { since } = Oracle

const begin = "2026-10-01T00:00:00"

const markets = "coinbase-btc-usd-spot,coinbase-eth-usd-spot"
const futures = "binance-ADAUSDT-future,binance-ANKRUSDT-future"

const byId = { position: "time", identity: ["coin_metrics_id"] } as const
const byTime = { position: "time", identity: [] } as const

const seconds = { assets: "btc,eth", metrics: ["ReferenceRateUSD", "ReferenceRateEUR"], frequency: "1s" } as const

/** Series that HTTP has too. */
const same: ReadonlyArray<Series> = [
  {
    path: `market-trades?markets=${markets}`,
    stream: Live.marketTrades({ markets }, { since }),
    items: { entity: "market", ...byId, value: "price" }
  },
  {
    path: "market-liquidations?markets=binance-A*-future",
    stream: Live.marketLiquidations({ markets: "binance-A*-future" }, { since }),
    items: { entity: "market", ...byId, value: "amount" },
    lasts: 1_500
  },
  {
    path: `market-openinterest?markets=${futures}`,
    stream: Live.marketOpeninterest({ markets: futures }, { since }),
    items: { entity: "market", ...byTime, value: "contract_count" }
  },
  {
    path: `market-candles?markets=${markets}`,
    stream: Live.marketCandles({ markets }, { since }),
    items: { entity: "market", ...byTime, value: "vwap" }
  },
  {
    path: "index-levels?indexes=CMBI10,CMBIBTC",
    stream: Live.indexLevels({ indexes: "CMBI10,CMBIBTC" }, { since }),
    items: { entity: "index", ...byTime, value: "level" }
  },
  {
    path: `asset-metrics?assets=btc,eth&metrics=${seconds.metrics.join()}&frequency=1s`,
    stream: Live.assetMetrics(seconds, { since }),
    items: { entity: "asset", ...byTime, metrics: seconds.metrics, value: "" }
  },
  {
    path: "asset-metrics?assets=btc,eth&metrics=PriceUSD",
    stream: Live.assetMetrics({ assets: "btc,eth", metrics: ["PriceUSD"] }, { since }),
    items: { entity: "asset", position: "height", identity: ["hash"], value: "parent_hash" }
  }
]

/** Series of which HTTP has a sample, or nothing. */
const others: ReadonlyArray<Series> = [
  {
    path: `market-quotes?markets=${markets}`,
    stream: Live.marketQuotes({ markets }),
    items: { entity: "market", ...byId, value: "bid_size" }
  },
  {
    path: `market-contract-prices?markets=${futures}`,
    stream: Live.marketContractPrices({ markets: futures }),
    items: { entity: "market", ...byTime, value: "mark_price" }
  },
  {
    path: "asset-metrics?assets=btc&metrics=ReferenceRateUSD&frequency=200ms",
    stream: Live.assetMetrics({ ...seconds, assets: "btc", metrics: ["ReferenceRateUSD"], frequency: "200ms" }),
    items: { entity: "asset", ...byTime, metrics: ["ReferenceRateUSD"], value: "" }
  },
  {
    path: "asset-quotes?assets=btc,eth",
    stream: Live.assetQuotes({ assets: "btc,eth" }),
    items: { entity: "pair", ...byTime, value: "mid_price" }
  },
  {
    path: "pair-quotes?pairs=btc-eur,eth-usd",
    stream: Live.pairQuotes({ pairs: "btc-eur,eth-usd" }),
    items: { entity: "pair", ...byTime, value: "mid_price" }
  }
]

const timeOf = (record: object) => String(Reflect.get(record, "time"))

/** A run without the records from before it, which a connection may begin with. */
const fromBegin = (run: Oracle.Run): Oracle.Run => ({
  ...run,
  truth: run.truth.filter((record) => timeOf(record) > begin),
  messages: run.messages.filter((message) => message._tag !== "Data" || timeOf(message.record) > begin)
})

const quiet = (dialect: Partial<Dialect.Dialect>, calm: number): Oracle.Course => ({
  seed: 1,
  dialect,
  faults: "",
  happenings: [],
  calm
})

const count = ({ messages }: Oracle.Run, tag: LiveMessage.LiveMessage<object>["_tag"]) =>
  messages.filter(({ _tag }) => _tag === tag).length

describe.each(Dialect.questions.sequence.words.map((sequence, turn) => [sequence, turn] as const))(
  "Where frames are numbered %s, one connection",
  (sequence, turn) => {
    // Each series is read once, and each dialect with some of them; in a long run all with all.
    const some = (all: ReadonlyArray<Series>) =>
      all.filter((_, index) => TestMode.isLong || index % Dialect.questions.sequence.words.length === turn)
    const skips = sequence === "even" || sequence === "jumps"

    it.effect.each(some(same))(
      "brings all of $path, and finds nothing missing",
      ({ items, lasts = 90, path, stream }) =>
        Effect.gen(function* () {
          const read = yield* Oracle.run(`/timeseries-stream/${path}`, stream, quiet({ sequence }, lasts))
          assert.isNotEmpty(read.truth)
          assert.deepStrictEqual(Oracle.faultsOf(items, read).slice(0, 5), [])
          assert.strictEqual(read.journal.length, 1)
          assert.deepStrictEqual([count(read, "Gap"), count(read, "Disconnected")], [0, 0])
          // Once that jumps say nothing; a market without a record in the run is not checked.
          assert.isAtMost(count(read, "Warning"), skips ? 1 : 0)
        })
    )

    it.effect.each(some(others))("brings all of $path, which HTTP cannot check", ({ items, path, stream }) =>
      Effect.gen(function* () {
        const read = fromBegin(yield* Oracle.run(`/timeseries-stream/${path}`, stream, quiet({ sequence }, 20)))
        assert.isNotEmpty(read.truth)
        assert.deepStrictEqual(Oracle.faultsOf(items, read).slice(0, 5), [])
        assert.strictEqual(read.journal.length, 1)
        assert.deepStrictEqual([count(read, "Gap"), count(read, "Disconnected")], [0, 0])
        assert.strictEqual(count(read, "Warning"), skips ? 1 : 0)
        assert.strictEqual(read.requests, 0)
      })
    )

    it.effect("brings books, and is replaced once at most", () =>
      Effect.gen(function* () {
        const stream = Live.marketOrderbooks({ markets })
        const read = yield* Oracle.run(
          `/timeseries-stream/market-orderbooks?markets=${markets}`,
          stream,
          quiet({ sequence }, 60)
        )
        assert.isUndefined(read.error)
        assert.strictEqual(read.journal.length, skips ? 2 : 1)
        assert.strictEqual(count(read, "Warning"), skips ? 1 : 0)
        const last = read.messages.findLast((message) => message._tag === "Data")
        assert.isAbove(timeOf(last?.record ?? {}).localeCompare("2026-10-01T00:01:00"), 0)
      })
    )
  }
)

/** What the service is known to be asked by `*`. */
const all: ReadonlyArray<Series> = [
  {
    path: "index-levels?indexes=*",
    stream: Live.indexLevels({ indexes: "*" }, { since }),
    items: { entity: "index", ...byTime, value: "level" }
  },
  {
    path: "asset-metrics?assets=*&metrics=ReferenceRateUSD&frequency=1s",
    stream: Live.assetMetrics({ assets: "*", metrics: ["ReferenceRateUSD"], frequency: "1s" }, { since }),
    items: { entity: "asset", ...byTime, metrics: ["ReferenceRateUSD"], value: "" }
  }
]

it.effect.each(all)("History and then live, of $path, is all that the service published", ({ items, path, stream }) =>
  Effect.gen(function* () {
    const read = yield* Oracle.run(`/timeseries-stream/${path}`, stream, quiet({}, 5))
    assert.isNotEmpty(read.truth)
    assert.deepStrictEqual(Oracle.faultsOf(items, read).slice(0, 5), [])
    assert.deepStrictEqual([read.journal.length, count(read, "Gap"), count(read, "Unknown")], [1, 0, 0])
  })
)

const eight = ["1inch-usdt", "abt-usdt", "achr-usdt", "ada-usd", "ada-usdt", "agld-usd", "arkm-usd", "arkm-usdt"].map(
  (pair) => `coinbase-${pair}-spot`
)

describe.each(Dialect.questions.emptySide.words)("Quotes, where an empty side is %s", (emptySide) => {
  it.effect("of eight markets go on at once after a broken connection, without a request", () =>
    Effect.gen(function* () {
      const path = `/timeseries-stream/market-quotes?markets=${eight.join()}`
      const course = {
        ...quiet({ emptySide }, 50),
        happenings: [
          {
            at: 30,
            name: "restart",
            what: (live: { readonly end: (how: "restart") => Effect.Effect<unknown> }) => live.end("restart")
          }
        ]
      }
      const items = { entity: "market", ...byId, value: "bid_size" } as const
      const read = fromBegin(yield* Oracle.run(path, Live.marketQuotes({ markets: eight }), course))
      assert.strictEqual(read.requests, 0)
      assert.strictEqual(read.journal.length, 2)
      assert.deepStrictEqual(Oracle.faultsOf(items, read).slice(0, 5), [])
      const gaps = read.messages.flatMap((message) => (message._tag === "Gap" ? [message] : []))
      // Where the last record comes again, nothing was missed.
      assert.isAbove(gaps.length, 2)
      assert.strictEqual(new Set(gaps.map(({ entity }) => entity)).size, gaps.length)
      for (const { from, reason, to } of gaps) {
        assert.strictEqual(reason, "unfillable")
        assert.isBelow(Date.parse(to) - Date.parse(from ?? ""), 10_000)
      }
      const zeros = read.messages.filter(
        (message) => message._tag === "Data" && Object.values(message.record).includes("0")
      )
      assert.strictEqual(zeros.length > 0, emptySide === "zero")
    })
  )

  it.effect("with `since` are samples first, and a gap from there says what is missing of the stream", () =>
    Effect.gen(function* () {
      const path = `/timeseries-stream/market-quotes?markets=${markets}`
      const items = { entity: "market", ...byId, value: "bid_size" } as const
      const read = yield* Oracle.run(path, Live.marketQuotes({ markets }, { since }), quiet({ emptySide }, 20))
      const history = read.messages.flatMap((message) =>
        message._tag === "Data" && message.origin === "history" ? [message.record] : []
      )
      assert.isAtLeast(history.length, 12)
      const live = {
        ...read,
        messages: read.messages.filter((message) => message._tag !== "Data" || message.origin === "live")
      }
      assert.deepStrictEqual(Oracle.faultsOf(items, live).slice(0, 5), [])
      const gaps = read.messages.flatMap((message) => (message._tag === "Gap" ? [message] : []))
      assert.deepStrictEqual(
        gaps.map(({ from, reason }) => [from, reason]),
        [
          [since, "unfillable"],
          [since, "unfillable"]
        ]
      )
      assert.strictEqual(read.journal.length, 1)
    })
  )
})
