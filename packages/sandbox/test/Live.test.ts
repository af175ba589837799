import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import * as WallClock from "../../core/test/WallClock.ts"
import { get, lines, pages, type Row, rows } from "./Harness.ts"
import { open, records } from "./LiveHarness.ts"

const live = (options: Sandbox.Options = {}) =>
  Sandbox.layerMemory({ live: { httpLag: 0, ...(typeof options.live === "object" ? options.live : {}) }, ...options })

const market = "coinbase-btc-usd-spot"
const future = "binance-ADAUSDT-future"
const begin = "2026-10-01T00:00:00"

const omit = (row: Row, ...names: ReadonlyArray<string>): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

const key = (row: Row) => JSON.stringify(row)

/** What both sides say of a record. */
const common = (row: Row): Row => omit(row, "cm_sequence_id", "collect_time", "database_time", "type")

/** The time of so many quarters of a second after the beginning. */
const quarter = (n: number) => `2026-10-01T00:00:${(n / 4).toFixed(2).padStart(5, "0")}0000000Z`

const since = (path: string) => `${path}&paging_from=start&page_size=10000&start_time=${begin}&start_inclusive=false`

const streams: ReadonlyArray<readonly [stream: string, http: string, fields: ReadonlyArray<string>]> = [
  [`market-trades?markets=${market},${future}`, "", ["market", "time", "coin_metrics_id", "price", "collect_time"]],
  [
    `market-liquidations?markets=${future},binance-A*-future`,
    "",
    ["market", "time", "coin_metrics_id", "price", "type", "amount"]
  ],
  ["market-trades?markets=uniswap_v2_eth-1-usdt-usdc-spot", "&min_confirmations=0", ["block_hash", "block_height"]],
  [`market-openinterest?markets=${future}`, "", ["market", "time", "contract_count", "value_usd", "exchange_time"]],
  [`market-candles?markets=${market}`, "&frequency=1m", ["market", "time", "vwap", "candle_trades_count"]],
  [`market-candles?markets=${market}&frequency=5m`, "", ["market", "time", "price_open", "price_close"]],
  ["index-levels?indexes=CMBIBTC", "&frequency=1s", ["index", "time", "level"]],
  [
    "index-levels?indexes=CMBI10&include_verification=true",
    "&frequency=15s",
    ["index", "time", "level", "verification"]
  ],
  ["asset-metrics?assets=btc,eth&metrics=ReferenceRateUSD&frequency=1s", "", ["asset", "time", "ReferenceRateUSD"]]
]

describe("A live stream", () => {
  for (const [stream, more, fields] of streams) {
    it.effect(`of ${stream} has the records that HTTP has, in the order of their publication`, () =>
      Effect.gen(function* () {
        const seen = yield* open(`/timeseries-stream/${stream}&backfill=none`)
        yield* TestClock.adjust("31 minutes")
        const all = records(seen)
        assert.isAbove(all.length, 1)
        for (const field of fields) assert.isString(typeof all[0]?.[field] === "object" ? "" : all[0]?.[field], field)
        assert.deepStrictEqual(
          all.map(({ cm_sequence_id }) => cm_sequence_id),
          all.map((_, n) => String(n))
        )
        for (const row of all) assert.notProperty(row, "database_time")
        const http = yield* rows(since(`/timeseries/${stream}${more}`))
        // A candle is published when it is over: the first two began before.
        const late = stream.includes("candles") ? 2 : 0
        const sorted = all.map(common).map(key).toSorted()
        assert.deepStrictEqual(sorted.slice(late), http.map(common).map(key).toSorted())
        const truth = yield* (yield* Sandbox.Sandbox).live.series(`/timeseries-stream/${stream}`, {
          after: "2026-10-01",
          until: "2026-10-01T00:31:00Z"
        })
        assert.deepStrictEqual(
          truth.map((text) => JSON.parse(text)),
          all.map((row) => omit(row, "cm_sequence_id"))
        )
      }).pipe(Effect.scoped, Effect.provide(live()))
    )
  }

  it.effect.each([
    [`market-quotes?markets=${market}`, "coin_metrics_id", 8],
    [`market-quotes?markets=${market}&include_one_sided=true`, "coin_metrics_id", 8],
    [`market-contract-prices?markets=${future}`, "exchange_time", 3]
  ] as const)("of %s has other records than HTTP, of other times, several for each", ([stream, field, times]) =>
    Effect.gen(function* () {
      const seen = yield* open(`/timeseries-stream/${stream}&backfill=none`)
      yield* TestClock.adjust("31 minutes")
      const all = records(seen)
      const http = yield* rows(since(`/timeseries/${stream}`))
      assert.isNotEmpty(http)
      assert.isAtLeast(all.length, times * http.length)
      const known = new Set(http.map(({ time }) => time))
      assert.isFalse(all.some(({ time }) => known.has(time)))
      for (const row of all) {
        assert.isString(row[field])
        assert.notProperty(row, "database_time")
      }
      const truth = yield* (yield* Sandbox.Sandbox).live.series(`/timeseries-stream/${stream}`, {
        after: "2026-10-01",
        until: "2026-10-01T00:31:00Z"
      })
      assert.deepStrictEqual(
        truth.map((text) => JSON.parse(text)),
        all.map((row) => omit(row, "cm_sequence_id"))
      )
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect.each([
    ["zero", [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ["one", [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ["even", [0, 2, 4, 6, 8, 10, 12, 14, 16]],
    ["jumps", [0, 1, 2, 3, 4, 5, 6, 10, 11]]
  ] as const)("numbers its frames as the dialect %s says, on each connection", ([sequence, numbers]) =>
    Effect.gen(function* () {
      for (let connection = 0; connection < 2; connection++) {
        const seen = yield* open(`/timeseries-stream/market-quotes?markets=${market}`)
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(
          records(seen)
            .slice(0, 9)
            .map(({ cm_sequence_id }) => cm_sequence_id),
          numbers.map(String)
        )
      }
    }).pipe(Effect.scoped, Effect.provide(live({ dialect: { sequence } })))
  )

  it.effect.each([
    "asset-metrics?metrics=ReferenceRateUSD&frequency=1s&assets=*",
    "asset-quotes?assets=*",
    "index-levels?indexes=*"
  ])("of %s is of all that have it", (stream) =>
    Effect.gen(function* () {
      const seen = yield* open(`/timeseries-stream/${stream}`)
      yield* TestClock.adjust("1 second")
      const names = new Set(records(seen).map(({ asset, index, pair }) => asset ?? index ?? pair))
      assert.isAbove(names.size, 10)
      assert.isUndefined(seen.ended)
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect(
    "of open interest has nothing of an exchange that publishes it once a day, and begins with nothing old",
    () =>
      Effect.gen(function* () {
        const seen = yield* open("/timeseries-stream/market-openinterest?markets=cme-*,deribit-*")
        yield* TestClock.adjust("1 minute")
        const all = records(seen)
        assert.isAbove(all.length, 10)
        assert.isTrue(
          all.every(({ market, time }) => String(market).startsWith("deribit-") && String(time) >= "2026-09-30T23:30")
        )
      }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect("sends what is published after the instant of the journal, however much time passes as it begins", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let looks = 0
      // A second for each of the first looks at the clock.
      const slow = WallClock.at(clock, () => clock.currentTimeMillisUnsafe() + 1_000 * Math.min(20, looks++))
      yield* Effect.gen(function* () {
        const path = `/timeseries-stream/market-quotes?markets=${market}`
        const seen = yield* open(path)
        yield* Effect.provideService(TestClock.adjust("10 seconds"), Clock.Clock, clock)
        const { live } = yield* Sandbox.Sandbox
        const [entry] = yield* live.journal
        const truth = yield* live.series(path, { after: entry?.opened ?? "", until: entry?.frames.at(-1)?.at ?? "" })
        assert.isAbove(truth.length, 10)
        // The first is the latest before it.
        const [, ...sent] = records(seen).map((row) => omit(row, "cm_sequence_id"))
        assert.deepStrictEqual(
          sent,
          truth.map((text) => JSON.parse(text))
        )
      }).pipe(Effect.scoped, Effect.provide(live()), Effect.provideService(Clock.Clock, slow))
    })
  )

  it.effect("of quotes of pairs and assets has four records a second, of which three have nothing new", () =>
    Effect.gen(function* () {
      const pairs = yield* open("/timeseries-stream/pair-quotes?pairs=btc-eur,eth-*")
      const assets = yield* open("/timeseries-stream/asset-quotes?assets=btc&aggregation_method=aggregated_spread")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(
        records(assets).map(({ pair, time }) => [pair, time]),
        Array.from({ length: 41 }, (_, n) => ["btc-usd", quarter(n)])
      )
      assert.strictEqual(new Set(records(assets).map((row) => key(omit(row, "time", "cm_sequence_id")))).size, 11)
      const named = new Set(records(pairs).map(({ pair }) => pair))
      assert.isTrue(named.has("btc-eur") && named.has("eth-usd"))
      for (const row of records(pairs)) {
        assert.isBelow(Number(row["bid_price"]), Number(row["mid_price"]))
        assert.isAbove(Number(row["ask_price"]), Number(row["mid_price"]))
      }
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect("of order books begins with a snapshot, and then tells what has changed, under ids that HTTP has not", () =>
    Effect.gen(function* () {
      for (const depth of ["100", "full_book"]) {
        yield* TestClock.adjust("24 seconds")
        const seen = yield* open(`/timeseries-stream/market-orderbooks?markets=${market}&depth_limit=${depth}`)
        const { live } = yield* Sandbox.Sandbox
        const start = yield* live.now
        yield* TestClock.adjust("10 minutes")
        const all = records(seen)
        assert.strictEqual(all[0]?.["type"], "snapshot")
        assert.sameMembers([...new Set(all.map(({ type }) => type))], ["snapshot", "update"])
        assert.isAbove(all.filter(({ type }) => type === "snapshot").length, 1)
        // That of all levels is as old as the last of HTTP.
        const first = depth === "100" ? "2026-10-01T00:00:23" : "2026-10-01T00:10:40"
        assert.include(String(all[0]?.["time"]), first)
        const range = `start_time=${start.slice(0, -1)}&format=json_stream&dataset=updates&depth_limit=30000`
        const updates = lines(yield* get(`/timeseries/market-orderbooks?markets=${market}&${range}`))
        const times = new Set(updates.map(({ time }) => time))
        const ids = new Set(updates.map(({ coin_metrics_id }) => coin_metrics_id))
        for (const row of all.slice(2)) {
          assert.isTrue(times.has(row["time"]) || String(row["time"]) > String(updates.at(-1)?.["time"]))
          assert.isFalse(ids.has(row["coin_metrics_id"]))
        }
      }
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect("of metrics may tell of one instant in two messages, which make the record of HTTP", () =>
    Effect.gen(function* () {
      const metrics = "assets=btc&metrics=ReferenceRateUSD,ReferenceRateEUR,ReferenceRateETH&frequency=1s"
      const seen = yield* open(`/timeseries-stream/asset-metrics?${metrics}&backfill=none`)
      yield* TestClock.adjust("1 minute")
      const merged = new Map<unknown, Row>()
      for (const row of records(seen)) merged.set(row["time"], { ...merged.get(row["time"]), ...common(row) })
      assert.isAbove(seen.frames.length, merged.size)
      assert.deepStrictEqual(
        [...merged.values()],
        (yield* rows(since(`/timeseries/asset-metrics?${metrics}`))).map(common)
      )
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect("of metrics at 200ms has five records a second", () =>
    Effect.gen(function* () {
      const query = "assets=btc&metrics=ReferenceRateUSD&frequency=200ms"
      const seen = yield* open(`/timeseries-stream/asset-metrics?${query}&backfill=none`)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(seen.frames.length, 50)
      assert.strictEqual(records(seen)[0]?.["time"], "2026-10-01T00:00:00.200000000Z")
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect("of blocks tells of a block that is replaced by reorg, and ends with the blocks of HTTP", () =>
    Effect.gen(function* () {
      const query = "assets=eth&metrics=PriceUSD,TxCnt"
      const seen = yield* open(`/timeseries-stream/asset-metrics?${query}&backfill=none`)
      yield* TestClock.adjust("2 hours")
      const chain = new Map<unknown, Row>()
      let replaced = 0
      for (const row of records(seen)) {
        const { hash, height, parent_hash, type } = row
        assert.include(["new_block", "reorg"], type)
        if (type === "reorg") {
          replaced++
          assert.strictEqual(chain.get(height)?.["hash"], hash)
          assert.notProperty(row, "PriceUSD")
          chain.delete(height)
        } else {
          const before = chain.get(String(Number(height) - 1))
          if (before !== undefined) assert.strictEqual(parent_hash, before["hash"])
          chain.set(height, { ...chain.get(height), ...row })
        }
      }
      assert.isAbove(replaced, 2, seen.frames.slice(0, 3).join() + JSON.stringify(seen.ended))
      const path = `/timeseries/asset-metrics?${query}&frequency=1b&min_confirmations=1`
      const http = yield* rows(since(path))
      assert.isAbove(http.length, 300)
      for (const { block_hash, height, parent_block_hash, PriceUSD } of http) {
        const own = chain.get(height)
        assert.deepStrictEqual(
          [own?.["hash"], own?.["parent_hash"], own?.["PriceUSD"]],
          [block_hash, parent_block_hash, PriceUSD]
        )
      }
      const { live } = yield* Sandbox.Sandbox
      const truth = yield* live.series(`/timeseries-stream/asset-metrics?${query}`, {
        after: "2026-10-01",
        until: yield* live.now
      })
      assert.deepStrictEqual(
        truth.map((text) => (JSON.parse(text) as Row)["hash"]),
        [...chain.values()].map(({ hash }) => hash).slice(0, truth.length)
      )
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect("may be of many markets at once, by a pattern", () =>
    Effect.gen(function* () {
      const seen = yield* open("/timeseries-stream/market-trades?markets=coinbase-*-spot")
      yield* TestClock.adjust("1 minute")
      const markets = new Set(records(seen).map(({ market }) => market))
      assert.isAbove(markets.size, 50)
      const times = records(seen)
        .slice(markets.size)
        .map(({ time }) => String(time))
      assert.isAbove(times.length, markets.size - 1)
      assert.deepStrictEqual(times, times.toSorted())
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect("goes on where the clock stands between two milliseconds", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("300700 nanos")
      const seen = yield* open(`/timeseries-stream/asset-metrics?assets=btc&metrics=ReferenceRateUSD&frequency=1s`)
      for (let step = 0; step < 40; step++) yield* TestClock.adjust("250300100 nanos")
      assert.strictEqual(records(seen).length, 11)
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect("is indented where pretty is asked for", () =>
    Effect.gen(function* () {
      const seen = yield* open(`/timeseries-stream/market-trades?markets=${market}&pretty=true`)
      yield* TestClock.adjust("1 millis")
      assert.match(String(seen.frames[0]), /^\{\n {2}"market": /)
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.effect("over a series without time sends the last record, and nothing more", () =>
    Effect.gen(function* () {
      const seen = yield* open(`/timeseries-stream/market-trades?markets=${market}`)
      yield* TestClock.adjust("1 day")
      const last = yield* rows(`/timeseries/market-trades?markets=${market}&limit_per_market=1`)
      assert.deepStrictEqual(records(seen).map(common), last.map(common))
      assert.isUndefined(seen.ended)
    }).pipe(Effect.scoped, Effect.provide(Sandbox.layerMemory()))
  )
})

/** The last block that has so many blocks on top. */
const heightOf = (confirmations: number) =>
  Effect.map(
    rows(
      `/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&frequency=1b&limit_per_asset=1&min_confirmations=${confirmations}`
    ),
    ([row]) => Number(row?.["height"])
  )

describe("HTTP beside live streams", () => {
  it.effect("sees records later by as much as is chosen, and grows", () =>
    Effect.gen(function* () {
      const { live } = yield* Sandbox.Sandbox
      const path = `/timeseries/market-quotes?markets=${market}&limit_per_market=1`
      const last = Effect.map(rows(path), ([row]) => row?.["time"])
      assert.strictEqual(yield* last, "2026-09-30T23:59:30.000000000Z")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* last, "2026-10-01T00:00:30.000000000Z")
      yield* live.setHttpLag("5 seconds")
      assert.strictEqual(yield* last, "2026-10-01T00:00:50.000000000Z")
      assert.strictEqual(yield* live.now, "2026-10-01T00:01:00.000000000Z")
    }).pipe(Effect.provide(live({ live: { httpLag: "30 seconds" } })))
  )

  it.effect("has what was published in pages from both ends, as lines, and of blocks those that are confirmed", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("10 minutes")
      const query = `/timeseries/market-trades?markets=${market},kraken-btc-usd-spot&start_time=2026-09-30T23:00:00`
      const whole = yield* rows(`${query}&page_size=10000`)
      assert.isAbove(whole.length, 50)
      for (const { time } of whole) assert.isAtMost(Date.parse(String(time)), Date.parse("2026-10-01T00:10:00Z"))
      const fromStart = (yield* pages(`${query}&page_size=7&paging_from=start`)).flat()
      const fromEnd = (yield* pages(`${query}&page_size=7`)).toReversed().flat()
      const streamed = lines(yield* get(`${query}&format=json_stream`))
      for (const read of [fromStart, fromEnd, streamed]) assert.deepStrictEqual(read, whole)
      const tip = yield* heightOf(0)
      assert.strictEqual(yield* heightOf(5), tip - 5)
      yield* TestClock.adjust("1 hour")
      assert.isAbove(yield* heightOf(0), tip)
      const day = yield* rows("/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&limit_per_asset=1")
      assert.strictEqual(day[0]?.["time"], "2026-09-30T00:00:00.000000000Z")
    }).pipe(Effect.provide(live()))
  )

  it.effect("passes time as fast as is chosen, until the data ends", () =>
    Effect.gen(function* () {
      const { live } = yield* Sandbox.Sandbox
      const seen = yield* open(`/timeseries-stream/market-candles?markets=${market}&frequency=1h`)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* live.now, "2026-10-31T22:00:00.000000000Z")
      assert.strictEqual(seen.frames.length, 2)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* live.now, "2026-11-01T00:00:00.000000000Z")
    }).pipe(Effect.scoped, Effect.provide(live({ live: { from: "2026-10-31T21:00:00Z", speed: 60 } })))
  )
})
