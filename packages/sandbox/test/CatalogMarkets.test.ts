import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { get, lines, refused, type Row, rows } from "./Harness.ts"

const parts = ["trades", "orderbooks", "quotes", "funding_rates", "openinterest", "liquidations"]
const partsOf = (row: Row | undefined) => parts.filter((part) => row?.[part] !== undefined)

const named = (path: string) => Effect.map(rows(path), (records) => records.map((record) => String(record["market"])))

const of = (query: string) =>
  Effect.map(rows(`/catalog/markets?markets=bybit-BTCUSDT-future&${query}`), ([row]) => partsOf(row))

const filtered = (query: string) => rows(`/catalog/markets?exclude=${parts.join()}&${query}`)

describe("Market catalogs", () => {
  it.effect("list the markets that have been traded, with what there is of each", () =>
    Effect.gen(function* () {
      const all = (yield* Effect.forEach(["bybit", "finra"], (name) =>
        rows(`/catalog/markets?exchange=${name}`)
      )).flat()
      const known = (yield* Effect.forEach(["bybit", "finra"], (name) =>
        Effect.map(get(`/reference-data/markets?exchange=${name}&format=json_stream`), lines)
      )).flat()
      // These two are newer than the catalogs, which are not given new fields any more.
      const fields = new Map(
        known.map(({ asset_class: _class, source_type: _source, ...row }) => [row["market"], row] as const)
      )
      const inherited = all.map((row) =>
        Object.fromEntries(
          Object.entries(row).filter(([name]) => !/^m(?:in|ax)_time$/.test(name) && !parts.includes(name))
        )
      )
      assert.deepStrictEqual(
        inherited,
        all.map(({ market }) => fields.get(market) ?? {})
      )
      assert.isBelow(all.length, known.length)
      for (const row of all) {
        const { max_time, min_time } = row
        for (const part of partsOf(row)) {
          const span = row[part] as Row
          if (
            Object.keys(span).join() !== "min_time,max_time" ||
            !(String(min_time) <= String(span["min_time"]) && String(span["max_time"]) <= String(max_time))
          ) {
            assert.fail(`${part} of ${JSON.stringify(row)}`)
          }
        }
        const dated = row["expiration"] ?? row["maturity_date"]
        if (dated !== undefined && String(max_time) > `${String(dated)}~`) assert.fail(JSON.stringify(row))
      }
      const types = new Map(all.map((row) => [row["type"], partsOf(row)]))
      assert.deepStrictEqual(types.get("bond"), ["trades"])
      assert.deepStrictEqual(partsOf(all.find((row) => row["market"] === "bybit-BTCUSDT-future")), parts)
      assert.notInclude(types.get("spot") ?? [], "openinterest")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("are as long as asked for, and every market has a name of its own", () =>
    Effect.gen(function* () {
      // Without the parts of each, which take longest to write.
      const exclude = `exclude=${parts.join()}`
      const all = yield* rows(`/catalog-all/markets?${exclude}`)
      const own = yield* rows(`/catalog/markets?${exclude}`)
      assert.strictEqual(all.length, 12_000)
      assert.deepStrictEqual(all.slice(0, own.length), own)
      assert.strictEqual(new Set(all.map((row) => row["market"])).size, all.length)
      const stream = yield* get(`/catalog-all/markets?format=json_stream&${exclude}`)
      assert.strictEqual(stream.text.match(/\n/g)?.length, all.length)
      // Whoever asks for some markets gets those.
      assert.strictEqual((yield* rows("/catalog-all/markets?markets=bybit-BTCUSDT-future")).length, 1)
    }).pipe(Effect.provide(Sandbox.layerMemory({ catalogMarkets: 12_000 })))
  )

  it.effect("agree with each other on every kind of data", () =>
    Effect.gen(function* () {
      const all = yield* rows("/catalog/markets?exchange=deribit")
      for (const part of parts) {
        const own = yield* rows(`/catalog/market-${part.replace("_", "-")}?exchange=deribit`)
        assert.isAbove(own.length, 0)
        assert.deepStrictEqual(
          own.map(({ market, max_time, min_time }) => ({ market, span: { min_time, max_time } })),
          all
            .filter((row) => row[part] !== undefined)
            .map((row) => ({ market: row["market"], span: row[part] as { min_time: unknown; max_time: unknown } }))
        )
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("have the parts that are included and not excluded", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of("include=trades,quotes"), ["trades", "quotes"])
      assert.deepStrictEqual(yield* of("exclude=trades,quotes,liquidations"), [
        "orderbooks",
        "funding_rates",
        "openinterest"
      ])
      assert.deepStrictEqual(yield* of("include=trades,quotes&exclude=trades"), ["quotes"])
      assert.deepStrictEqual(yield* of(`exclude=${parts.join()}`), [])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("tell the depths of books, the frequencies of candles, and the metrics", () =>
    Effect.gen(function* () {
      const query = "markets=kraken-btc-usdt-spot"
      for (const [market, expected] of [
        [
          "coinbase-btc-usd-spot",
          "100 snapshots, 10pct_mid_price snapshots, full_book snapshots+updates, 30000 updates"
        ],
        ["kraken-btc-usdt-spot", "100 snapshots, 10pct_mid_price snapshots, full_book snapshots"]
      ]) {
        const [book] = yield* rows(`/catalog/market-orderbooks?markets=${market}`)
        // Type boundary: the tests look at what was sent, whatever it is.
        const depths = book?.["depths"] as ReadonlyArray<Row & { readonly datasets: ReadonlyArray<Row> }>
        for (const depth of depths) {
          assert.deepStrictEqual(Object.keys(depth), ["depth", "min_time", "max_time", "datasets"])
          for (const dataset of depth.datasets)
            assert.deepStrictEqual(Object.keys(dataset), ["dataset", "min_time", "max_time"])
        }
        const said = depths.map(({ datasets, depth }) => `${depth} ${datasets.map(({ dataset }) => dataset).join("+")}`)
        assert.strictEqual(said.join(", "), expected)
      }
      const [candles] = yield* rows(`/catalog/market-candles?${query}`)
      assert.deepStrictEqual(Object.keys(candles ?? {}), ["market", "frequencies"])
      for (const entry of (candles?.["frequencies"] ?? []) as ReadonlyArray<Row>) {
        assert.deepStrictEqual(Object.keys(entry), ["frequency", "min_time", "max_time"])
      }
      const [metrics] = yield* rows(`/catalog/market-metrics?${query}`)
      assert.match(
        JSON.stringify(metrics?.["metrics"]),
        /^\[\{"metric":"[^"]+","frequencies":\[\{"frequency":"[^"]+","min_time":"[^"]+","max_time":"[^"]+"\}/
      )
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect.each(["trades", "metrics"])("pass the filters, the limit and the format: %s", (name) =>
    Effect.gen(function* () {
      const path = `/catalog/market-${name}`
      const all = yield* named(`${path}?exchange=okex`)
      assert.isAbove(all.length, 4)
      assert.deepStrictEqual(yield* named(`${path}?exchange=okex&limit=none`), all)
      assert.deepStrictEqual(yield* named(`${path}?exchange=okex&limit=3`), all.slice(0, 3))
      assert.strictEqual((yield* named(`${path}?limit=100`)).length, 100)
      const [first = "", second = ""] = all
      assert.deepStrictEqual(yield* named(`${path}?markets=${second},${first}`), [first, second])
      const stream = yield* get(`${path}?exchange=okex&format=json_stream&limit=4`)
      assert.strictEqual(stream.headers["content-type"], "application/x-ndjson")
      assert.deepStrictEqual(lines(stream), [...(yield* rows(`${path}?exchange=okex&limit=4`))])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("narrow to the exchange, the type, the assets and the symbol that are asked for", () =>
    Effect.gen(function* () {
      const all = yield* filtered("")
      const expect = (field: string, value: string) => all.filter((row) => row[field] === value)
      assert.deepStrictEqual(yield* filtered("exchange=talos:kraken"), expect("exchange", "kraken"))
      assert.deepStrictEqual(yield* filtered("type=bond"), expect("type", "bond"))
      assert.deepStrictEqual(yield* filtered("base=talos:BTC"), expect("base", "btc"))
      assert.deepStrictEqual(yield* filtered("quote=krw"), expect("quote", "krw"))
      assert.deepStrictEqual(yield* filtered("symbol=BTCUSDT"), expect("symbol", "BTCUSDT"))
      assert.deepStrictEqual(
        yield* filtered("asset=sol"),
        all.filter((row) => ["base", "quote", "size_asset", "margin_asset"].some((field) => row[field] === "sol"))
      )
      // A filter of the reference data alone.
      refused(yield* get("/catalog/markets?publisher=finra"), 400, "bad_parameter")
      // Listed, but still without a trade.
      const [coming] = yield* rows(
        "/reference-data/markets?exchange=bybit&type=future&paging_from=end&page_size=400"
      ).pipe(Effect.map((markets) => markets.filter((row) => String(row["listing"]) > "2026-11-02")))
      assert.deepStrictEqual(yield* filtered(`markets=${String(coming?.["market"])}`), [])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})
