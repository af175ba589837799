import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { type Client, Endpoints, LiveClient, Retry, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as SeriesParams from "../../src/internal/model/SeriesParams.ts"
import * as Watch from "../../src/internal/run/Watch.ts"
import * as FakeApi from "../../../core/test/FakeApi.ts"
import * as Virtual from "../../../core/test/Virtual.ts"
import { data, temporary } from "./Harness.ts"

const refuse = (message: string): FakeApi.Reply => ({
  status: 400,
  body: JSON.stringify({ error: { type: "bad_parameter", message } })
})

const assetMetrics = Endpoints.all.find(({ path }) => path === "/timeseries/asset-metrics")!

/** A service whose mood a test changes. */
const begin = () => {
  const mood = {
    unknown: new Set<string>(),
    empty: new Set<string>(),
    metrics: new Set<string>(),
    listed: ["ada", "btc", "eth"],
    strange: new Map<string, string>(),
    /** Assets and dates whose record was taken back. */
    lost: new Set<string>()
  }
  const api = FakeApi.serve(({ url }) =>
    Effect.sync(() => {
      const query = url.searchParams
      if (url.pathname.includes("/catalog")) return FakeApi.page(mood.listed.map((asset) => ({ asset })))
      const assets = (query.get("assets") ?? "").split(",")
      const metrics = (query.get("metrics") ?? "").split(",")
      const unknown = assets.find((asset) => mood.unknown.has(asset))
      if (unknown !== undefined) return refuse(`Bad parameter 'assets'. Value '${unknown}' is not supported.`)
      const metric = metrics.find((metric) => mood.metrics.has(metric))
      if (metric !== undefined) return refuse(`Bad parameter 'metrics'. Value '${metric}' is not supported.`)
      const from = query.get("start_time") ?? ""
      const to = query.get("end_time") ?? "9"
      const records = assets
        .filter((asset) => !mood.empty.has(asset))
        .flatMap((asset) =>
          Array.from({ length: 9 }, (_, day) => ({
            asset,
            time: `2026-01-0${day + 1}T00:00:00.000000000Z`,
            ...Object.fromEntries(metrics.map((metric) => [metric, "1"]))
          }))
            .filter(({ time }) => from <= time && time < to && !mood.lost.has(`${asset} ${time.slice(0, 10)}`))
            .map((record) => ({ ...record, time: mood.strange.get(asset) ?? record.time }))
        )
      if (query.get("format") !== "json_stream") return FakeApi.page(records)
      return { body: records.map((record) => `${JSON.stringify(record)}\n`).join("") }
    })
  )
  return { mood, world: Layer.merge(api.layer({ retry: Retry.none }), NodeServices.layer) }
}

const params = { assets: ["ada", "btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-01-01" }

const jobOf = (to: string, more: object = {}) => ({
  endpoint: Timeseries.assetMetrics,
  params,
  to,
  format: { as: "ndjson" as const },
  ...more
})

/** Records by asset. */
const heldIn = Effect.fnUntraced(function* (to: string) {
  const status = yield* Dataset.status(to)
  return Object.fromEntries((status?.entities ?? []).map(({ entity, rows }) => [entity, rows]))
})

const all = { ada: 9, btc: 9, eth: 9 }

const run = (job: Parameters<typeof Dataset.sync<typeof Timeseries.assetMetrics>>[0]) =>
  Stream.runDrain(Dataset.sync(job))

/** Runs a test against a service of its own, in a folder of its own. */
const withService = <E>(
  body: (
    mood: ReturnType<typeof begin>["mood"],
    to: string
  ) => Effect.Effect<void, E, Client.Client | FileSystem.FileSystem | Path.Path>
) => {
  const { mood, world } = begin()
  return Effect.flatMap(temporary, (to) => body(mood, to)).pipe(Effect.provide(world))
}

const received = "2026-01-01T00:00:00.000000000Z"

describe("live records that are kept", () => {
  it.effect("are read again by the next sync, whatever the last one read", () =>
    Effect.gen(function* () {
      const subject = yield* SeriesParams.make(assetMetrics, { assets: ["btc"], metrics: ["PriceUSD"] })
      const collected = Watch.collect(subject, { byEntity: true, period: undefined }, ({ last }) => last ?? undefined)
      const time = "2026-01-02T00:00:00.000000000Z"
      collected.add({ _tag: "Data", record: { asset: "btc", time }, sequence: 0 } as never)
      const seen = { from: "2026-01-01T00:00:00.000000000Z", digest: "as it was" }
      const cursor = { entity: "btc", from: null, last: seen.from, columns: ["PriceUSD"], seen }
      const [change] = collected.flush(new Map([["btc", cursor]]), 0)
      // From where it would have begun without them: what the live stream left out may lie between.
      assert.deepStrictEqual(yield* change?.cursors ?? Effect.succeed([]), [
        { entity: "btc", from: null, last: time, columns: ["PriceUSD"], open: seen.from }
      ])
    })
  )
})

describe("live records of an entity that was added", () => {
  it.effect("ask for a sync, once", () =>
    Effect.gen(function* () {
      const subject = yield* SeriesParams.make(assetMetrics, { assets: ["*"], metrics: ["PriceUSD"] })
      const collected = Watch.collect(subject, { byEntity: true, period: undefined }, ({ last }) => last ?? undefined)
      const asks = ["2026-01-02", "2026-01-03"].map((day) => {
        collected.add({ _tag: "Data", record: { asset: "eth", time: `${day}T00:00:00.000000000Z` } } as never)
        collected.flush(new Map(), 0)
        return collected.isIncomplete()
      })
      assert.deepStrictEqual(asks, [true, false])
    })
  )
})

/** The record of a day. */
const recordOf = (day: number) => ({ asset: "btc", time: `2026-01-0${day}T00:00:00.000000000Z` })

/** A cursor at a day; 0 for one that has read no record. */
const cursorAt = (day: number) => {
  const last = day === 0 ? null : recordOf(day).time
  return new Map([["btc", { entity: "btc", from: null, last, columns: ["PriceUSD"] }]])
}

/** The days of records. */
const daysOf = <E>(records: Stream.Stream<unknown, E>) =>
  Effect.map(Stream.runCollect(records), (all) => all.map((one) => Number(String(Reflect.get(Object(one), "time"))[9])))

describe("live records that a sync did not see", () => {
  it.effect("are kept once more, for ten minutes, where HTTP lags behind the stream", () =>
    Effect.gen(function* () {
      const subject = yield* SeriesParams.make(assetMetrics, { assets: ["btc"], metrics: ["PriceUSD"] })
      const collected = Watch.collect(subject, { byEntity: true, period: undefined }, ({ last }) => last ?? undefined)
      for (const day of [2, 3, 4]) collected.add({ _tag: "Data", record: recordOf(day), origin: "live", received })
      const kept = Effect.fnUntraced(function* (last: number, now: number) {
        collected.recall(cursorAt(last), false)
        const [change] = collected.flush(cursorAt(last), now)
        return change === undefined ? [] : yield* daysOf(change.records)
      })
      assert.deepStrictEqual(yield* kept(1, 0), [2, 3, 4])
      assert.isEmpty(collected.flush(cursorAt(4), 60_000))
      // The sync saw all to the third, and perhaps not all of that.
      assert.deepStrictEqual(yield* kept(3, 120_000), [3, 4])
      assert.deepStrictEqual(yield* kept(0, 180_000), [2, 3, 4])
      assert.deepStrictEqual(yield* kept(5, 240_000), [])
      assert.isEmpty(collected.flush(cursorAt(1), 1_000_000))
      assert.deepStrictEqual(yield* kept(0, 1_000_001), [])
    })
  )

  it.effect("take not the place of what a sync read of their time where the stream left some out", () =>
    Effect.gen(function* () {
      const subject = yield* SeriesParams.make(assetMetrics, { assets: ["btc"], metrics: ["PriceUSD"] })
      const collected = Watch.collect(subject, { byEntity: true, period: undefined }, ({ last }) => last ?? undefined)
      for (const day of [3, 4]) collected.add({ _tag: "Data", record: recordOf(day), origin: "live", received })
      collected.flush(cursorAt(2), 0)
      collected.recall(cursorAt(3), true)
      assert.deepStrictEqual(yield* daysOf(collected.flush(cursorAt(3), 1)[0]?.records ?? Stream.empty), [4])
      // Nor later, where no other record came.
      collected.recall(cursorAt(3), false)
      assert.deepStrictEqual(yield* daysOf(collected.flush(cursorAt(3), 2)[0]?.records ?? Stream.empty), [4])
    })
  )

  it.effect("are kept period by period where entities share files", () =>
    Effect.gen(function* () {
      const subject = yield* SeriesParams.make(assetMetrics, { assets: ["btc", "eth"], metrics: ["PriceUSD"] })
      const collected = Watch.collect(subject, { byEntity: false, period: "day" }, ({ last }) => last ?? undefined)
      for (const asset of ["eth", "btc"]) {
        for (const day of [4, 3])
          collected.add({ _tag: "Data", record: { ...recordOf(day), asset }, origin: "live", received })
      }
      const cursors = new Map([...cursorAt(2), ["eth", { ...cursorAt(2).get("btc")!, entity: "eth" }] as const])
      const changes = collected.flush(cursors, 0)
      const days = yield* Effect.forEach(changes, ({ records }) => daysOf(records))
      assert.deepStrictEqual(days, [
        [3, 3],
        [4, 4]
      ])
      const kept = yield* Effect.forEach(changes, ({ cursors }) => cursors)
      assert.deepStrictEqual(
        kept.map((some) => some.map(({ entity, last }) => [entity, last?.slice(8, 10)])),
        [
          [
            ["btc", "03"],
            ["eth", "03"]
          ],
          [
            ["btc", "04"],
            ["eth", "04"]
          ]
        ]
      )
    })
  )

  it.effect("leave the beginning to the next sync where none has read a record of their entity", () =>
    Effect.gen(function* () {
      const subject = yield* SeriesParams.make(assetMetrics, { assets: ["btc"], metrics: ["PriceUSD"] })
      const collected = Watch.collect(subject, { byEntity: true, period: undefined }, ({ last }) => last ?? undefined)
      collected.add({ _tag: "Data", record: recordOf(3), origin: "live", received })
      const [cursor] = yield* collected.flush(cursorAt(0), 0)[0]?.cursors ?? Effect.succeed([])
      const { time } = recordOf(3)
      assert.deepInclude(cursor, { last: time, open: time, todo: [{ from: null, to: time }] })
    })
  )

  it.effect("have the next sync come at once where the stream says that it left some out", () =>
    Effect.gen(function* () {
      const subject = yield* SeriesParams.make(assetMetrics, { assets: ["btc"], metrics: ["PriceUSD"] })
      const collected = Watch.collect(subject, { byEntity: true, period: undefined }, () => undefined)
      collected.add({ _tag: "Data", record: recordOf(2), origin: "live", received })
      assert.isFalse(collected.isIncomplete())
      const [from, to] = [recordOf(2).time, recordOf(4).time]
      const place = { entity: "btc", metrics: ["PriceUSD"], unit: "time", from, to } as const
      collected.add({ _tag: "Gap", ...place, reason: "lagging", error: undefined })
      assert.isTrue(collected.isIncomplete())
      assert.isFalse(collected.isIncomplete())
      collected.add({ _tag: "Dropped", count: 3 } as never)
      assert.isTrue(collected.isIncomplete())
      collected.flush(cursorAt(1), 0)
      collected.refuse()
      assert.isTrue(collected.isIncomplete())
      // What was refused is not kept again.
      collected.recall(cursorAt(0), true)
      assert.isEmpty(collected.flush(cursorAt(0), 1))
    })
  )
})

describe("a live record that cannot be kept", () => {
  it.effect("is told, and has its time read over HTTP, from where its entity was before", () =>
    Effect.gen(function* () {
      const subject = yield* SeriesParams.make(assetMetrics, { assets: ["btc", "eth"], metrics: ["PriceUSD"] })
      const collected = Watch.collect(subject, { byEntity: true, period: undefined }, ({ last }) => last ?? undefined)
      const told: Array<Dataset.Event> = []
      const opened: Watch.Keeping["opened"] = {
        apply: ({ cursors, records }) =>
          Effect.gen(function* () {
            yield* cursors
            const count = (yield* Stream.runCollect(records)).length
            return { records: count, replaced: 0, written: [], deleted: [] }
          })
      }
      const emit = (event: Dataset.Event) => Effect.sync(() => told.push(event))
      const last = "2026-02-27T00:00:00.000000000Z"
      const cursorOf = (entity: string) => ({ entity, from: null, last, columns: ["PriceUSD"] })
      const cursors = new Map(["btc", "eth"].map((entity) => [entity, cursorOf(entity)]))
      const keep = Watch.keep({ dataset: "prices", subject, opened, collected, emit }, cursors)
      const add = (asset: string, day: string) =>
        collected.add({
          _tag: "Data",
          record: { asset, time: `2026-02-${day}T00:00:00.000000000Z` },
          sequence: 0
        } as never)
      // Later ones before earlier ones, and the same again, are no trouble.
      add("eth", "28")
      add("btc", "28")
      add("btc", "28")
      assert.isTrue(yield* keep)
      assert.strictEqual(cursors.get("btc")?.last, "2026-02-28T00:00:00.000000000Z")
      const before = new Map(cursors)
      add("btc", "30")
      assert.isFalse(yield* keep)
      assert.deepStrictEqual(cursors, before)
      assert.deepInclude(told.at(-1), { _tag: "Failed", entities: ["btc"], error: "UnexpectedRecord" })
      assert.match(
        told.map((event) => (event._tag === "Failed" ? event.reason : "")).join(""),
        /2026-02-30.* over HTTP/
      )
      assert.isTrue(yield* keep)
    })
  )
})

describe("what the service refuses or leaves out", () => {
  it.effect("removes nothing and fails where a metric is refused, whatever is to happen to what is gone", () =>
    withService((mood, to) =>
      Effect.gen(function* () {
        for (const onRemoved of ["remove", "keep"] as const) {
          mood.metrics.clear()
          yield* run(jobOf(to, { onRemoved }))
          mood.metrics.add("PriceUSD")
          const error = yield* Effect.flip(run({ to }))
          assert.deepInclude(error, { _tag: "SyncFailed" })
          assert.deepStrictEqual(yield* heldIn(to), all)
        }
      })
    )
  )

  it.effect("removes an asset that is refused by name, once, and not the last one", () =>
    withService((mood, to) =>
      Effect.gen(function* () {
        yield* run(jobOf(to, { onRemoved: "remove" }))
        mood.unknown.add("btc")
        yield* run(jobOf(to))
        assert.deepStrictEqual(yield* heldIn(to), { ada: 9, eth: 9 })
        // It is still in the list, and refused again.
        yield* run(jobOf(to))
        mood.unknown = new Set(["ada", "btc", "eth"])
        assert.deepInclude(yield* Effect.flip(run(jobOf(to))), { _tag: "SyncFailed" })
        assert.deepStrictEqual(yield* heldIn(to), { ada: 9, eth: 9 })
        mood.unknown.clear()
        yield* run(jobOf(to))
        assert.deepStrictEqual(yield* heldIn(to), all)
      })
    )
  )

  it.effect("removes nothing where a catalog is incomplete, and asks for what it lacks by name", () =>
    withService((mood, to) =>
      Effect.gen(function* () {
        const job = jobOf(to, { params: { ...params, assets: ["*"] }, onRemoved: "remove" })
        yield* run(job)
        mood.listed = ["ada"]
        yield* run(job)
        assert.deepStrictEqual(yield* heldIn(to), all)
        mood.unknown.add("btc")
        yield* run(job)
        assert.deepStrictEqual(yield* heldIn(to), { ada: 9, eth: 9 })
      })
    )
  )

  it.effect(
    "removes nothing where a reply lacks an asset, also where assets share files with a year or a reply is large",
    () =>
      withService((mood, base) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.parse("2026-01-10T00:00:00Z"))
          const trades = { endpoint: Timeseries.assetMetrics, lookBack: "3 days" } as const
          const kinds = [
            {},
            { layout: { byEntity: false, period: "year" } },
            { layout: { byEntity: false, period: "day" } },
            { layout: { byEntity: false, period: "day" }, params: { ...params, frequency: "1m" } },
            { layout: { byEntity: false, period: "day" }, onRemoved: "remove" },
            { onRemoved: "remove" },
            { params: { ...params, frequency: "1m" } }
          ]
          for (const [n, more] of kinds.entries()) {
            const to = `${base}/${n}`
            mood.empty.clear()
            yield* run(jobOf(to, { ...trades, ...more }))
            mood.empty = new Set(["btc"])
            yield* run({ to })
            yield* run({ to, recheck: Duration.infinity })
            mood.empty = new Set(["ada", "btc", "eth"])
            yield* run({ to })
            yield* TestClock.adjust("2 days")
            yield* run({ to })
            assert.deepStrictEqual(yield* heldIn(to), all, `${n}`)
            yield* TestClock.setTime(Date.parse("2026-01-10T00:00:00Z"))
          }
        })
      )
  )

  it.effect("takes an asset for one that is there once it is back, though its records are the same", () =>
    withService((mood, to) =>
      Effect.gen(function* () {
        yield* run(jobOf(to))
        yield* run({ to })
        for (const asset of ["ada", "btc", "eth"]) {
          mood.unknown.add(asset)
          yield* run({ to })
          mood.unknown.clear()
          yield* run({ to })
        }
        for (const asset of ["ada", "btc", "eth"]) mood.unknown.add(asset)
        assert.strictEqual((yield* Effect.flip(run({ to })))._tag, "SyncFailed")
      })
    )
  )

  it.effect("removes a record of a day that was taken back, where the asset has others", () =>
    withService((mood, base) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-01-10T00:00:00Z"))
        const layout = { byEntity: false, period: "day" }
        for (const [n, frequency] of ["1d", "1m"].entries()) {
          const to = `${base}/${n}`
          mood.lost.clear()
          yield* run(jobOf(to, { lookBack: "3 days", layout, params: { ...params, frequency } }))
          mood.lost.add("btc 2026-01-07").add("eth 2026-01-09")
          yield* run({ to })
          assert.deepStrictEqual(yield* heldIn(to), { ...all, btc: 8, eth: 8 })
        }
      })
    )
  )

  it.effect("loads the history of a metric that was refused when it was added", () =>
    withService((mood, to) =>
      Effect.gen(function* () {
        yield* run(jobOf(to))
        const grown = jobOf(to, { params: { ...params, metrics: ["TxCnt", "PriceUSD"] } })
        mood.unknown.add("btc")
        // The look before anything is changed meets the refusal; a later one is met by the load.
        yield* Effect.flip(run(grown))
        yield* run({ to })
        yield* run(grown)
        mood.unknown.clear()
        yield* run(grown)
        const files = Object.values(yield* data(to))
        assert.strictEqual(files.length, 3)
        // Columns stay in the order in which they came.
        for (const file of files) assert.include(file, '"PriceUSD":"1","TxCnt":"1"')
      })
    )
  )

  it.effect("loads the history of a metric in a watch, of an asset that came in no reply when it was added", () =>
    withService((mood, to) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-01-10T00:00:00Z"))
        yield* run(jobOf(to))
        mood.empty.add("btc")
        let synced = 0
        const grown = jobOf(to, { params: { ...params, metrics: ["TxCnt", "PriceUSD"] } })
        const watching = yield* Stream.runForEach(Dataset.watch(grown), ({ _tag }) =>
          Effect.sync(() => (synced += _tag === "Finished" ? 1 : 0))
        ).pipe(
          // Type boundary: days have no live stream, so nobody asks for one.
          Effect.provideService(LiveClient.LiveClient, {} as never),
          Effect.forkScoped
        )
        yield* Effect.repeat(Virtual.step("2 seconds"), { until: () => synced > 0 })
        mood.empty.clear()
        yield* Effect.repeat(Virtual.step("2 seconds"), { until: () => synced > 2 })
        yield* Fiber.interrupt(watching)
        const lines = Object.values(yield* data(to)).flatMap((text) => text.split("\n").slice(0, -1))
        assert.strictEqual(lines.filter((line) => line.includes('"TxCnt":"1"')).length, 27)
      }).pipe(Effect.scoped)
    )
  )

  it.effect("fails only for the asset whose record has no time", () =>
    withService((mood, to) =>
      Effect.gen(function* () {
        mood.strange.set("btc", "garbage")
        const error = yield* Effect.flip(run(jobOf(to)))
        assert.strictEqual(error._tag, "SyncFailed")
        const failed = error._tag === "SyncFailed" ? error.failed : []
        assert.deepStrictEqual(
          failed.map(({ entities, error }) => [entities, error._tag]),
          [[["btc"], "UnexpectedRecord"]]
        )
        assert.deepStrictEqual(yield* heldIn(to), { ada: 9, eth: 9 })
      })
    )
  )

  it.effect("takes no look-back that is no length of time, and a very long one as the whole", () =>
    withService((_, to) =>
      Effect.gen(function* () {
        for (const lookBack of ["Infinity", "-1 day"] as const) {
          const error = yield* Effect.flip(run(jobOf(to, { lookBack })))
          assert.deepInclude(error, { _tag: "BadDefinition", setting: "lookBack" })
        }
        yield* run(jobOf(to, { lookBack: "1000000 days", params: { ...params, start_time: undefined } }))
        const [request] = (yield* Dataset.check({ to })).requests
        assert.strictEqual(request?.from, "2026-01-01T00:00:00.000000000Z")
      })
    )
  )
})
