import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Retry, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as FakeApi from "../../../core/test/FakeApi.ts"
import * as Duckdb from "../database/Duckdb.ts"
import { temporary } from "./Harness.ts"

const day = 86_400_000

const times = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) }, (_, nth) => from + nth * step)

/** Trades of markets at some moments, of which a test lets requests fail, or one record come late in its reply. */
const serve = (series: Readonly<Record<string, Array<number>>>) => {
  const mood: { fails: (query: URLSearchParams) => boolean; isLate: boolean } = { fails: () => false, isLate: false }
  const api = FakeApi.serve(({ url: { pathname, searchParams: query } }) =>
    Effect.sync(() => {
      if (pathname.includes("catalog")) return FakeApi.page(Object.keys(series).map((market) => ({ market })))
      if (mood.fails(query)) return { status: 503, body: "" }
      const [from, to] = [query.get("start_time") ?? "", query.get("end_time") ?? "9"]
      const limit = Number(query.get("limit_per_market") ?? Infinity)
      const records = (query.get("markets") ?? "")
        .split(",")
        .toSorted()
        .flatMap((market) =>
          (series[market] ?? [])
            .map((at) => {
              const time = new Date(at).toISOString().replace("Z", "000000Z")
              const own = { market, time, coin_metrics_id: `${at}`, amount: "1", price: "1", side: "buy" }
              return { ...own, database_time: time }
            })
            .filter(({ time }) => from <= time && time < to)
            .slice(limit === Infinity ? 0 : -limit)
        )
      if (mood.isLate) records.splice(2_500, 0, ...records.splice(100, 1))
      if (query.get("format") !== "json_stream") return FakeApi.page(records)
      const lines = records.map((record) => `${JSON.stringify(record)}\n`)
      const count = Math.ceil(lines.length / 100)
      return {
        body: Array.from({ length: count }, (_, nth) => lines.slice(nth * 100, nth * 100 + 100).join(""))
      }
    })
  )
  return { mood, world: Layer.merge(api.layer({ retry: Retry.none }), NodeServices.layer) }
}

describe("what a run could not keep is read by the next", () => {
  it.effect("where a market that was silent for months trades again, and one request of its months fails", () => {
    const [open, silent] = ["binance-btc-usdt-spot", "coinbase-btc-usd-spot"]
    const [start, now] = [Date.UTC(2026, 7, 1), Date.UTC(2026, 10, 20)]
    const series = { [open]: times(start, now, day / 4), [silent]: times(start, start + 20 * day, day / 100) }
    const { mood, world } = serve(series)
    return Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const to = yield* temporary
      const params = { markets: [open, silent], start_time: "2026-08-01" }
      const layout = { byEntity: false, period: "month" } as const
      const sync = Stream.runDrain(Dataset.sync({ endpoint: Timeseries.marketTrades, params, to, layout }))
      yield* sync
      yield* sync
      series[silent]!.push(now + day, now + day + 1_000)
      yield* TestClock.setTime(now + 2 * day)
      mood.fails = (query) => (query.get("start_time") ?? "").startsWith("2026-11-01")
      assert.strictEqual((yield* Effect.flip(sync))._tag, "SyncFailed")
      mood.fails = () => false
      yield* sync
      const held = (yield* Dataset.status(to))?.entities.find(({ entity }) => entity === silent)
      assert.deepStrictEqual([held?.rows, held?.last], [series[silent]!.length, "2026-11-21T00:00:01.000000000Z"])
    }).pipe(Effect.scoped, Effect.provide(world))
  })

  it.live("which says that nothing is read of what a first run did not come to", () => {
    const [one, other] = ["binance-btc-usdt-spot", "coinbase-btc-usd-spot"]
    const { mood, world } = serve({ [one]: times(Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2), day / 4), [other]: [] })
    return Effect.gen(function* () {
      for (const isTable of [false, true]) {
        for (const markets of [[one, other], ["*-spot"]]) {
          const to = isTable
            ? DatasetDuckdb.make({ file: yield* Duckdb.newFile, table: "trades" })
            : `${yield* temporary}/trades`
          const params = { markets, start_time: "2026-01-01" }
          const sync = Stream.runDrain(Dataset.sync({ endpoint: Timeseries.marketTrades, params, to }))
          // The request that looks whether the names exist takes one record of each.
          mood.fails = (query) => query.get("page_size") !== "1"
          assert.strictEqual((yield* Effect.flip(sync))._tag, "SyncFailed")
          const found = yield* Dataset.status(to)
          assert.deepStrictEqual([found?.unread, found?.lacking.map(({ entity }) => entity)], [markets, markets])
          const proved = Stream.runLast(Dataset.verify(to))
          assert.deepInclude(Option.getOrThrow(yield* proved), { records: 0, unread: markets.length })
          mood.fails = () => false
          if (!Predicate.isString(to)) continue
          const audited = yield* Stream.runCollect(Dataset.audit(to))
          const told = audited.flatMap((one) =>
            one._tag === "Finding" ? [`${one.kind} ${one.entity} ${one.from}`] : []
          )
          assert.deepStrictEqual(
            told,
            markets.map((market) => `unread ${market} 2026-01-01T00:00:00.000000000Z`)
          )
          yield* sync
          assert.deepStrictEqual((yield* Dataset.status(to))?.unread, [])
          assert.isUndefined(Reflect.get(Option.getOrThrow(yield* proved), "unread"))
        }
      }
    }).pipe(Effect.scoped, Effect.provide(world))
  })

  it.live("where a record came late in a reply that was kept in several changes", () => {
    const market = "coinbase-btc-usd-spot"
    const { mood, world } = serve({ [market]: times(Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1) + 3_000_000, 1_000) })
    return Effect.gen(function* () {
      for (const hasMore of [false, true]) {
        const file = yield* Duckdb.newFile
        const store = DatasetDuckdb.make({ file, table: "trades" })
        const to = { ...store, cut: { ...store.cut, rows: 400 } }
        const params = { markets: [market], start_time: "2026-01-01" }
        const sync = (recheck?: Duration.Input) =>
          Stream.runDrain(Dataset.sync({ endpoint: Timeseries.marketTrades, params, to, recheck }))
        mood.isLate = false
        if (hasMore) yield* sync()
        mood.isLate = true
        assert.strictEqual((yield* Effect.flip(sync(Duration.infinity)))._tag, "SyncFailed")
        mood.isLate = false
        yield* sync()
        const count = yield* Duckdb.query(file, "SELECT count(DISTINCT coin_metrics_id)::INT AS ids FROM trades")
        assert.deepStrictEqual(count, [{ ids: 3_000 }])
      }
    }).pipe(Effect.scoped, Effect.provide(world))
  })
})
