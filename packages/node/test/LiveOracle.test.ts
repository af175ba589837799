import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveClient, type LiveEndpoint, type LiveError, type LiveMessage, OrderBook } from "@sluice/core"
import { Dialect } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Books from "./LiveBookOracle.ts"
import * as Chain from "./LiveChainOracle.ts"
import * as Oracle from "./LiveOracle.ts"

const markets = "coinbase-btc-usd-spot,binance-ADAUSDT-future"

/** Three markets. On the first nothing is traded for some minutes of a run: then its candles are flat, or there are none. */
const pausing = "ascendex-agld-usd-spot,binance-ADAUSDT-future,kraken-eth-usd-spot"

/** All futures of an exchange, of which each is liquidated rarely. */
const futures = "binance-*-future"

interface Case {
  readonly name: string
  readonly path: string
  readonly stream: (
    options: LiveEndpoint.CallOptions
  ) => Stream.Stream<LiveMessage.LiveMessage<object>, LiveError.LiveError, LiveClient.LiveClient>
  readonly items: Oracle.Items
}

const { since } = Oracle

const cases: ReadonlyArray<Case> = [
  {
    name: "trades",
    path: `/timeseries-stream/market-trades?markets=${markets}`,
    stream: (options) => Live.marketTrades({ markets }, options),
    items: { entity: "market", position: "time", identity: ["coin_metrics_id"], value: "price" }
  },
  {
    name: "metrics of a second",
    path: "/timeseries-stream/asset-metrics?assets=btc,eth&metrics=ReferenceRateUSD,ReferenceRateEUR&frequency=1s",
    stream: (options) =>
      Live.assetMetrics(
        { assets: "btc,eth", metrics: ["ReferenceRateUSD", "ReferenceRateEUR"], frequency: "1s" },
        options
      ),
    items: {
      entity: "asset",
      position: "time",
      identity: [],
      metrics: ["ReferenceRateUSD", "ReferenceRateEUR"],
      value: ""
    }
  },
  {
    name: "candles",
    path: `/timeseries-stream/market-candles?markets=${pausing}&frequency=1m`,
    stream: (options) => Live.marketCandles({ markets: pausing, frequency: "1m" }, options),
    items: { entity: "market", position: "time", identity: [], value: "vwap" }
  },
  {
    name: "levels of indexes with frequencies of their own",
    path: "/timeseries-stream/index-levels?indexes=CMBIBTC,CMBI10",
    stream: (options) => Live.indexLevels({ indexes: "CMBIBTC,CMBI10" }, options),
    items: { entity: "index", position: "time", identity: [], value: "level" }
  },
  {
    name: "liquidations",
    path: `/timeseries-stream/market-liquidations?markets=${futures}`,
    stream: (options) => Live.marketLiquidations({ markets: futures }, options),
    items: { entity: "market", position: "time", identity: ["coin_metrics_id"], value: "price" }
  }
]

/** Of the four seeds of a run each series has one, another one where records are late; in a long run each has all. */
const seeds = TestMode.seeds(4, 60)

/** One, and another where what is drawn of books differs. */
const [ofChains, ofBooks] = TestMode.isLong ? [seeds, seeds] : [seeds.slice(2, 3), seeds.slice(3)]

const numbered = cases.map((one, index) => [one.name, one, index] as const)

describe.each(numbered)("History and then live, of %s", (_, { items, path, stream }, index) => {
  it.effect.each(TestMode.oneOf(seeds, index))(
    "is what the service published, or says where it is not: seed %i",
    (seed) =>
      Effect.gen(function* () {
        const course = Oracle.courseOf(seed)
        const read = yield* Oracle.run(path, stream({ since }), course)
        const story = `${course.faults} / ${course.happenings.map(({ name }) => name).join(", ")}`
        assert.isNotEmpty(read.truth)
        assert.deepStrictEqual(Oracle.faultsOf(items, read).slice(0, 5), [], story)
      })
  )
})

/** By how many milliseconds records are late. */
const jitters = [20, 100, 1_000] as const

// Each second series; in a long run all.
describe.each(TestMode.eachNth(numbered, 2))("What is published late, of %s", (_, { items, path, stream }, index) => {
  it.effect.each(TestMode.oneOf(seeds, index + 2))(
    "is delivered once all the same, or a gap says where it is not: seed %i",
    (seed) =>
      Effect.gen(function* () {
        const drawn = Oracle.courseOf(seed)
        const late = jitters[seed % 3]!
        const course = { ...drawn, jitter: { live: late, http: late * (1 + (seed % 5)) } }
        const order = seed % 2 === 0 ? "arrival" : "series"
        const read = yield* Oracle.run(path, stream({ since, order }), course)
        const story = `${late}, ${order}: ${course.faults} / ${course.happenings.map(({ name }) => name).join(", ")}`
        assert.isNotEmpty(read.truth)
        assert.deepStrictEqual(Oracle.faultsOf(items, read, course).slice(0, 5), [], story)
      })
  )
})

describe("The chain that a reader knows at the end", () => {
  const metric = "PriceUSD"
  const path = `/timeseries-stream/asset-metrics?assets=btc,eth&metrics=${metric}`
  const stream = Live.assetMetrics({ assets: "btc,eth", metrics: [metric] }, { since })

  it.effect.each(ofChains)(
    "is that of the service, through blocks that are taken back, or says where it is not: seed %i",
    (seed) =>
      Effect.gen(function* () {
        const drawn = Oracle.courseOf(seed)
        const course = { ...drawn, faults: [drawn.faults, `live-reorg=${1 + (seed % 3)}`].filter(Boolean).join(",") }
        const read = yield* Oracle.run(path, stream, course)
        const story = `${course.faults} / ${course.happenings.map(({ name }) => name).join(", ")}`
        assert.isNotEmpty(read.truth)
        assert.isTrue(
          read.messages.some(({ _tag }) => _tag === "Reorg"),
          story
        )
        assert.deepStrictEqual(Chain.faultsOf(metric, since, read).slice(0, 5), [], story)
      })
  )
})

const word = <const Name extends keyof Dialect.Dialect>(name: Name, seed: number) => {
  const words: ReadonlyArray<string> = Dialect.questions[name].words
  // Type boundary: the words of a question are those of its dialect.
  return { [name]: words[seed % words.length] } as Partial<Dialect.Dialect>
}

describe("The books that a reader is told", () => {
  it.effect.each(ofBooks)(
    "are those of the service after every update, or a gap says where they are not: seed %i",
    (seed) =>
      Effect.gen(function* () {
        const drawn = Oracle.courseOf(seed)
        const course = {
          ...drawn,
          dialect: {
            ...drawn.dialect,
            ...word("bookSnapshots", seed),
            ...word("bookUpdates", seed),
            ...word("leavingLevels", seed >> 1)
          },
          // A jump replaces the connection of books once; of another there is a warning, and nothing else.
          faults: drawn.faults.replace(/(live-skip=\d+);times=3/, "$1;times=1")
        }
        const depth_limit = seed % 4 === 3 ? "full_book" : "100"
        const path = `/timeseries-stream/market-orderbooks?markets=${markets}&depth_limit=${depth_limit}`
        const read = yield* Oracle.run(path, OrderBook.follow({ markets, depth_limit }, { since }), course, (until) =>
          Books.books(markets, since, until)
        )
        const story = `${Dialect.format(course.dialect)} / ${course.faults} / ${course.happenings.map(({ name }) => name).join(", ")}`
        assert.strictEqual(read.asked.size, 2)
        assert.deepStrictEqual(Books.faultsOf(read, depth_limit === "100" ? 100 : Infinity).slice(0, 5), [], story)
      })
  )
})
