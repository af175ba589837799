import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Days from "../database/Days.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import * as Sql from "./VersionsSql.ts"
import { bare, collected, temporary, world } from "./Harness.ts"

const { assetMetrics } = Timeseries

const first = Date.UTC(2026, 9, 1, 6)
const at = (day: number) => new Date(Math.round(first + day * 86_400_000)).toISOString()

/** A millisecond, in days. */
const instant = 1 / 86_400_000

/** Records as text, by their asset. */
type Answer = ReadonlyMap<string, ReadonlyArray<string>>

/** A moment, and what the service says then. */
interface Said {
  readonly moment: string
  readonly answer: Answer
  /** Whether a sync runs at this moment. */
  readonly isSynced: boolean
}

/** How a dataset is kept, and of how many assets: the fewer, the more files a read of it opens. */
const drawn = (seed: number, draw: Draw.Draw) => {
  const formats = [{ as: "ndjson" }, { as: "csv" }, { as: "parquet", numbers: "text" }] as const
  const [byEntity, period, rows, count] = (
    [
      [false, "none", 1_000, 260],
      [true, draw.one(["day", "month", "none"] as const), 20, 3],
      [false, "none", 150, 260],
      [false, draw.one(["day", "month"] as const), draw.one([20, 1_000]), 9]
    ] as const
  )[seed % 4]!
  return {
    format: formats[seed % 3]!,
    layout: { period, byEntity, rows },
    count: TestMode.times(Math.min(9, count), count),
    start_time: count < 10 ? "2026-09-20" : "2026-09-28"
  }
}

/** Names that the service has now. */
const names = Effect.map(Stream.runCollect(ReferenceData.assets()), (all) => all.map(({ asset }) => asset))

describe("a dataset that keeps versions", () => {
  it.live(
    "is as of any moment what the service answered to the last sync, and never knows what comes later",
    () =>
      Effect.gen(function* () {
        let [pairs, revised] = [0, 0]
        const days = TestMode.times(1, 6)
        for (const seed of TestMode.seeds(3, 8)) {
          const draw = Draw.from(seed)
          const service = yield* Days.make(seed)
          const from = yield* temporary
          const { count, format, layout, start_time } = drawn(seed, draw)
          const when = `seed ${seed}, ${JSON.stringify({ format, layout })}`
          // Columns of Parquet do not have the review status by default.
          const textOf = (record: object) =>
            bare(
              format.as === "parquet"
                ? Object.fromEntries(Object.entries(record).filter(([name]) => !name.includes("-status")))
                : record
            )
          const answerOf = (records: ReadonlyArray<{ readonly asset: string }>): Answer =>
            new Map(
              Array.from(
                Map.groupBy(records, ({ asset }) => asset),
                ([asset, own]) => [asset, own.map(textOf)]
              )
            )
          yield* Effect.gen(function* () {
            service.at(days)
            const last = new Set(yield* names)
            service.at(0)
            const stable = (yield* names).filter((name) => last.has(name))
            const assets = Array.from({ length: count }, () => stable.splice(draw.below(stable.length), 1)[0]!)
            const params = { assets, metrics: ["PriceUSD", "TxCnt"], start_time, ignore_unsupported_errors: true }
            const dataset = { format, layout, lookBack: "90 days", versions: "keep" } as const
            yield* Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params, to: from, ...dataset }))
            let told = 0
            const said: Array<Said> = []
            const ask = Effect.fnUntraced(function* (day: number, isSynced: boolean) {
              service.at(day)
              const events = isSynced ? yield* Stream.runCollect(Dataset.sync({ to: from })) : []
              for (const event of events) if (event._tag === "Changed") told += event.revised ?? 0
              const answer = answerOf(yield* Stream.runCollect(assetMetrics(params)))
              said.push({ moment: at(day), answer, isSynced })
            })
            const between = layout.byEntity || layout.period !== "none" ? 1 : 3
            for (let day = 0; day <= days; day += 0.25) {
              // In between, or right before the next, or at both of these.
              const drawn = Array.from({ length: day > 0 ? between : 0 }, (_, index) =>
                index === 0 && draw.chance(0.5) ? instant : draw.int(2, 21_599_999) * instant
              )
              for (const before of drawn.toSorted((a, b) => b - a)) yield* ask(day - before, false)
              yield* ask(day, day === 0 || day === days || draw.chance(0.5))
            }
            const known = new Set<string>()
            let synced: Answer = new Map()
            const read = (asOf: string) =>
              Effect.map(
                Stream.runCollect(Dataset.read(assetMetrics, params, { from, asOf, offline: true })),
                (records) => answerOf(records)
              )
            for (const { answer, isSynced, moment } of said) {
              for (const own of answer.values()) for (const record of own) known.add(record)
              if (isSynced) synced = answer
              const found = yield* read(moment)
              for (const asset of assets) {
                const [own = [], held = []] = [found.get(asset), synced.get(asset)]
                const isHeld = new Set(held)
                // What is new counts from when it was knowable: before the sync that finds it.
                const others = isSynced ? [] : own.filter((record) => !isHeld.has(record))
                for (const record of others) assert.isTrue(known.has(record), `${when}, ${moment}: ${record}`)
                const kept = others.length === 0 ? own : own.filter((record) => isHeld.has(record))
                assert.deepStrictEqual(kept, held, `${when}, ${moment}, ${asset}`)
                pairs += 1
              }
            }
            if (format.as !== "csv") {
              const moments = said.filter(() => draw.chance(0.2)).map(({ moment }) => moment)
              const found = yield* Sql.asOf(yield* Dataset.sql(from), moments)
              for (const [index, moment] of moments.entries()) {
                const expected = [...(yield* read(moment)).values()].flat().toSorted()
                assert.deepStrictEqual(found[index]?.map(bare).toSorted(), expected, `SQL of ${when}, ${moment}`)
              }
            }
            const changes = Dataset.revisions(assetMetrics, params, { from })
            const listed = (yield* Stream.runCollect(changes)).filter(({ fields }) => fields.length > 0).length
            assert.strictEqual(told, listed, when)
            revised += listed
            yield* Stream.runDrain(Dataset.verify(from))
          }).pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
        }
        assert.isAbove(revised, 2)
        assert.isAtLeast(pairs, TestMode.times(200, 100_000))
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    1_800_000
  )

  it.live("are in SQL those of any moment, where records say themselves when they were known", () =>
    Effect.gen(function* () {
      const service = yield* Days.make(7)
      for (const format of [
        { as: "ndjson", compression: "gzip" },
        { as: "parquet", numbers: "text" }
      ] as const) {
        // Names that DuckDB would take for columns, and for the end of a path.
        const from = `${yield* temporary}/was=1/json=1/a?b`
        const params = { markets: ["coinbase-btc-usd-spot"], start_time: "2026-10-01T05:00:00" }
        const endpoint = Timeseries.marketTrades
        yield* Effect.gen(function* () {
          service.at(0)
          const layout = { period: "none" } as const
          yield* Stream.runDrain(Dataset.sync({ endpoint, params, to: from, format, layout, versions: "keep" }))
          for (let time = 1; time <= 3; time++) {
            service.at(time / 48)
            yield* Stream.runDrain(Dataset.sync({ to: from }))
          }
          const moments = Array.from({ length: 40 }, (_, index) => at((index - 10) / 480))
          const found = yield* Sql.asOf(yield* Dataset.sql(from), moments)
          const counts = new Set(found.map(({ length }) => length))
          assert.isAbove(counts.size, 10)
          for (const [index, asOf] of moments.entries()) {
            const expected = yield* collected(Dataset.read(endpoint, params, { from, asOf, offline: true }))
            assert.deepStrictEqual(
              (found[index] ?? []).map(bare).toSorted(),
              expected.toSorted(),
              `${format.as}, ${asOf}`
            )
          }
          assert.match(yield* Dataset.sql(from, { name: "a\nb" }), /^--.*\nCREATE/)
          const changed = yield* Dataset.sql(from)
          yield* Stream.runDrain(Dataset.sync({ to: from }))
          assert.match(String(yield* Effect.exit(Sql.asOf(changed, moments))), /The dataset has changed/)
        }).pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("are no others where a metric was added, however many changes bring it and whether the run was stopped", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const asked = { assets: ["btc"], frequency: "1h", start_time: "2025-10-01" } as const
      const job = { endpoint: assetMetrics, to, layout: { rows: 400, period: "year" }, versions: "keep" } as const
      const params = { ...asked, metrics: ["PriceUSD", "ReferenceRateUSD"] }
      const changes = (metrics: ReadonlyArray<string>) =>
        Stream.filter(Dataset.sync({ ...job, params: { ...asked, metrics } }), ({ _tag }) => _tag === "Changed")
      yield* Stream.runDrain(changes(["PriceUSD"]))
      yield* Stream.runDrain(Stream.take(changes(params.metrics), 3))
      yield* Stream.runDrain(changes(params.metrics))
      assert.deepStrictEqual(yield* Stream.runCollect(Dataset.revisions(assetMetrics, params, { from: to })), [])
      yield* Stream.runDrain(Dataset.verify(to))
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live("go on once they are kept, and are refused where a place does not keep them", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const params = { assets: ["btc"], metrics: ["PriceUSD"], start_time: "2026-01-01" }
      const sync = (job: Pick<Dataset.Job, "to" | "versions">) =>
        Effect.flip(Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params, ...job })))
      const { keepsVersions: _, ...table } = yield* FolderStore.make(`${to}/table`)
      assert.deepInclude(yield* sync({ to: table, versions: "keep" }), { _tag: "BadDefinition", setting: "versions" })
      const closes = `${to}/closes`
      yield* Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params, to: closes, versions: "keep" }))
      assert.deepInclude(yield* sync({ to: closes, versions: "none" }), { _tag: "BadDefinition", setting: "versions" })
      const fs = yield* FileSystem.FileSystem
      yield* fs.remove(`${closes}/.sluice/versions`, { recursive: true })
      assert.strictEqual((yield* sync({ to: closes }))._tag, "BookkeepingDamaged")
    }).pipe(Effect.provide(world))
  )
})
