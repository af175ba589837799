import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Retry, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as FakeApi from "../../../core/test/FakeApi.ts"
import * as WallClock from "../../../core/test/WallClock.ts"
import * as Days from "../database/Days.ts"
import { bare, collected, temporary } from "./Harness.ts"
import * as Sql from "./VersionsSql.ts"

const { assetMetrics } = Timeseries

const params = { assets: ["btc", "eth", "ltc"], metrics: ["PriceUSD", "TxCnt"], start_time: "2026-09-12" }

/** A service that stands still for a day, and a clock of this machine that goes on with each look. */
const begin = Effect.gen(function* () {
  const service = yield* Days.make(11)
  let now = yield* service.clock.currentTimeMillis
  const clock = WallClock.at(yield* Clock.Clock, () => (now += 7))
  const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, clock))
  const at = (day: number) => {
    service.at(day)
    now = service.clock.currentTimeMillisUnsafe()
  }
  const from = yield* temporary
  const held = (options: Partial<Dataset.ReadOptions> & { readonly end?: string } = {}) => {
    const { end: end_time, ...others } = options
    return run(
      collected(
        Dataset.read(assetMetrics, { ...params, ...(end_time && { end_time }) }, { from, offline: true, ...others })
      )
    )
  }
  const status = Effect.map(run(Dataset.status(from)), (found) => found?.synced ?? "")
  return { at, from, held, run, status, now: Effect.sync(() => new Date(now).toISOString()) }
})

describe("the moment of the last sync", () => {
  it.live("has what is held now, as the service had it, and every further sync leaves that as it is", () =>
    Effect.gen(function* () {
      const { at, from, held, now, run, status } = yield* begin
      const job = { endpoint: assetMetrics, params, to: from, versions: "keep", lookBack: "90 days" } as const
      yield* run(Stream.runDrain(Dataset.sync({ ...job, format: { as: "ndjson" } })))
      const known: Array<readonly [string, ReadonlyArray<string>]> = []
      for (const day of [0.25, 1, 3, 4.5, 6, 8, 9, 11]) {
        at(day)
        yield* run(Stream.runDrain(Dataset.sync({ to: from })))
        const synced = yield* status
        const newest = yield* held()
        assert.deepStrictEqual(newest, yield* run(collected(assetMetrics(params))))
        assert.deepStrictEqual(yield* held({ asOf: synced }), newest)
        assert.deepStrictEqual(
          yield* held({ asOf: synced, end: "2026-09-20", maxAge: "1 day" }),
          yield* held({ end: "2026-09-20" })
        )
        known.push([synced, newest])
        const later = yield* Effect.flip(held({ asOf: yield* now }))
        assert.deepInclude(later, { _tag: "NotHeld", synced })
        assert.include(later.message, `the last sync ended at ${synced}, and what was known later is not held`)
      }
      for (const [synced, records] of known) assert.deepStrictEqual(yield* held({ asOf: synced }), records)
      const moments = known.map(([synced]) => synced)
      const sql = yield* Dataset.sql(from)
      const inSql = yield* Sql.asOf(sql, moments)
      assert.deepStrictEqual(
        inSql.map((rows) => rows.map(bare).toSorted()),
        known.map(([, records]) => records.toSorted())
      )
      const changes = yield* run(Stream.runCollect(Dataset.revisions(assetMetrics, params, { from })))
      assert.isNotEmpty(changes)
      for (const { at } of changes) assert.isAbove((yield* held({ asOf: at })).length, 0)
      const later = yield* Sql.failureOf(sql, `FROM known_at('${yield* now}')`)
      assert.include(later, `Nobody has looked since ${moments.at(-1)}`)
      yield* run(Stream.runDrain(Dataset.sync({ to: from })))
      for (const query of ["FROM known_at_versions", `FROM known_at('${moments[0]}')`]) {
        assert.include(yield* Sql.failureOf(sql, query), "The dataset has changed")
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("is told of a dataset that keeps no versions", () =>
    Effect.gen(function* () {
      const { from, run, status } = yield* begin
      assert.strictEqual(yield* status, "")
      yield* run(Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params, to: from })))
      assert.match(yield* status, /^2026-10-01T06:00:00\.\d{9}Z$/)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

interface Row {
  readonly asset: string
  readonly time: string
  readonly PriceUSD: string
  readonly TxCnt?: string
  readonly "PriceUSD-status-time"?: string
}

/** A dataset of a service that has these records, and needs a second for a request. */
const beginWith = Effect.fnUntraced(function* (rows: Array<Row>, metrics: ReadonlyArray<string>) {
  const api = FakeApi.serve(({ url: { searchParams: query } }) =>
    Effect.sync(() => {
      const found = rows.filter(({ time }) => (query.get("start_time") ?? "") <= time)
      return query.get("format") === "json_stream"
        ? { body: found.map((row) => `${JSON.stringify(row)}\n`).join("") }
        : FakeApi.page(found)
    }).pipe(Effect.tap(TestClock.adjust("1 second")))
  )
  const from = yield* temporary
  const params = { assets: ["btc"], metrics, start_time: "2026-01-01", frequency: "1d" }
  const job = { endpoint: assetMetrics, params, to: from, versions: "keep", lookBack: "30 days" } as const
  const layer = api.layer({ retry: Retry.none })
  const sync = (day: number) =>
    Effect.andThen(
      TestClock.setTime(Date.UTC(2026, 0, day, 6)),
      Effect.provide(Stream.runDrain(Dataset.sync({ ...job, format: { as: "ndjson" } })), layer)
    )
  const changes = (metrics: ReadonlyArray<string>) =>
    Effect.map(Stream.runCollect(Dataset.revisions(assetMetrics, { ...params, metrics }, { from })), (all) =>
      all.map(({ fields, time }) => [time.slice(0, 10), ...fields.map(({ name }) => name)])
    )
  return { changes, from, params, sync }
})

const rowOf = (day: number, more: Partial<Row> = {}): Row => ({
  asset: "btc",
  time: `2026-01-0${day}T00:00:00.000000000Z`,
  PriceUSD: String(day),
  ...more
})

const reviewedOn = (day: number) => ({ "PriceUSD-status-time": `2026-01-0${day}T06:00:00.000000000Z` })

describe("a record that came while a sync went on, and that it did not find", () => {
  it.effect("is not known at the end of that sync, and not late", () =>
    Effect.gen(function* () {
      const rows = [rowOf(2, reviewedOn(3)), rowOf(3, reviewedOn(4))]
      const { changes, from, params, sync } = yield* beginWith(rows, ["PriceUSD"])
      yield* sync(4)
      const { synced = "" } = (yield* Dataset.status(from)) ?? {}
      assert.isAbove(Date.parse(synced), Date.UTC(2026, 0, 4, 6))
      const read = collected(Dataset.read(assetMetrics, params, { from, asOf: synced, offline: true }))
      const before = yield* read
      assert.lengthOf(before, 2)
      rows.push(rowOf(4, { "PriceUSD-status-time": "2026-01-04T06:00:01.500000000Z" }))
      yield* sync(5)
      assert.deepStrictEqual(yield* read, before)
      assert.isEmpty(yield* changes(["PriceUSD"]))
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("the revisions of one metric", () => {
  it.effect("leave out those of others", () =>
    Effect.gen(function* () {
      const rows = [1, 2, 3].map((day) => rowOf(day, { TxCnt: String(10 * day) }))
      const { changes, sync } = yield* beginWith(rows, ["PriceUSD", "TxCnt"])
      yield* sync(4)
      rows[0] = { ...rows[0]!, PriceUSD: "7" }
      rows[1] = { ...rows[1]!, TxCnt: "8" }
      yield* sync(5)
      const [price, count] = [
        ["2026-01-01", "PriceUSD"],
        ["2026-01-02", "TxCnt"]
      ]
      assert.deepStrictEqual(yield* changes(["PriceUSD"]), [price])
      assert.deepStrictEqual(yield* changes(["TxCnt"]), [count])
      assert.deepStrictEqual(yield* changes(["TxCnt", "PriceUSD"]), [price, count])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("a read", () => {
  it.live("need not repeat what a dataset leaves out instead of failing", () =>
    Effect.gen(function* () {
      const { from, held, run } = yield* begin
      const lenient = { ...params, ignore_unsupported_errors: true }
      yield* run(Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params: lenient, to: from })))
      const offline = yield* held()
      assert.isAbove(offline.length, 20)
      const more = { ...params, start_time: "2026-09-01" }
      assert.isAbove((yield* run(collected(Dataset.read(assetMetrics, more, { from })))).length, offline.length)
      const given = { ...more, ignore_forbidden_errors: true }
      yield* run(Stream.runDrain(Dataset.read(assetMetrics, given, { from, offline: true })))
      assert.deepInclude((yield* Dataset.defined(from))?.params, { ignore_unsupported_errors: true })
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it("fails offline with what can occur there alone", () => {
    const options = { from: "closes", offline: true } as const
    const ways = {
      read: Dataset.read(assetMetrics, params, options),
      columns: Dataset.columns(assetMetrics, params, options),
      revisions: Dataset.revisions(assetMetrics, params, options),
      coverage: Dataset.coverage(assetMetrics, params, options),
      verify: Dataset.verify("closes")
    } satisfies Record<
      string,
      Stream.Stream<unknown, Dataset.HeldError, unknown> | Effect.Effect<unknown, Dataset.HeldError, unknown>
    >
    const narrow: Record<string, Effect.Effect<unknown, Dataset.StoreError, FileSystem.FileSystem | Path.Path>> = {
      status: Dataset.status("closes"),
      defined: Dataset.defined("closes")
    }
    // @ts-expect-error a read that may ask the service can fail as a request does
    const online: Stream.Stream<unknown, Dataset.HeldError, unknown> = Dataset.read(assetMetrics, params, { from: "c" })
    assert.lengthOf([...Object.values(ways), ...Object.values(narrow), online], 8)
  })

  it.live("says that there is no dataset, and where that is so", () =>
    Effect.gen(function* () {
      const { from, held } = yield* begin
      assert.strictEqual((yield* Effect.flip(held())).message, `there is no dataset in ${from}`)
      const gone = yield* Effect.flip(held({ from: `${from}/none` }))
      assert.strictEqual(gone.message, `the folder ${from}/none does not exist, so no dataset is there`)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
