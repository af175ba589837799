import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Blocks from "../src/data/Blocks.ts"
import * as Assets from "../src/data/Assets.ts"
import { get, lines, pages, refused, type Row, rows } from "./Harness.ts"

const series = "/timeseries/market-trades"
const coinbase = "coinbase-btc-usd-spot"
const minutes = "start_time=2024-03-01T09:30:00&end_time=2024-03-01T09:50:00"
const from = (query: string) => rows(`${series}?${query}&paging_from=start&page_size=10000`)

const times = (all: ReadonlyArray<Row>) => all.map((row) => String(row["time"]))

const keysOf = (market: string) =>
  Effect.map(rows(`${series}?markets=${market}&page_size=1`), ([row]) => Object.keys(row ?? {}))

const marketsOf = (all: ReadonlyArray<Row>) => [...new Set(all.map((row) => String(row["market"])))]

/** The first time that several trades have. */
const sharedTime = (all: ReadonlyArray<Row>) =>
  times(all).find((time, index, others) => time === others[index + 1]) ?? assert.fail("no two trades share a time")

layer(Sandbox.layerMemory())("Market trades", (it) => {
  it.effect("have the fields of their kind of market", () =>
    Effect.gen(function* () {
      const common = ["market", "time", "coin_metrics_id", "amount", "price", "side"]
      assert.deepStrictEqual(yield* keysOf(coinbase), [...common, "database_time"])
      const chain = ["block_hash", "block_height", "txid", "initiator", "sender", "beneficiary"]
      assert.deepStrictEqual(yield* keysOf("aerodrome_base-1-eth-usdc-spot"), [...common, ...chain, "database_time"])
      const futures = yield* from("markets=binance-BTCUSDT-future&start_time=2024-03-01&end_time=2024-03-02")
      assert.includeMembers(Object.keys(futures[0] ?? {}), ["mark_price", "index_price"])
      const liquidated = futures.filter((row) => row["liquidation"] !== undefined)
      assert.isNotEmpty(liquidated)
      assert.isBelow(liquidated.length, futures.length / 20)
      const options = yield* from("markets=deribit-BTC-*-C-option&start_time=2026-10-31T23:55:00&limit_per_market=1")
      assert.isNotEmpty(options)
      assert.isTrue(options.every((row) => row["iv_trade"] !== undefined && Number(row["price"]) > 0))
    })
  )

  it.effect("keep to the nanosecond of the range, whichever of its ends belong to it", () =>
    Effect.gen(function* () {
      const all = yield* from(`markets=${coinbase}&${minutes}`)
      const time = sharedTime(all)
      const count = (keeps: (time: string) => boolean) => times(all).filter(keeps).length
      const asked = (query: string) => Effect.map(from(`markets=${coinbase}&${query}`), (found) => found.length)
      const end = "end_time=2024-03-01T09:50:00"
      assert.isAbove(
        count((other) => other === time),
        1
      )
      assert.strictEqual(
        yield* asked(`start_time=${time}&end_time=${time}`),
        count((other) => other === time)
      )
      assert.strictEqual(
        yield* asked(`start_time=${time}&${end}`),
        count((other) => other >= time)
      )
      assert.strictEqual(
        yield* asked(`start_time=${time}&${end}&start_inclusive=false`),
        count((other) => other > time)
      )
      const begin = "start_time=2024-03-01T09:30:00"
      assert.strictEqual(
        yield* asked(`${begin}&end_time=${time}`),
        count((other) => other <= time)
      )
      assert.strictEqual(
        yield* asked(`${begin}&end_time=${time}&end_inclusive=false`),
        count((other) => other < time)
      )
      const zone = "start_time=2024-03-01T04:30:00&end_time=2024-03-01T04:50:00&timezone=America/New_York"
      assert.deepStrictEqual(yield* from(`markets=${coinbase}&${zone}`), all)
    })
  )

  it.effect("are the same in pages of any size, which part trades of one time, and as lines", () =>
    Effect.gen(function* () {
      const query = `${series}?markets=${coinbase},kraken-btc-usd-spot&${minutes}`
      const all = yield* from(`markets=${coinbase},kraken-btc-usd-spot&${minutes}`)
      assert.deepStrictEqual(marketsOf(all), [coinbase, "kraken-btc-usd-spot"])
      assert.deepStrictEqual((yield* pages(`${query}&page_size=1&paging_from=start`)).flat(), all)
      assert.deepStrictEqual((yield* pages(`${query}&page_size=3`)).toReversed().flat(), all)
      assert.deepStrictEqual(lines(yield* get(`${query}&format=json_stream`)), all)
    })
  )

  it.effect("take patterns for markets, among names, and refuse a name that is none", () =>
    Effect.gen(function* () {
      const spot = marketsOf(yield* from(`markets=binance-*-spot&${minutes}&limit_per_market=1`))
      assert.isAbove(spot.length, 20)
      assert.deepStrictEqual(spot, spot.toSorted())
      assert.isTrue(spot.every((market) => /^binance-.*-spot$/.test(market)))
      const pair = marketsOf(yield* from(`markets=*-btc-usd-spot,binance-BTCUSDT-future&${minutes}&limit_per_market=1`))
      assert.includeMembers(pair, [coinbase, "binance-BTCUSDT-future"])
      assert.deepStrictEqual(yield* from(`markets=nothing-*&${minutes}`), [])
      const message = "Bad parameter 'markets'. Market 'nothing-a-b-spot' is not supported."
      refused(yield* get(`${series}?markets=nothing-a-b-spot`), 400, "bad_parameter", message)
      refused(yield* get(series), 400, "bad_parameter", "Bad parameter 'markets'. Missing required parameter.")
    })
  )

  it.effect("of a pool stand in blocks, those with enough of them on top", () =>
    Effect.gen(function* () {
      const pool = "aerodrome_base-1-eth-usdc-spot"
      const chain = Assets.find("eth")!
      const top = Blocks.last(chain)
      const lastHeight = (query: string) =>
        Effect.map(rows(`${series}?markets=${pool}&page_size=1${query}`), ([row]) => Number(row?.["block_height"]))
      assert.isAtMost(yield* lastHeight(""), top - 2)
      assert.isAtMost(yield* lastHeight("&min_confirmations=99"), top - 99)
      const all = yield* from(`markets=${pool}&${minutes}`)
      for (const row of all) {
        const height = Number(row["block_height"])
        assert.strictEqual(row["block_hash"], Blocks.hash(chain, height))
        assert.match(String(row["coin_metrics_id"]), /^[0-9a-v]{63}$/)
      }
      const ids = all.map((row) => row["coin_metrics_id"])
      assert.lengthOf([...new Set(ids)], ids.length)
    })
  )
})
