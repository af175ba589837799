import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import type { Dialect } from "../src/Dialect.ts"
import { get, lines, refused, type Row, rows } from "./Harness.ts"

type Words = Pick<Dialect, "endDate" | "excludedDate">

const dialects: ReadonlyArray<Words> = [
  { endDate: "day", excludedDate: "day" },
  { endDate: "day", excludedDate: "instant" },
  { endDate: "midnight", excludedDate: "day" },
  { endDate: "midnight", excludedDate: "instant" }
]

const speaking = (dialect: Partial<Words>) => Effect.provide(Sandbox.layerMemory({ dialect }))

const times = (all: ReadonlyArray<Row>) => all.map((row) => String(row["time"]).slice(0, 19))

const all = "page_size=10000&paging_from=start"

const hourly = (query: string) =>
  Effect.map(
    rows(`/timeseries/asset-metrics?assets=btc&metrics=ReferenceRateUSD&frequency=1h&${all}&${query}`),
    (found) => [found.length, times(found).at(-1)] as const
  )

const count = (path: string) => Effect.map(rows(`${path}&page_size=10000`), ({ length }) => length)

describe("A date without a time", () => {
  it.effect("as the end of a range covers its whole day, in either form", () =>
    Effect.gen(function* () {
      for (const end of ["2023-01-08", "20230108"]) {
        const [, last] = yield* hourly(`start_time=2023-01-01&end_time=${end}`)
        assert.strictEqual(last, "2023-01-08T23:00:00")
      }
    }).pipe(speaking({}))
  )

  it.effect("as the end of a week of books an hour gives 168 of them", () =>
    Effect.gen(function* () {
      const week = "start_time=2022-10-20&end_time=2022-10-26&granularity=1h&depth_limit=full_book&format=json_stream"
      const books = lines(yield* get(`/timeseries/market-orderbooks?markets=coinbase-btc-usd-spot&${week}`))
      assert.deepStrictEqual([books.length, times(books).at(-1)], [7 * 24, "2022-10-26T23:00:00"])
    }).pipe(speaking({}))
  )

  it.effect("as the end of a read from the end gives the last minutes of its day", () =>
    Effect.gen(function* () {
      const found = yield* rows(
        "/timeseries/market-openinterest?markets=kraken-BTCUSDT-future&end_time=2024-08-17&page_size=5&paging_from=end"
      )
      const minutes = ["55", "56", "57", "58", "59"].map((minute) => `2024-08-17T23:${minute}:00`)
      assert.deepStrictEqual(times(found), minutes)
    }).pipe(speaking({}))
  )

  it.effect("as the start of a range is the beginning of its day", () =>
    Effect.gen(function* () {
      const [count] = yield* hourly("start_time=2024-06-01&end_time=2024-06-01T00:00:00")
      assert.strictEqual(count, 1)
      const [without] = yield* hourly("start_time=2024-06-01&end_time=2024-06-01T00:00:00&start_inclusive=false")
      assert.strictEqual(without, 0)
    }).pipe(speaking({}))
  )

  it.effect("is of the zone that the request names", () =>
    Effect.gen(function* () {
      const tokyo = yield* hourly("start_time=2024-06-01&end_time=2024-06-01&timezone=Asia/Tokyo")
      assert.deepStrictEqual(tokyo, [24, "2024-06-01T14:00:00"])
      // Clocks in New York go forward on the first of these days, and back on the other.
      for (const [day, hours] of [
        ["2024-03-10", 23],
        ["2024-11-03", 25]
      ] as const) {
        const [count] = yield* hourly(`start_time=${day}&end_time=${day}&timezone=America/New_York`)
        assert.strictEqual(count, hours)
      }
    }).pipe(speaking({}))
  )

  it.effect.each(dialects)("ends a range as the dialect says: $endDate, excluded $excludedDate", (dialect) =>
    Effect.gen(function* () {
      const day = "start_time=2024-06-01&end_time=2024-06-02"
      const [isDay, isInstant] = [dialect.endDate === "day", dialect.excludedDate === "instant"]
      assert.deepStrictEqual(yield* hourly(day), isDay ? [48, "2024-06-02T23:00:00"] : [25, "2024-06-02T00:00:00"])
      assert.deepStrictEqual(
        yield* hourly(`${day}&end_inclusive=false`),
        isDay && isInstant ? [48, "2024-06-02T23:00:00"] : [24, "2024-06-01T23:00:00"]
      )
      // Of a time nothing is open.
      const moment = "start_time=2024-06-01&end_time=2024-06-02T00:00:00"
      assert.strictEqual((yield* hourly(moment))[0], 25)
      assert.strictEqual((yield* hourly(`${moment}&end_inclusive=false`))[0], 24)
    }).pipe(speaking(dialect))
  )

  it.effect.each(dialects)("means the same in every list that takes a range: $endDate, $excludedDate", (dialect) =>
    Effect.gen(function* () {
      const isDay = dialect.endDate === "day"
      const isSame = Effect.fnUntraced(function* (path: string, name: string, day: string, next: string) {
        const end = isDay ? next : `${day}T00:00:00.000000001Z`
        const [date, moment] = [
          yield* count(`${path}&${name}=${day}`),
          yield* count(`${path}&${name}=${end}&end_inclusive=false`)
        ]
        assert.isAbove(moment, 0, path)
        assert.strictEqual(date, moment, path)
      })
      const next = "2024-03-02T00:00:00Z"
      yield* isSame("/blockchain-v2/eth/blocks?start_time=2024-02-29", "end_time", "2024-03-01", next)
      yield* isSame("/timeseries/asset-chains?assets=btc&start_time=2024-03-01", "end_time", "2024-03-01", next)
      yield* isSame("/catalog-v2/market-candles?exchange=coinbase", "end_time", "2019-03-01", "2019-03-02T00:00:00Z")
      const classified = "/taxonomy/assets?start_inclusive=true"
      yield* isSame(classified, "classification_end_time", "2022-06-12", "2022-06-13T00:00:00Z")
      yield* isSame(
        "/timeseries/protocol-metrics?protocols=aave_v2&metrics=supplied_usd&frequency=1m&start_time=2024-03-01",
        "end_time",
        "2024-03-01",
        next
      )
    }).pipe(speaking(dialect))
  )
})

/** The times at which candles of New York begin. */
const starts = (path: string, query: string) =>
  Effect.map(rows(`${path}&paging_from=start&timezone=America/New_York&${query}`), times)

describe("Days of candles", () => {
  const ofMarket = "/timeseries/market-candles?markets=coinbase-btc-usd-spot"

  const kinds = [
    ["market", ofMarket],
    ["pair", "/timeseries/pair-candles?pairs=btc-usd"],
    ["index", "/timeseries/index-candles?indexes=CMBIBTC"]
  ] as const

  it.effect.each(kinds)("of a %s begin at the hour of the zone, and are written in UTC", ([, path]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* starts(path, "frequency=1d-16:00&start_time=2024-07-01&end_time=2024-07-02"), [
        "2024-07-01T20:00:00",
        "2024-07-02T20:00:00"
      ])
      assert.deepStrictEqual(yield* starts(path, "frequency=1d&start_time=2024-03-09&end_time=2024-03-11"), [
        "2024-03-09T05:00:00",
        "2024-03-10T05:00:00",
        "2024-03-11T04:00:00"
      ])
    }).pipe(speaking({}))
  )

  it.effect.each([
    ["2024-03-10", "2024-03-10T05:00:00", "2024-03-11T04:00:00", 23],
    ["2024-11-03", "2024-11-03T04:00:00", "2024-11-04T05:00:00", 25]
  ] as const)("are as long as the clocks of the zone make them: %s", ([day, start, end, hours]) =>
    Effect.gen(function* () {
      const range = `start_time=${day}&end_time=${day}&timezone=America/New_York`
      const [candle, ...others] = yield* rows(`${ofMarket}&frequency=1d&${range}`)
      assert.isEmpty(others)
      const hourly = yield* rows(`${ofMarket}&frequency=1h&${range}&page_size=100`)
      assert.lengthOf(hourly, hours)
      assert.deepStrictEqual(times(hourly)[0], start)
      const moments = `start_time=${start}&end_time=${end}&end_inclusive=false`
      assert.deepStrictEqual(yield* rows(`${ofMarket}&frequency=1h&${moments}&page_size=100`), hourly)
      const trades = hourly.reduce((sum, row) => sum + Number(row["candle_trades_count"]), 0)
      assert.strictEqual(candle?.["candle_trades_count"], String(trades))
      assert.deepInclude(candle, {
        time: hourly[0]?.["time"],
        price_open: hourly[0]?.["price_open"],
        price_close: hourly.at(-1)?.["price_close"]
      })
    }).pipe(speaking({}))
  )

  it.effect("are not moved for what is shorter than a day, nor for series that are no candles", () =>
    Effect.gen(function* () {
      const moments = "start_time=2024-07-01T00:00:00&end_time=2024-07-02T00:00:00"
      const zoned = "start_time=2024-06-30T20:00:00&end_time=2024-07-01T20:00:00&timezone=America/New_York"
      for (const path of [
        `${ofMarket}&frequency=4h`,
        "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD",
        "/timeseries/index-levels?indexes=CMBIBTC"
      ]) {
        assert.deepStrictEqual(yield* rows(`${path}&${zoned}`), yield* rows(`${path}&${moments}`))
      }
    }).pipe(speaking({}))
  )
})

describe("sort=time", () => {
  it.effect("is refused with a wildcard of institutions, and taken with one of exchanges", () =>
    Effect.gen(function* () {
      const institutions = "/timeseries/institution-metrics?institutions=*&metrics=btc_total_assets&sort=time"
      refused(yield* get(institutions), 400, "bad_parameter")
      const day = "start_time=2024-03-01&end_time=2024-03-01"
      const exchanges = "/timeseries/exchange-metrics?exchanges=*&metrics=volume_reported_spot_usd_1d&sort=time"
      assert.isAbove((yield* rows(`${exchanges}&${day}`)).length, 1)
    }).pipe(speaking({}))
  )
})
