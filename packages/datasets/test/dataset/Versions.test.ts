import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
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

const assets = ["btc", "eth", "ltc", "doge"]
const start = "2026-09-15"
const first = Date.UTC(2026, 9, 1, 6)
const at = (day: number) => new Date(first + day * 86_400_000).toISOString()

/** Without the review status, which columns of Parquet do not have by default. */
const withoutStatus = (record: object) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !name.includes("-status")))

describe("a dataset that keeps versions", () => {
  it.live(
    "is as of each sync what the service answered then, and never knows what comes later",
    () =>
      Effect.gen(function* () {
        let [pairs, revised] = [0, 0]
        for (const seed of TestMode.seeds(3, 12)) {
          const draw = Draw.from(seed)
          const service = yield* Days.make(seed)
          const from = yield* temporary
          const formats = [{ as: "ndjson" }, { as: "csv" }, { as: "parquet", numbers: "text" }] as const
          const format = formats[seed % 3]!
          const layout = { period: draw.one(["day", "month", "none"] as const), byEntity: draw.below(3) > 0, rows: 20 }
          const params = { assets, metrics: ["PriceUSD", "TxCnt"], start_time: start }
          const textOf = (record: object) => bare(format.as === "parquet" ? withoutStatus(record) : record)
          yield* Effect.gen(function* () {
            let told = 0
            const answers: Array<{
              readonly moment: string
              readonly isSynced: boolean
              readonly all: ReadonlyArray<string>
            }> = []
            const dataset = { format, layout, lookBack: "90 days", versions: "keep" } as const
            yield* Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params, to: from, ...dataset }))
            for (let day = 0; day < TestMode.times(1.5, 12); day += 0.25) {
              service.at(day)
              const isSynced = day === 0 || draw.below(2) === 0
              const events = isSynced ? yield* Stream.runCollect(Dataset.sync({ to: from })) : []
              for (const event of events) if (event._tag === "Changed") told += event.revised ?? 0
              const all = (yield* Stream.runCollect(assetMetrics(params))).map(textOf)
              answers.push({ moment: at(day), isSynced, all })
            }
            const known = new Set<string>()
            const asked: Array<readonly [moment: string, records: ReadonlyArray<string>]> = []
            for (const { all, isSynced, moment } of answers) {
              for (const record of all) known.add(record)
              const asOf = Dataset.read(assetMetrics, params, { from, asOf: moment, offline: true })
              const isPast = yield* Effect.result(collected(asOf))
              // Behind the last sync nobody knows.
              if (isPast._tag === "Failure") continue
              const when = `seed ${seed}, ${moment}, ${JSON.stringify({ format, layout })}`
              if (isSynced) assert.deepStrictEqual(isPast.success, all, when)
              asked.push([moment, isPast.success])
              for (const record of isPast.success) assert.isTrue(known.has(record), `${when}: ${record}`)
              pairs += assets.length
            }
            if (format.as !== "csv") {
              const found = yield* Sql.asOf(
                yield* Dataset.sql(from),
                asked.map(([moment]) => moment)
              )
              const expected = asked.map(([, records]) => records.toSorted())
              assert.deepStrictEqual(
                found.map((rows) => rows.map(bare).toSorted()),
                expected,
                `SQL of seed ${seed}`
              )
            }
            const changes = Dataset.revisions(assetMetrics, params, { from })
            const listed = (yield* Stream.runCollect(changes)).filter(({ fields }) => fields.length > 0).length
            assert.strictEqual(told, listed, `seed ${seed}`)
            revised += listed
            yield* Stream.runDrain(Dataset.verify(from))
          }).pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
        }
        assert.isAbove(revised, 5)
        assert.isAbove(pairs, 40)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    600_000
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
