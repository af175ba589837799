import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import * as WallClock from "../../../core/test/WallClock.ts"
import { data, events, job, temporary, world } from "./Harness.ts"

const { assetMetrics } = Timeseries

/** What is asked for follows from the day. The records of the stand-in end in November. */
const inNovember = Effect.updateService(Clock.Clock, (real) => WallClock.at(real, () => Date.parse("2026-11-20")))

/** The records of a folder of NDJSON, in order. */
const linesIn = Effect.fnUntraced(function* (folder: string) {
  const files = Object.values(yield* data(folder))
  return files.flatMap((text) => text.split("\n").slice(0, -1)).toSorted()
})

/** The records that a fresh call gives. */
const fresh = (params: Parameters<typeof assetMetrics>[0]) =>
  Effect.map(Stream.runCollect(assetMetrics(params)), (records) => records.map((one) => JSON.stringify(one)).toSorted())

const sent = Effect.map(
  Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats),
  ({ requests }) => requests
)

describe("a dataset whose definition grows", () => {
  it.live("asks for assets, metrics and the earlier start that were added, and has what a fresh download has", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const { format, params } = job
      const steps = [
        { ...params, assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2025-01-01" },
        { ...params, metrics: ["PriceUSD"], start_time: "2025-01-01" },
        { ...params, start_time: "2025-01-01" },
        params
      ]
      for (const [step, params] of steps.entries()) {
        const plan = yield* Dataset.check({ endpoint: assetMetrics, params, to, format })
        const before = yield* sent
        yield* Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params, to, format }))
        // One to look whether the service answers what is new, before anything is made or changed.
        assert.isAtMost((yield* sent) - before, step === 0 ? 2 : 3, `step ${step}`)
        const [reason] = plan.requests.map(({ reason }) => reason)
        assert.strictEqual(reason, (["new", "new", "columns", "earlier"] as const)[step], `step ${step}`)
        assert.deepStrictEqual(yield* linesIn(to), yield* fresh(params), `step ${step}`)
      }
      yield* Stream.runDrain(Dataset.verify(to))
    }).pipe(Effect.provide(world))
  )

  it.live("keeps its start where a later job names none, and grows to the beginning by a start before it", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const { start_time, ...params } = job.params
      yield* Stream.runDrain(Dataset.sync({ ...job, to }))
      const begun = yield* Dataset.status(to)
      const startless = { ...job, params, to } as const
      const plan = yield* Dataset.check(startless)
      assert.notInclude(
        plan.requests.map(({ reason }) => reason),
        "earlier"
      )
      yield* Stream.runDrain(Dataset.sync(startless))
      assert.deepStrictEqual((yield* Dataset.status(to))?.definition, begun?.definition)
      assert.deepStrictEqual(yield* linesIn(to), yield* fresh({ ...params, start_time }))
      yield* Stream.runDrain(Dataset.sync({ ...startless, params: { ...params, start_time: "2009-01-01" } }))
      assert.deepStrictEqual(yield* linesIn(to), yield* fresh(params))
    }).pipe(Effect.provide(world))
  )

  it.live("keeps the start of another run that began it in the meantime", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      yield* Stream.runDrain(Dataset.sync({ ...job, to }))
      const begun = yield* Dataset.status(to)
      const { start_time: _, ...params } = job.params
      const store = yield* FolderStore.make(to, { layout: undefined, format: job.format })
      // As if the other had begun it between a look at the folder and taking it.
      yield* Stream.runDrain(Dataset.sync({ ...job, params, to: { ...store, look: Effect.undefined } }))
      assert.deepStrictEqual((yield* Dataset.status(to))?.definition, begun?.definition)
    }).pipe(Effect.provide(world))
  )

  it.live("keeps what another run made of it between its look at the dataset and taking it", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const { start_time: _, ...params } = job.params
      yield* Stream.runDrain(Dataset.sync({ ...job, params: { ...job.params, assets: ["btc"] }, to }))
      const grown = { ...job, params: { ...job.params, assets: ["btc"], start_time: "2023-12-01" }, to } as const
      const store = yield* FolderStore.make(to, { layout: undefined, format: job.format })
      const before = yield* store.look
      yield* Stream.runDrain(Dataset.sync({ ...grown, lookBack: "3 days" }))
      const found = yield* Dataset.defined(to)
      // The look is one from before the other run.
      const behind = { ...store, look: Effect.succeed(before) }
      yield* Stream.runDrain(Dataset.sync({ to: behind }))
      yield* Stream.runDrain(
        Dataset.sync({ endpoint: assetMetrics, params: { ...params, assets: ["btc"] }, to: behind })
      )
      assert.deepStrictEqual(yield* Dataset.defined(to), found)
      assert.deepStrictEqual(yield* linesIn(to), yield* fresh(grown.params))
      const later = { ...job, params: { ...job.params, assets: ["btc"] }, to: behind } as const
      const refused = yield* Effect.flip(Stream.runDrain(Dataset.sync(later)))
      assert.deepInclude(refused, { _tag: "OtherDefinition", differs: ["params.start_time"] })
    }).pipe(Effect.provide(world))
  )

  it.live("takes the default of the frequency for the same, whether it is named or not", () =>
    Effect.gen(function* () {
      const { params } = job
      const daily = { ...job, params: { ...params, frequency: "1d" } } as const
      for (const [first, second] of [
        [job, daily],
        [daily, job]
      ] as const) {
        const to = yield* temporary
        yield* Stream.runDrain(Dataset.sync({ ...first, to }))
        const begun = yield* Dataset.status(to)
        assert.deepInclude((yield* events(Dataset.sync({ ...second, to }))).at(-1), { _tag: "Finished", changes: 0 })
        assert.deepStrictEqual((yield* Dataset.status(to))?.definition, begun?.definition)
      }
    }).pipe(Effect.provide(world))
  )

  it.live.each(["keep", "remove"] as const)(
    "keeps what it has of assets that are dropped (onRemoved: %s)",
    (onRemoved) =>
      Effect.gen(function* () {
        const to = yield* temporary
        yield* Stream.runDrain(Dataset.sync({ ...job, to }))
        const held = yield* linesIn(to)
        const { params } = job
        const dropped = { ...job, params: { ...params, assets: ["btc", "eth"] }, to, onRemoved } as const
        const [started] = yield* events(Dataset.sync(dropped))
        assert.deepInclude(started, { _tag: "Started", entities: 2, gone: [], dropped: ["ltc"], droppedCount: 1 })
        assert.deepInclude((yield* events(Dataset.sync({ to })))[0], {
          _tag: "Started",
          entities: 2,
          gone: [],
          dropped: []
        })
        const { requests } = yield* Dataset.check({ to })
        assert.deepStrictEqual([...new Set(requests.flatMap(({ entities }) => entities))].toSorted(), ["btc", "eth"])
        assert.deepStrictEqual(yield* linesIn(to), held)
        const again = yield* Dataset.check({ ...job, to })
        const ltc = again.requests.filter(({ entities }) => entities.includes("ltc"))
        assert.deepStrictEqual(
          ltc.map(({ from }) => from),
          ["2026-10-25T00:00:00.000000000Z"]
        )
        yield* Stream.runDrain(Dataset.sync({ ...job, to }))
        assert.deepStrictEqual(yield* linesIn(to), held)
      }).pipe(inNovember, Effect.provide(world))
  )

  it.live("refuses what is no growth, by name, and touches and sends nothing", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      yield* Stream.runDrain(Dataset.sync({ ...job, to }))
      const before = yield* sent
      const { params } = job
      const differing = {
        "params.frequency": { ...job, params: { ...params, frequency: "1h" } },
        "params.assets": { ...job, params: { ...params, assets: ["doge"] } },
        "params.metrics": { ...job, params: { ...params, metrics: ["AdrActCnt"] } },
        "params.start_time": { ...job, params: { ...params, start_time: "2025-01-01" } },
        "format.as": { ...job, format: { as: "csv" } },
        "layout.period": { ...job, layout: { period: "month" } }
      } as const
      for (const [setting, other] of Object.entries(differing)) {
        const error = yield* Effect.flip(Stream.runDrain(Dataset.sync({ ...other, to })))
        assert.deepInclude(error, { _tag: "OtherDefinition", differs: [setting] })
        const { missing, values = [] } = error._tag === "OtherDefinition" ? error : {}
        assert.deepStrictEqual(
          values.map((one) => one.setting),
          missing === undefined ? [setting] : []
        )
        for (const { given, kept } of values) assert.include(error.message, `${setting} is ${kept} there, and ${given}`)
      }
      const monthly = yield* Effect.flip(Stream.runDrain(Dataset.sync({ ...differing["layout.period"], to })))
      assert.include(monthly.message, "layout.period is year there, and month in the job")
      const end = { ...job, params: { ...params, end_time: "2025-01-01" }, to }
      // @ts-expect-error a dataset has no end
      const ended = Dataset.sync(end)
      assert.deepInclude(yield* Effect.flip(events(ended)), { _tag: "BadDefinition", setting: "end_time" })
      const assets = Dataset.sync({ endpoint: ReferenceData.assets, params: { assets: ["btc"] }, to: `${to}/assets` })
      assert.deepInclude(yield* Effect.flip(events(assets)), { _tag: "BadDefinition", setting: "versions" })
      const foreign = Dataset.sync({ ...job, params: { ...params, assets: ["btc", "talos:BTC"] }, to })
      assert.deepInclude(yield* Effect.flip(events(foreign)), { _tag: "BadDefinition", setting: "assets" })
      assert.strictEqual(yield* sent, before)
      const nothing = yield* Effect.flip(events(Dataset.sync({ to: `${to}/none` })))
      assert.strictEqual(nothing._tag, "NoDataset")
    }).pipe(Effect.provide(world))
  )

  it.live("takes more records than a page as lines, cut along the calendar, and continues where it was ended", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const params = {
        assets: ["btc"],
        metrics: ["PriceUSD"],
        frequency: "1m",
        start_time: "2026-08-20"
      } as const
      const run = (concurrency: number) =>
        Dataset.sync({
          endpoint: assetMetrics,
          params,
          to,
          format: { as: "ndjson" },
          layout: { period: "month" },
          concurrency
        })
      yield* run(1).pipe(
        Stream.takeUntil(({ _tag }) => _tag === "Changed"),
        Stream.runDrain
      )
      const held = (yield* Dataset.status(to))?.entities.map(({ entity }) => entity)
      assert.deepStrictEqual(held, ["btc"])
      const plan = yield* Dataset.check({ to })
      assert.isAbove(plan.requests.length, 0)
      yield* Stream.runDrain(run(4))
      assert.deepStrictEqual(yield* linesIn(to), yield* fresh({ ...params, format: "json_stream" }))
      assert.deepInclude((yield* events(run(4))).at(-1), { _tag: "Finished" })
      assert.deepInclude((yield* events(run(4))).at(-1), { _tag: "Finished", changes: 0 })
    }).pipe(inNovember, Effect.provide(world))
  )
})

describe("the folder of a dataset", () => {
  it.live("has a file that was moved away read again, and tells one that was changed", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      yield* Stream.runDrain(Dataset.sync({ ...job, to }))
      const files = yield* data(to)
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const file = path.join(to, "asset=eth/year=2024/eth-2024.ndjson")
      yield* fs.remove(file)
      const missing = { _tag: "FileMissing", file: "asset=eth/year=2024/eth-2024.ndjson" } as const
      assert.deepInclude(yield* Effect.flip(events(Dataset.verify(to))), missing)
      const { missing: noticed, requests } = yield* Dataset.check({ to })
      assert.deepStrictEqual(noticed, [missing.file])
      assert.deepStrictEqual(
        requests
          .filter(({ reason }) => reason === "earlier")
          .map(({ entities, from }) => [entities, from?.slice(0, 10)]),
        [[["eth"], "2024-01-01"]]
      )
      yield* Stream.runDrain(Dataset.sync({ to }))
      assert.deepStrictEqual(yield* data(to), files)
      assert.deepStrictEqual((yield* Dataset.check({ to })).missing, [])
      const text = yield* fs.readFileString(file)
      yield* fs.writeFileString(file, text.replace("2024", "2025"))
      const changed = { _tag: "FileChanged", file: "asset=eth/year=2024/eth-2024.ndjson" } as const
      assert.deepInclude(yield* Effect.flip(events(Dataset.verify(to))), changed)
      yield* fs.writeFileString(file, `${text}\n`)
      assert.deepInclude(yield* Effect.flip(events(Dataset.sync({ to }))), changed)
      assert.deepInclude(yield* Effect.flip(Dataset.check({ to })), changed)
    }).pipe(Effect.provide(world))
  )
})
