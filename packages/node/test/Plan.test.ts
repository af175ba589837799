import { assert, layer } from "@effect/vitest"
import { Bulk, Client, Discover, type Endpoint, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Draw from "../../core/test/Draw.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import { inVirtualTime, settings } from "./Harness.ts"

/** Asks a stand-in within the process. */
const inMemory = Layer.effect(
  Client.Client,
  Effect.flatMap(Sandbox.Sandbox, ({ url }) => Client.make({ ...settings, root: url, plan: "download" }))
).pipe(Layer.provide(Sandbox.layerMemory()))

interface Job {
  readonly endpoint: Endpoint.Any
  readonly params: Readonly<Record<string, unknown>>
  readonly split: Bulk.Split
}

// Type boundary: what is drawn has its parameters as data.
const untyped = (endpoint: Endpoint.Info) => endpoint as Endpoint.Any

const iso = (ms: number) => new Date(ms).toISOString().replace(".000Z", "Z")
const hour = 3_1_800_000
const lengths = { "1m": 60_000, "5m": 300_000, "1h": hour, "1d": 24 * hour }
const markets = [
  "coinbase-btc-usd-spot",
  "kraken-btc-usd-spot",
  "kraken-eth-usd-spot",
  "coinbase-eth-usd-spot",
  "kraken-BTCUSDT-future",
  "okex-BTCUSDT-future"
]
const futures = markets.filter((name) => name.endsWith("future"))
const [begin, end] = [Date.UTC(2009, 0, 1), Date.UTC(2026, 11, 1)]

const splitOf = (draw: Draw.Draw, by: string, millis: number): Bulk.Split => ({
  ...draw.maybe(0.7, () => ({ by, size: draw.one([1, 1, 2, Infinity]) })),
  ...draw.maybe(0.5, () => ({ every: millis > 60 * 24 * hour ? "3 months" : Math.ceil(millis / draw.int(2, 4)) }))
})

/** A job of so many instants at a frequency: its ends lie anywhere, on the grid and off it. */
const onGrid = (draw: Draw.Draw): Job => {
  const frequency = draw.one(["1m", "5m", "1h", "1d", "1d"] as const)
  const millis = Math.min(draw.int(1, 1_500) * lengths[frequency], (end - begin) / 2)
  const start = begin + draw.below((end - begin - millis) / 1000) * 1000
  const first = draw.chance(0.5) ? start : Math.floor(start / lengths[frequency]) * lengths[frequency]
  const range = {
    start_time: iso(first),
    end_time: iso(first + Math.floor(millis / 1000) * 1000),
    ...draw.maybe(0.3, () => ({ end_inclusive: false })),
    ...draw.maybe(0.2, () => ({ start_inclusive: false })),
    ...draw.maybe(0.2, () => ({ page_size: draw.int(50, 1_000) })),
    frequency
  }
  if (draw.chance(0.5)) {
    const params = { markets: draw.some(markets, 4), ...range }
    return { endpoint: untyped(Timeseries.marketCandles), params, split: splitOf(draw, "markets", millis) }
  }
  const params = {
    assets: draw.some(["btc", "eth", "ltc", "sol", "etc"], 4),
    metrics: draw.some(["PriceUSD", "ReferenceRateUSD"]),
    ...range
  }
  return { endpoint: untyped(Timeseries.assetMetrics), params, split: splitOf(draw, "assets", millis) }
}

const ofEvents = (draw: Draw.Draw): Job => {
  const [endpoint, names, hours] = draw.one([
    [Timeseries.marketTrades, markets, 72],
    [Timeseries.marketTrades, markets, 24],
    [Timeseries.marketLiquidations, futures, 2_000],
    [Timeseries.marketFundingRates, futures, 9_000],
    [Timeseries.marketQuotes, markets, 8]
  ] as const)
  const millis = draw.int(1, hours * 60) * 60_000
  const start = Date.UTC(2022, 0, 1) + draw.below(4 * 365 * 24 - hours) * hour
  const params = { markets: draw.some(names, 4), start_time: iso(start), end_time: iso(start + millis) }
  return { endpoint: untyped(endpoint), params, split: splitOf(draw, "markets", millis) }
}

/** What a job was planned to take, and what it took. */
const compare = Effect.fnUntraced(function* ({ endpoint, params, split }: Job) {
  const parts = yield* Bulk.split(endpoint, params, split)
  const plan = yield* Bulk.plan(endpoint, parts)
  const before = yield* Client.quota
  const records = yield* Stream.runCount(Bulk.records(endpoint, parts))
  return { plan, records, requests: (yield* Client.quota).sent - before.sent }
})

const seeds = TestMode.seeds(20, 100)

layer(inMemory)("the plan of a job", (it) => {
  it.effect(
    "has the very number of requests where there is a frequency",
    () =>
      Effect.gen(function* () {
        const wrong: Array<unknown> = []
        for (const seed of seeds) {
          const job = onGrid(Draw.from(seed))
          const { plan, records, requests } = yield* inVirtualTime(compare(job))
          const { total } = plan
          assert.isAtMost(total.records.least, records)
          assert.isAtLeast(total.records.most ?? Infinity, records)
          if (total.requests.expected === requests) continue
          wrong.push({ seed, requests, records, planned: total, path: job.endpoint.path, ...job.params, ...job.split })
        }
        assert.isAtMost(wrong.length, seeds.length / 100, JSON.stringify(wrong, undefined, 1))
      }),
    1_800_000
  )

  it.effect(
    "has the records of events within a fifth",
    () =>
      Effect.gen(function* () {
        const wrong: Array<unknown> = []
        for (const seed of seeds) {
          const job = ofEvents(Draw.from(seed + 10_000))
          const { plan, records } = yield* inVirtualTime(compare(job))
          const { expected, isExact } = plan.total.records
          if (isExact) assert.strictEqual(expected, records)
          if (expected !== null && Math.abs(expected - records) <= records / 5) continue
          wrong.push({ seed, records, planned: plan.total, path: job.endpoint.path, ...job.params, ...job.split })
        }
        assert.isAtMost(wrong.length, seeds.length / 10, JSON.stringify(wrong, undefined, 1))
      }),
    1_800_000
  )

  for (const endpoint of [Timeseries.marketCandles, Timeseries.marketTrades]) {
    it.effect(`asks five times at most for 5,000 markets of ${endpoint.path}`, () =>
      Effect.gen(function* () {
        const all = yield* Discover.available(endpoint).pipe(Effect.provide(Discover.layer()))
        const names = [...new Set(all.map(({ entity }) => entity))].slice(0, 5_000)
        assert.strictEqual(names.length, 5_000)
        const range = { start_time: "2024-03-01", end_time: "2024-03-02" }
        const parts = yield* Bulk.split(untyped(endpoint), { markets: names, ...range }, { by: "markets" })
        const plan = yield* Bulk.plan(endpoint, parts)
        assert.isAtMost(plan.asked, 5)
        assert.strictEqual(plan.entities.length, 5_000)
        assert.isAtLeast(plan.total.requests.least, 5_000)
      }).pipe(inVirtualTime)
    )
  }

  it.effect("is refused before anything is sent where its parts alone are too many", () =>
    Effect.gen(function* () {
      const parts = yield* Bulk.split(Timeseries.marketTrades, { markets }, { by: "markets" })
      const before = yield* Client.quota
      const refused = yield* Effect.flip(Bulk.plan(Timeseries.marketTrades, parts, { maxRequests: 5 }))
      if (refused._tag !== "PlanExceeded") return assert.fail(refused.message)
      const misspelt = Object.assign({ samples: 0 }, { maxRequest: 5 })
      assert.deepInclude(yield* Effect.flip(Bulk.plan(Timeseries.marketTrades, parts, misspelt)), { kind: "unknown" })
      assert.include(refused.message, "at least 6 requests, and maxRequests is 5")
      assert.strictEqual((yield* Client.quota).sent, before.sent)
    })
  )

  it.effect("is refused where its bytes are too many, or not known", () =>
    Effect.gen(function* () {
      const params = { markets: ["coinbase-btc-usd-spot"], start_time: "2024-03-01", end_time: "2024-03-02" }
      const parts = yield* Bulk.split(Timeseries.marketTrades, params)
      const many = yield* Effect.flip(Bulk.plan(Timeseries.marketTrades, parts, { maxBytes: 1_000 }))
      const unknown = yield* Effect.flip(Bulk.plan(Timeseries.marketTrades, parts, { maxBytes: 1_000, samples: 0 }))
      if (many._tag !== "PlanExceeded" || unknown._tag !== "PlanExceeded") return assert.fail(many.message)
      assert.isAbove(many.planned ?? 0, 100_000)
      assert.isNull(unknown.planned)
      yield* Bulk.plan(Timeseries.marketTrades, parts, { maxBytes: 100_000_000 })
    }).pipe(inVirtualTime)
  )

  it.effect("counts nothing under names that its records do not have", () =>
    Effect.gen(function* () {
      const params = { markets: ["provider:x"], start_time: "2024-03-01", end_time: "2024-03-02" }
      const parts = yield* Bulk.split(Timeseries.marketTrades, params)
      const { asked, total, unknown } = yield* Bulk.plan(Timeseries.marketTrades, parts)
      assert.deepStrictEqual([asked, total.records], [0, { expected: null, least: 0, most: null, isExact: false }])
      assert.deepInclude(total.requests, { expected: null, least: 1, most: 2 })
      assert.lengthOf(unknown, 3)
    })
  )

  it.effect("says what it cannot know, and gives bounds", () =>
    Effect.gen(function* () {
      const params = { assets: ["btc"], metrics: ["PriceUSD"], frequency: "1d", start_time: "2024-01-01" }
      const open = yield* Bulk.plan(Timeseries.assetMetrics, yield* Bulk.split(Timeseries.assetMetrics, params))
      assert.isAbove(open.total.records.expected ?? 0, 365)
      assert.isFalse(open.total.records.isExact)
      assert.include(open.unknown, "a catalog does not list the holes of a series")
      assert.isTrue(open.quota.isKnown)
    }).pipe(inVirtualTime)
  )
})
