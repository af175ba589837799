import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import type * as History from "../src/internal/history/History.ts"
import * as Listings from "../src/data/Listings.ts"
import * as Assets from "../src/data/Assets.ts"
import { envelope, get, lines, pages, refused, type Row, rows } from "./Harness.ts"

const from = "2026-10-05T12:00:00Z"

/** A stand-in whose past changes, from one instant on. */
const world = (history: Sandbox.HistoryOptions = {}, start = from) =>
  Sandbox.layerMemory({ history: { seed: 3, ...history }, live: { from: start, httpLag: 0 } })

const month = "start_time=2026-09-01"
const whole = "&page_size=10000&paging_from=start"
const metrics = `/timeseries/asset-metrics?assets=btc,eth,sol&metrics=FlowInExUSD,PriceUSD,TxCnt&${month}`
const hourly = `/timeseries/market-candles?markets=coinbase-btc-usd-spot&frequency=1h&start_time=2026-09-28`

const text = (path: string) => Effect.map(get(`${path}${whole}`), (answer) => answer.text)
const all = (path: string) => rows(`${path}${whole}`)

/** Keys of records: those that tell them apart. */
const byTime = (all: ReadonlyArray<Row>) =>
  new Map(all.map((row) => [`${String(row["asset"] ?? row["market"])} ${String(row["time"])}`, row]))

const earlierThan = (ms: number, all: ReadonlyMap<string, Row>) =>
  [...all.values()].filter((row) => Date.parse(String(row["time"])) < ms)

describe("a past that changes", () => {
  it.effect("is the same for the same seed and the same instant, however it came there", () =>
    Effect.gen(function* () {
      const first = yield* Effect.provide(Effect.all([text(metrics), text(hourly)]), world({}, "2026-10-08"))
      const passed = Effect.gen(function* () {
        yield* text(metrics)
        yield* TestClock.adjust("60 hours")
        return yield* Effect.all([text(metrics), text(hourly)])
      })
      assert.deepStrictEqual(yield* Effect.provide(passed, world()), first)
      assert.notDeepEqual(yield* Effect.provide(text(metrics), world({ seed: 4 }, "2026-10-08")), first[0])
    })
  )

  it.effect.each([
    metrics,
    hourly,
    `/timeseries/market-trades?markets=coinbase-eth-usd-spot&start_time=2026-10-04&end_time=2026-10-05`,
    `/timeseries/exchange-asset-metrics?exchange_assets=coinbase-*&metrics=volume_reported_spot_usd_1d&sort=time&${month}`
  ])("is one list in pages and as lines, from both ends: %s", (path) =>
    Effect.gen(function* () {
      const records = lines(yield* get(`${path}&format=json_stream`))
      const size = Math.ceil(records.length / 7)
      assert.isAbove(size, 3)
      const inPages = (from: string) => pages(`${path}&paging_from=${from}&page_size=${size}`)
      assert.deepStrictEqual((yield* inPages("start")).flat(), records)
      assert.deepStrictEqual((yield* inPages("end")).toReversed().flat(), records)
    }).pipe(Effect.provide(world()))
  )

  it.effect("publishes days some hours after their end, each metric at its own", () =>
    Effect.gen(function* () {
      const last = yield* rows(
        "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD,TxCnt,AdrActCnt,SplyCur&page_size=1&limit_per_asset=1"
      )
      assert.isBelow(Date.parse(String(last[0]?.["time"])), Date.parse("2026-10-05"))
      const partial: Array<Row> = []
      for (let hour = 0; hour < 48; hour++) {
        yield* TestClock.adjust("1 hour")
        const [row] = yield* rows(
          "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD,TxCnt,AdrActCnt,SplyCur&page_size=1&limit_per_asset=1"
        )
        if (row !== undefined && Object.values(row).includes(null)) partial.push(row)
      }
      assert.isNotEmpty(partial)
    }).pipe(Effect.provide(world()))
  )

  it.effect("fills holes and leaves some, reviews, corrects, and takes back, and settles in the end", () =>
    Effect.gen(function* () {
      const seen: Array<ReadonlyMap<string, Row>> = []
      for (let day = 0; day < 24; day++) {
        seen.push(byTime([...(yield* all(metrics)), ...(yield* all(hourly))]))
        yield* TestClock.adjust("1 day")
      }
      const counts = { appeared: 0, corrected: 0, reviewed: 0, revised: 0, gone: 0, withdrawn: 0 }
      for (const [day, now] of seen.entries()) {
        const earlier = seen[day - 1]
        if (earlier === undefined) continue
        const lastBefore = Math.max(...[...earlier.values()].map((row) => Date.parse(String(row["time"]))))
        const present = Date.parse(from) + day * 86_400_000
        for (const [key, row] of now) {
          const before = earlier.get(key)
          const time = Date.parse(String(row["time"]))
          const isSettled = present - 86_400_000 - time > 12 * 86_400_000
          if (before === undefined && time < lastBefore) counts.appeared++
          if (before === undefined) continue
          if (JSON.stringify(before) !== JSON.stringify(row)) assert.isFalse(isSettled, key)
          const status = row["FlowInExUSD-status"]
          if (status === "reviewed" && before["FlowInExUSD-status"] === "flash") counts.reviewed++
          if (status === "revised" && before["FlowInExUSD-status"] === "reviewed") counts.revised++
          if (row["PriceUSD"] === null && before["PriceUSD"] !== null) counts.withdrawn++
          if (row["volume"] !== before["volume"]) counts.corrected++
        }
        for (const key of earlier.keys()) if (!now.has(key)) counts.gone++
      }
      for (const [what, count] of Object.entries(counts)) assert.isAbove(count, 0, what)
      // What has come to its end is what a stand-in without a history has, but for what stays away.
      const final = byTime(
        yield* Effect.provide(Effect.all([all(metrics), all(hourly)]), Sandbox.layerMemory()).pipe(
          Effect.map((all) => all.flat())
        )
      )
      const end = seen.at(-1)!
      const settled = [...end].filter(([, row]) => Date.parse(String(row["time"])) < Date.parse("2026-10-15"))
      const holes = [...final.keys()].filter((key) => key < "c" && !end.has(key) && key.slice(4) < "2026-10-15")
      assert.isNotEmpty(holes)
      for (const [key, row] of settled) {
        for (const [field, value] of Object.entries(row)) {
          if (field.includes("status") || value === null) continue
          assert.strictEqual(value, final.get(key)?.[field], `${key} ${field}`)
        }
      }
    }).pipe(Effect.provide(world()))
  )

  it.effect("fills no hole and corrects nothing later than it is told", () =>
    Effect.gen(function* () {
      const before = byTime(yield* all(metrics))
      yield* TestClock.adjust("20 days")
      const after = byTime(yield* all(metrics))
      const settled = Date.parse(from) - 3 * 86_400_000
      assert.deepStrictEqual(earlierThan(settled, before), earlierThan(settled, after))
    }).pipe(Effect.provide(world({ settles: "3 days", fills: "3 days" })))
  )

  it.effect("leaves everything before its beginning as it is", () =>
    Effect.gen(function* () {
      const path = metrics.replace("2026-09-01", "2026-08-01").concat("&end_time=2026-08-31")
      const settled = yield* Effect.provide(text(path), Sandbox.layerMemory())
      assert.strictEqual(yield* Effect.provide(text(path), world()), settled)
    })
  )
})

const history: History.History = {
  retired: new Map(),
  seed: 3,
  since: Date.UTC(2026, 8, 1),
  settles: 0,
  fills: 0,
  renamed: "alias"
}

/** The names of assets to which something happens in October. */
const changed = (what: Listings.Change["what"]) =>
  Assets.all
    .filter(({ rank }) => rank >= 60)
    .map(({ asset }) => ({ asset, change: Listings.change(history, "asset", asset) }))
    .flatMap(({ asset, change }) => (change?.what === what ? [{ asset, at: change.at }] : []))
    .filter(({ at }) => at > Date.parse("2026-10-06") && at < Date.parse("2026-10-30"))

const listed = Effect.map(rows("/catalog-v2/asset-metrics?metrics=PriceUSD&page_size=10000"), (all) =>
  all.map(({ asset }) => String(asset))
)
const price = (asset: string) => `/timeseries/asset-metrics?assets=${asset}&metrics=PriceUSD&page_size=1`
const own = (asset: string) => `${price(asset)}&end_time=2026-10-01`
const refusal = (asset: string) => `Bad parameter 'assets'. Value '${asset}' is not supported.`

describe("what is listed", () => {
  it.effect("grows by assets that were unknown", () =>
    Effect.gen(function* () {
      const added = changed("added").map(({ asset }) => asset)
      assert.isNotEmpty(added)
      const [some = ""] = added
      assert.isEmpty((yield* listed).filter((asset) => added.includes(asset)))
      refused(yield* get(price(some)), 400, "bad_parameter", refusal(some))
      yield* TestClock.adjust("26 days")
      assert.includeMembers([...(yield* listed)], added)
      assert.lengthOf(envelope(yield* get(price(some))).data, 1)
      const wild = yield* rows(`${price("*").replace("page_size=1", "page_size=10000")}&limit_per_asset=1`)
      assert.includeMembers(
        wild.map(({ asset }) => asset),
        added
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("loses assets, which are unknown then", () =>
    Effect.gen(function* () {
      const dropped = changed("dropped").map(({ asset }) => asset)
      assert.isNotEmpty(dropped)
      const [some = ""] = dropped
      assert.includeMembers([...(yield* listed)], dropped)
      yield* TestClock.adjust("26 days")
      assert.isEmpty((yield* listed).filter((asset) => dropped.includes(asset)))
      refused(yield* get(price(some)), 400, "bad_parameter", refusal(some))
    }).pipe(Effect.provide(world()))
  )

  it.effect.each(["alias", "unknown"] as const)(
    "has renamed assets under one name at a time, the old one %s",
    (renamed) =>
      Effect.gen(function* () {
        const [some] = changed("renamed")
        assert.isDefined(some)
        const name = some?.asset ?? ""
        const old = Listings.formerly(name)
        assert.includeMembers([...(yield* listed)], [old])
        assert.notInclude(yield* listed, name)
        refused(yield* get(own(name)), 400, "bad_parameter", refusal(name))
        const [before] = yield* rows(own(old))
        yield* TestClock.adjust("26 days")
        assert.includeMembers([...(yield* listed)], [name])
        assert.notInclude(yield* listed, old)
        const [after] = yield* rows(own(name))
        assert.strictEqual(before?.["asset"], old)
        assert.strictEqual(after?.["asset"], name)
        assert.strictEqual(String(after?.["time"]), String(before?.["time"]))
        if (renamed === "alias") assert.deepStrictEqual(yield* rows(own(old)), yield* rows(own(name)))
        else refused(yield* get(own(old)), 400, "bad_parameter", refusal(old))
      }).pipe(Effect.provide(world({ renamed })))
  )

  it.effect("has markets that are new, with their past or without", () =>
    Effect.gen(function* () {
      const before = (yield* rows("/catalog-v2/market-candles?exchange=binance&page_size=10000")).map(
        ({ market }) => market
      )
      yield* TestClock.adjust("26 days")
      const after = yield* rows("/catalog-v2/market-candles?exchange=binance&page_size=10000")
      const added = after.filter(({ market }) => !before.includes(market))
      assert.isNotEmpty(added)
      for (const { frequencies, market } of added) {
        // Type boundary: the tests look at what was sent, whatever it is.
        const [{ frequency, min_time }] = frequencies as [{ frequency: string; min_time: string }]
        const [first] = yield* rows(
          `/timeseries/market-candles?markets=${String(market)}&frequency=${frequency}&page_size=1&paging_from=start`
        )
        assert.strictEqual(first?.["time"], min_time)
      }
    }).pipe(Effect.provide(world()))
  )
})
