import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Retry, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as FakeApi from "../../../core/test/FakeApi.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Virtual from "../../../core/test/Virtual.ts"
import { temporary } from "./Harness.ts"

interface Row {
  readonly asset: string
  readonly time: string
  readonly PriceUSD: string
}

const limits = ["paging_from", "latest"] as const

type Limit = (typeof limits)[number]

const days = (asset: string, count: number): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, day) => ({
    asset,
    time: `2026-01-${String(day + 1).padStart(2, "0")}T00:00:00.000000000Z`,
    PriceUSD: String(day)
  }))

/**
 * A service that has these records, in pages and lines, whatever they are, and takes a while to answer. It takes a limit from the
 * end that `paging_from` names, or always the latest.
 */
const serviceOf = (rows: { now: ReadonlyArray<Row> }, wait: Duration.Input = 0, limit: Limit = "paging_from") =>
  FakeApi.serve(({ url: { searchParams: query } }) =>
    Effect.sync(() => {
      const assets = query.get("assets")?.split(",") ?? []
      const [from, to] = [query.get("start_time") ?? "", query.get("end_time") ?? "9"]
      const found = rows.now.filter(({ asset, time }) => assets.includes(asset) && from <= time && time < to)
      const most = Number(query.get("limit_per_asset") ?? Infinity)
      const isFromStart = query.get("format") === "json_stream" || query.get("paging_from") === "start"
      const some = (of: ReadonlyArray<Row>) =>
        isFromStart && limit === "paging_from" ? of.slice(0, most) : of.slice(-most)
      const records = assets.flatMap((name) => some(found.filter(({ asset }) => asset === name)))
      if (query.get("format") !== "json_stream") return FakeApi.page(records)
      return { body: records.map((record) => `${JSON.stringify(record)}\n`).join("") }
    }).pipe(Effect.delay(wait))
  )

const places = {
  "a folder": (to: string) => `${to}/folder`,
  DuckDB: (to: string) => DatasetDuckdb.make({ file: `${to}/one.duckdb`, table: "prices" })
}

const heldIn = Effect.fnUntraced(function* (to: Dataset.Job["to"]) {
  const status = yield* Dataset.status(to)
  return Object.fromEntries((status?.entities ?? []).map(({ entity, rows }) => [entity, rows]))
})

/** The record at a place twice, the second time with other values. */
const twice = (rows: ReadonlyArray<Row>, at: number, values: Partial<Row> = {}) =>
  rows.toSpliced(at, 0, { ...rows[at]!, ...values })

/** What is wrong with a record, by the words that say it. */
const wrong: Readonly<Record<string, (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>>> = {
  "came twice, with other values": (rows) => twice(rows, 4, { PriceUSD: "other" }),
  "comes after a later one": (rows) => rows.with(4, { ...rows[4]!, time: rows[1]!.time }),
  "has no time": (rows) => rows.with(4, { ...rows[4]!, time: "2026-01-05, or so" }),
  'has a "time" that does not exist': (rows) => rows.with(8, { ...rows[8]!, time: "2026-02-30T00:00:00.000000000Z" })
}

describe("a record that the service sends", () => {
  for (const [name, placeOf] of Object.entries(places)) {
    const run = (rows: { now: ReadonlyArray<Row> }, to: Dataset.Job["to"], limit?: Limit) =>
      Stream.runLast(
        Dataset.sync({
          endpoint: Timeseries.assetMetrics,
          params: { assets: ["btc", "eth"], metrics: ["PriceUSD"], frequency: "1d", start_time: "2026-01-01" },
          to,
          lookBack: "3 days"
        })
      ).pipe(Effect.provide(serviceOf(rows, 0, limit).layer({ retry: Retry.none, onDisorder: "ignore" })))

    // Where a limit is taken from is no matter of the place: in `test` a table is tried with one.
    it.effect.each(name === "DuckDB" ? TestMode.oneOf(limits, 0) : limits)(
      `is kept in ${name} though its entity was far behind, where a limit is taken from %s`,
      (limit) =>
        Effect.gen(function* () {
          const to = placeOf(yield* temporary)
          const rows = { now: [...days("btc", 9), ...days("eth", 9)] }
          yield* TestClock.setTime(Date.parse("2026-01-09T12:00:00Z"))
          yield* run(rows, to, limit)
          // Of one the latest do not reach back to what is held, of the other none came since.
          yield* TestClock.setTime(Date.parse("2026-01-31T12:00:00Z"))
          rows.now = [...days("btc", 31), ...days("eth", 9)]
          yield* run(rows, to, limit)
          assert.deepStrictEqual(yield* heldIn(to), { btc: 31, eth: 9 })
          rows.now = [...days("btc", 31), ...days("eth", 10)]
          yield* run(rows, to, limit)
          assert.deepStrictEqual(yield* heldIn(to), { btc: 31, eth: 10 })
          yield* Stream.runDrain(Dataset.verify(to))
        }).pipe(Effect.provide(NodeServices.layer))
    )

    it.effect(
      `is kept once in ${name}, where it comes again as it was: in a first load, in a look-back, and in news`,
      () =>
        Effect.gen(function* () {
          const to = placeOf(yield* temporary)
          const rows = { now: [...twice(days("btc", 9), 4), ...days("eth", 9)] }
          yield* run(rows, to)
          assert.deepStrictEqual(yield* heldIn(to), { btc: 9, eth: 9 })
          // All of what a probe asks for is news, and some of it comes twice.
          rows.now = [...twice(twice(days("btc", 20), 17), 12), ...twice(days("eth", 10), 9)]
          yield* run(rows, to)
          assert.deepStrictEqual(yield* heldIn(to), { btc: 20, eth: 10 })
          yield* Stream.runDrain(Dataset.verify(to))
        }).pipe(Effect.provide(NodeServices.layer))
    )

    it.effect(`keeps nothing of its entity in ${name}, and all of others, where a value cannot be written`, () =>
      Effect.gen(function* () {
        const to = placeOf(yield* temporary)
        const btc = days("btc", 9)
        const rows = { now: [...btc.with(4, { ...btc[4]!, PriceUSD: "N/A" }), ...days("eth", 9)] }
        const error = yield* Effect.flip(run(rows, to))
        assert.include(error.message, 'is not current: of btc, record 5, column "PriceUSD": "N/A" cannot be written to')
        const failed = error._tag === "SyncFailed" ? error.failed : []
        assert.deepStrictEqual(
          failed.map(({ entities, error }) => [entities, error._tag]),
          [[["btc"], "Unwritable"]]
        )
        assert.deepStrictEqual(yield* heldIn(to), { eth: 9 })
        rows.now = [...btc, ...days("eth", 9)]
        yield* run(rows, to)
        assert.deepStrictEqual(yield* heldIn(to), { btc: 9, eth: 9 })
        yield* Stream.runDrain(Dataset.verify(to))
      }).pipe(Effect.provide(NodeServices.layer))
    )

    for (const [reason, change] of Object.entries(wrong)) {
      it.effect(`keeps nothing of its entity in ${name}, and all of others, where it ${reason}`, () =>
        Effect.gen(function* () {
          const to = placeOf(yield* temporary)
          const rows = { now: [...change(days("btc", 9)), ...days("eth", 9)] }
          const error = yield* Effect.flip(run(rows, to))
          assert.strictEqual(error._tag, "SyncFailed")
          if (error._tag !== "SyncFailed") return
          assert.deepStrictEqual(
            error.failed.map(({ entities, error }) => [entities, error._tag]),
            [[["btc"], "UnexpectedRecord"]]
          )
          assert.match(error.failed[0]?.error.message ?? "", new RegExp(`the record of btc at .+ ${reason}$`))
          assert.deepStrictEqual(yield* heldIn(to), { eth: 9 })
          rows.now = [...days("btc", 9), ...days("eth", 9)]
          yield* run(rows, to)
          assert.deepStrictEqual(yield* heldIn(to), { btc: 9, eth: 9 })
        }).pipe(Effect.provide(NodeServices.layer))
      )
    }
  }
})

describe("the progress of a sync", () => {
  it.effect("counts the requests whose need others have shown, so that no more are done than there are", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const rows = { now: days("btc", 9) }
      const sync = Dataset.sync({
        endpoint: Timeseries.assetMetrics,
        params: { assets: ["btc", "eth"], metrics: ["PriceUSD"], frequency: "1d", start_time: "2026-01-01" },
        to,
        lookBack: "3 days"
      })
      yield* TestClock.setTime(Date.parse("2026-01-10"))
      yield* Stream.runDrain(sync).pipe(Effect.provide(serviceOf(rows).layer()))
      // Of both so much may be missing that their latest records are asked for first; these do not reach back.
      yield* TestClock.setTime(Date.parse("2026-07-01"))
      rows.now = [...days("btc", 31), ...days("eth", 31)]
      const told = yield* Stream.runCollect(sync).pipe(
        Effect.provide(serviceOf(rows, "1 second").layer()),
        Virtual.inSteps("100 millis")
      )
      const progress = told.filter((event) => event._tag === "Progress")
      assert.deepStrictEqual(yield* heldIn(to), { btc: 31, eth: 31 })
      const [first, last] = [progress[0], progress.at(-1)]
      assert.isAbove(last?.requests ?? 0, first?.requests ?? 0)
      assert.isTrue(progress.every(({ done, requests, running }) => done + running <= requests))
    }).pipe(Effect.provide(NodeServices.layer), Effect.scoped)
  )
})
