import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as WallClock from "../../../core/test/WallClock.ts"
import * as Observed from "../../../files/test/download/Observed.ts"
import * as Days from "../database/Days.ts"
import { collected, temporary, world } from "./Harness.ts"
import { hour, none, revising, series, type Span, spanOf, still, time, type World } from "./Requests.ts"

const { assetMetrics, marketCandles, marketTrades } = Timeseries

/** The records of the stand-in end in November. */
const inNovember = Effect.updateService(Clock.Clock, (real) => WallClock.at(real, () => Date.parse("2026-11-20")))

/** A call for the prices of an asset. */
const pricesOf = (start_time: string, end_time = "2026-09-15") => ({
  assets: ["btc"],
  metrics: ["PriceUSD"],
  start_time,
  end_time
})

/** When the last of these records of an entity is. */
const lastOf = (found: ReadonlyArray<string>, entity: string): number =>
  Math.max(
    ...found.flatMap((text) => {
      const { asset, market, time } = JSON.parse(text)
      return (asset ?? market) === entity ? [Date.parse(time)] : []
    })
  )

describe("a call that is cached", () => {
  it.live(
    "gives what the call gives, requests of its times what it does not have, and what is final once",
    () =>
      Effect.gen(function* () {
        let reads = 0
        for (const seed of TestMode.seeds(6, 32)) {
          const draw = Draw.from(seed)
          const folder = yield* temporary
          const { endpoint, lookBack, read, step, steps } = draw.one(series)
          const isRevised = endpoint === assetMetrics && draw.below(2) === 0
          const { at, clock, layer, meet, seen }: World = yield* isRevised ? revising(seed) : still
          let now = isRevised ? Days.first : Date.UTC(2026, 10, 1)
          at(now)
          yield* Effect.gen(function* () {
            const final: Array<Span> = []
            for (let turn = 0; turn < 8; turn++) {
              now += draw.one([0, 0, hour, 3 * 24 * hour, 24 * hour * draw.below(60)])
              at(now)
              const from = now - step * draw.one([draw.below(20), draw.below(steps), draw.below(steps)])
              const to = from + step * draw.below(steps / 4) + draw.below(2)
              const isFromStart = draw.below(12) === 0 && endpoint === assetMetrics
              const params = read({
                ...(!isFromStart && { start_time: time(from) }),
                ...(draw.below(8) > 0 && { end_time: time(to) }),
                ...(draw.below(3) === 0 && { end_inclusive: false })
              })
              const when = `seed ${seed}, ${endpoint.path}, ${time(now)}, ${JSON.stringify(params)}`
              // Type boundary: the parameters of one of the series above.
              const call = endpoint as typeof marketTrades
              const given = params as never
              const reading = collected(Dataset.cache(call, given, { in: folder }))
              const before = seen.length
              // A read that is given up, or fails, leaves what it has kept.
              if (draw.below(4) === 0) yield* Effect.timeoutOption(reading, draw.below(40))
              if (draw.below(4) === 0) {
                const fault = draw.one(["reset", "status=500", "truncate-line=1"])
                meet(() => fault)
                yield* Effect.ignore(reading)
                meet(none)
              }
              const found = yield* reading
              const window: Span = [isFromStart ? -Infinity : from, "end_time" in params ? to : Infinity]
              for (const [start, end] of seen.slice(before).flatMap(spanOf)) {
                const isOpen = window[1] >= now
                assert.isTrue(start >= window[0] && (isOpen || end <= window[1] + 1), `${when}: ${start} to ${end}`)
                const again = final.find((one) => Math.min(end, one[1]) - Math.max(start, one[0]) > 1)
                assert.isUndefined(again, `${when}: ${start} to ${end}`)
              }
              // Behind the last record of an entity the service may be late.
              const ends = ("assets" in params ? params.assets : params.markets).map(
                (entity) => lastOf(found, entity) + 1
              )
              final.push([window[0], Math.min(window[1], now - lookBack, ...ends)])
              const asked = seen.length
              assert.deepStrictEqual(yield* reading, found, when)
              const offline = Dataset.cache(call, given, { in: folder, offline: true })
              assert.deepStrictEqual(yield* collected(offline), found, when)
              assert.strictEqual(seen.length, asked, when)
              assert.deepStrictEqual(found, yield* collected(call(given)), when)
              reads += 1
            }
            const fs = yield* FileSystem.FileSystem
            const names = yield* fs.readDirectory(folder)
            assert.strictEqual(names.length, 1)
            // What no call has asked for is not missing.
            const verified = yield* Stream.runCollect(Dataset.verify(`${folder}/${names[0]}`))
            assert.isTrue(verified.every((event) => !("unread" in event)))
            const status = yield* Dataset.status(`${folder}/${names[0]}`)
            assert.deepStrictEqual([status?.unread, status?.definition.isCache], [[], true])
            if (endpoint !== assetMetrics) return
            // A sync reads what no call has asked for, and later calls go on from there.
            yield* Stream.runDrain(Dataset.sync({ to: `${folder}/${names[0]}` }))
            for (const days of [0, draw.below(20)]) {
              now += 24 * hour * days
              at(now)
              const params = { start_time: time(now - 24 * hour * draw.below(90)), end_time: time(now) }
              const given = read(params) as never
              const found = yield* collected(Dataset.cache(endpoint, given, { in: folder }))
              assert.deepStrictEqual(found, yield* collected(endpoint(given)), `seed ${seed}, ${time(now)}`)
              const asked = seen.length
              const offline = Dataset.cache(endpoint, given, { in: folder, offline: true })
              assert.deepStrictEqual(yield* collected(offline), found, `seed ${seed}, ${time(now)}`)
              assert.deepStrictEqual(yield* collected(Dataset.cache(endpoint, given, { in: folder })), found)
              assert.strictEqual(seen.length, asked, `seed ${seed}, ${time(now)}`)
            }
          }).pipe(Effect.provide(layer), Effect.provideService(Clock.Clock, clock))
        }
        assert.isAbove(reads, 40)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    600_000
  )

  it.live("asks again for the look-back of a dataset where the clock of the sync was ahead, or says the same", () =>
    Effect.gen(function* () {
      const { at, clock, layer, seen } = yield* still
      const from = `${yield* temporary}/prices`
      yield* Effect.gen(function* () {
        at(Date.UTC(2026, 10, 3, 1))
        const { end_time: _, ...params } = pricesOf("2026-09-10")
        yield* Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params, to: from }))
        for (const hour of [1, 0, 2]) {
          at(Date.UTC(2026, 10, 3, hour))
          const before = seen.length
          const read = Dataset.read(assetMetrics, pricesOf("2026-10-25", "2026-10-30"), { from, maxAge: 0 })
          yield* Stream.runDrain(read)
          assert.isAbove(seen.length, before, `at ${hour}`)
        }
      }).pipe(Effect.provide(layer), Effect.provideService(Clock.Clock, clock))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live(
    "has all that was asked for where a clock was ahead of what it is now, also after a read that fails in part",
    () =>
      Effect.gen(function* () {
        const { at, clock, layer, meet, seen } = yield* still
        const folder = yield* temporary
        const reading = (params: ReturnType<typeof pricesOf>) => Dataset.cache(assetMetrics, params, { in: folder })
        yield* Effect.gen(function* () {
          at(Date.UTC(2026, 9, 20))
          yield* Stream.runDrain(reading(pricesOf("2026-09-10", "2026-09-15")))
          at(Date.UTC(2026, 8, 5))
          const all = pricesOf("2026-09-01", "2026-10-10")
          // Of two requests the second one fails.
          const before = seen.length
          meet((url) => ((url.searchParams.get("start_time") ?? "") > "2026-09-15" ? "status=500" : undefined))
          yield* Effect.flip(Stream.runDrain(reading(all)))
          assert.isAbove(seen.length, before + 1)
          meet(none)
          const [name = ""] = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readDirectory(folder))
          yield* Stream.runDrain(Dataset.verify(`${folder}/${name}`))
          at(Date.UTC(2026, 9, 20))
          assert.deepStrictEqual(yield* collected(reading(all)), yield* collected(assetMetrics(all)))
          yield* Stream.runDrain(Dataset.verify(`${folder}/${name}`))
        }).pipe(Effect.provide(layer), Effect.provideService(Clock.Clock, clock))
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live(
    "asks as seldom for what is behind the last record as its range has been over, after the time of a review",
    () =>
      Effect.gen(function* () {
        const { at, clock, layer, seen } = yield* still
        const folder = yield* temporary
        const params = pricesOf("2026-05-01", "2026-07-31")
        yield* Effect.gen(function* () {
          for (const [date, requests] of [
            ["2026-08-10", 2],
            ["2026-08-11", 1],
            ["2026-11-01", 1],
            ["2026-11-02", 0],
            ["2027-01-31", 0],
            ["2027-02-02", 1],
            ["2027-07-01", 0]
          ] as const) {
            at(Date.parse(date))
            const before = seen.length
            yield* Stream.runDrain(Dataset.cache(assetMetrics, params, { in: folder }))
            assert.strictEqual(seen.length - before, requests, date)
          }
        }).pipe(Effect.provide(layer), Effect.provideService(Clock.Clock, clock))
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live(
    "is answered where another process fills the same folder between its looks at the bookkeeping and at files",
    () =>
      Effect.gen(function* () {
        const { at, clock, layer } = yield* still
        const folder = yield* temporary
        const read = (params: ReturnType<typeof pricesOf>) =>
          collected(Dataset.cache(assetMetrics, params, { in: folder }))
        at(Date.UTC(2026, 9, 20))
        yield* Effect.gen(function* () {
          yield* read(pricesOf("2026-09-10"))
          const context = yield* Effect.context<Client.Client | FileSystem.FileSystem | Path.Path>()
          const other = Effect.ignore(Effect.provide(read(pricesOf("2026-08-01")), context))
          let looks = 0
          const reading = Effect.updateService(read(pricesOf("2026-09-01")), FileSystem.FileSystem, (fs) =>
            Observed.make(fs, {
              operation: (_, path, self) =>
                path.endsWith(".zst") && ++looks === 1 ? Effect.andThen(other, self) : self,
              write: (_, bytes, write) => write(bytes)
            })
          )
          assert.deepStrictEqual(yield* reading, yield* collected(assetMetrics(pricesOf("2026-09-01"))))
          assert.isAbove(looks, 1)
        }).pipe(Effect.provide(layer), Effect.provideService(Clock.Clock, clock))
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("completes the change in the middle of which another call was killed", () =>
    Effect.gen(function* () {
      const { at, clock, layer, seen } = yield* still
      const folder = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const params = pricesOf("2026-09-01")
      at(Date.UTC(2026, 9, 20))
      yield* Effect.gen(function* () {
        const read = (how: object = {}) => collected(Dataset.cache(assetMetrics, params, { in: folder, ...how }))
        yield* collected(Dataset.cache(assetMetrics, pricesOf("2026-09-10"), { in: folder }))
        const to = `${folder}/${(yield* fs.readDirectory(folder))[0] ?? ""}`
        const file = (yield* fs.readDirectory(to, { recursive: true })).find((name) => name.endsWith(".zst")) ?? ""
        const before = yield* fs.readFile(`${to}/${file}`)
        const all = yield* read()
        const journal = (yield* fs.readDirectory(`${to}/.sluice`)).find((name) => name.startsWith("changes-")) ?? ""
        const parts = [...(yield* fs.readFileString(`${to}/.sluice/${journal}`)).matchAll(/"part":"([^"]+)"/g)]
        // As a kill leaves it between the line of the ledger and the new name.
        yield* fs.rename(`${to}/${file}`, `${to}/.sluice/parts/${parts.at(-1)?.[1] ?? ""}`)
        yield* fs.writeFile(`${to}/${file}`, before)
        const sent = seen.length
        assert.deepStrictEqual(yield* read(), all)
        assert.deepStrictEqual(yield* read({ offline: true }), all)
        assert.lengthOf(seen, sent)
      }).pipe(Effect.provide(layer), Effect.provideService(Clock.Clock, clock))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("has a folder for each endpoint with its parameters, and refuses what cannot be kept", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const times = { start_time: "2026-01-01", end_time: "2026-01-05" }
      const daily = { assets: ["btc"], metrics: ["PriceUSD"], ...times }
      const cached = (params: Parameters<typeof assetMetrics>[0]) =>
        Stream.runCollect(Dataset.cache(assetMetrics, params, { in: folder }))
      assert.lengthOf(yield* cached(daily), 5)
      assert.lengthOf(yield* cached({ ...daily, frequency: "1h", end_time: "2026-01-01T03:00:00" }), 4)
      // The order of a list says nothing.
      for (const assets of [
        ["eth", "btc"],
        ["btc", "eth"]
      ]) {
        for (const metrics of [["PriceUSD"], ["TxCnt", "PriceUSD"], ["PriceUSD", "TxCnt"]]) {
          const all = yield* collected(Dataset.cache(assetMetrics, { ...daily, assets, metrics }, { in: folder }))
          assert.deepStrictEqual(all, yield* collected(assetMetrics({ ...daily, assets, metrics })))
        }
      }
      assert.lengthOf(
        yield* cached({ ...daily, assets: "*" as const, end_time: "2026-01-02" }).pipe(
          Effect.map((all) => all.slice(0, 4))
        ),
        4
      )
      const fs = yield* FileSystem.FileSystem
      const names = yield* fs.readDirectory(folder)
      assert.lengthOf(names, 5)
      for (const name of names) assert.match(name, /^timeseries-asset-metrics-[0-9a-f]{16}$/)
      const latest = yield* Effect.flip(cached({ ...daily, limit_per_asset: 3 }))
      assert.deepInclude(latest, { _tag: "BadDefinition", setting: "limit_per_asset" })
      const near = { start_time: "2026-11-01", end_time: "2026-11-17" }
      yield* Stream.runDrain(Dataset.cache(assetMetrics, { ...daily, ...near }, { in: `${folder}/latest` }))
      const [latestOf = ""] = yield* fs.readDirectory(`${folder}/latest`)
      const of = { ...daily, start_time: "2026-10-31", end_time: "2026-11-19" }
      assert.deepStrictEqual(
        (yield* Dataset.coverage(assetMetrics, of, { from: `${folder}/latest/${latestOf}` })).map(({ state, to }) => [
          state,
          to?.slice(0, 10)
        ]),
        [
          ["missing", "2026-11-01"],
          ["final", "2026-11-01"],
          // Behind the last record, also before the look-back: the service may be late.
          ["provisional", "2026-11-18"],
          ["missing", "2026-11-20"]
        ]
      )
      // What is held is of another service.
      const elsewhere = Client.layer({ root: "https://example.com/v4", apiKey: Redacted.make("demo-key") })
      const other = yield* Effect.flip(Effect.provide(cached(daily), elsewhere, { local: true }))
      assert.deepInclude(other, { _tag: "OtherDefinition", differs: ["root"] })
      const list = Dataset.cache(ReferenceData.assets, { assets: ["btc"] }, { in: folder })
      assert.deepInclude(yield* Effect.flip(Stream.runDrain(list)), { _tag: "BadDefinition", setting: "endpoint" })
      const nowhere = yield* Effect.flip(Stream.runDrain(Dataset.cache(assetMetrics, daily, { in: "" })))
      assert.deepInclude(nowhere, { _tag: "BadDefinition", setting: "in" })
      const never = Dataset.cache(assetMetrics, { ...daily, assets: ["ltc"] }, { in: folder, offline: true })
      const ranges = [{ entity: "ltc", from: "2026-01-01T00:00:00.000000000Z", to: "2026-01-06T00:00:00.000000000Z" }]
      assert.deepInclude(yield* Effect.flip(Stream.runDrain(never)), { _tag: "NotHeld", ranges })
    }).pipe(inNovember, Effect.scoped, Effect.provide(world))
  )

  it.effect("has what a service brings later than its look-back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-10-05T00:00:00Z"))
      const folder = yield* temporary
      const params = {
        markets: ["coinbase-btc-usd-spot"],
        frequency: "1m",
        start_time: "2026-10-04T18:00:00",
        end_time: "2026-10-04T23:00:00"
      } as const
      yield* Effect.gen(function* () {
        const { live } = yield* Sandbox.Sandbox
        const call = collected(marketCandles(params))
        const cached = collected(Dataset.cache(marketCandles, params, { in: folder }))
        const late = yield* cached
        assert.deepStrictEqual(late, yield* call)
        yield* live.setHttpLag("2 seconds")
        // Later times are read before those that came late.
        const next = { ...params, start_time: "2026-10-04T23:30:00", end_time: "2026-10-05T00:00:00" } as const
        yield* TestClock.adjust("1 hour")
        yield* Stream.runDrain(Dataset.cache(marketCandles, next, { in: folder }))
        const whole = yield* call
        assert.isAbove(whole.length, late.length + 60)
        assert.deepStrictEqual(yield* cached, whole)
      }).pipe(
        Effect.provide(
          Sandbox.layerClient(Client.layer, { live: { from: "2026-10-05T00:00:00Z", httpLag: "3 hours" } })
        )
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
